module {
 func.func @main(%a0: tensor<4x6xi8>) -> (tensor<4x6xi8>) {
%k0 = "tosa.const"() <{values = dense<[[1, 8, 15, 22, 29, 36], [2, 9, 16, 23, 30, 37], [3, 10, 17, 24, 31, 38], [4, 11, 18, 25, 32, 39]]> : tensor<4x6xi8>}> : () -> tensor<4x6xi8>
%r0 = tosa.bitwise_xor %a0, %k0 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k1 = "tosa.const"() <{values = dense<[[3, 10, 17, 24], [4, 11, 18, 25], [5, 12, 19, 26], [6, 13, 20, 27], [7, 14, 21, 28], [8, 15, 22, 29]]> : tensor<6x4xi8>}> : () -> tensor<6x4xi8>
%t1 = tosa.transpose %k1 {perms = array<i32: 1, 0>} : (tensor<6x4xi8>) -> tensor<4x6xi8>
%r1 = tosa.bitwise_xor %r0, %t1 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k2 = "tosa.const"() <{values = dense<[[9, 16, 23, 30, 37, 44, 1, 8], [10, 17, 24, 31, 38, 45, 2, 9], [11, 18, 25, 32, 39, 46, 3, 10]]> : tensor<3x8xi8>}> : () -> tensor<3x8xi8>
%s = tosa.const_shape {values = dense<[4, 6]> : tensor<2xindex>} : () -> !tosa.shape<2>
%t2 = tosa.reshape %k2, %s : (tensor<3x8xi8>, !tosa.shape<2>) -> tensor<4x6xi8>
%r2 = tosa.bitwise_xor %r1, %t2 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k3 = "tosa.const"() <{values = dense<[[1, 8, 15, 22, 29, 36], [2, 9, 16, 23, 30, 37], [3, 10, 17, 24, 31, 38], [4, 11, 18, 25, 32, 39]]> : tensor<4x6xi8>}> : () -> tensor<4x6xi8>
%k4 = "tosa.const"() <{values = dense<[[5, 12, 19, 26], [6, 13, 20, 27], [7, 14, 21, 28], [8, 15, 22, 29], [9, 16, 23, 30], [10, 17, 24, 31]]> : tensor<6x4xi8>}> : () -> tensor<6x4xi8>
%r3 = tosa.bitwise_xor %r2, %k3 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%t4 = tosa.transpose %k4 {perms = array<i32: 1, 0>} : (tensor<6x4xi8>) -> tensor<4x6xi8>
%r4 = tosa.bitwise_xor %r3, %t4 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%t5 = tosa.transpose %k4 {perms = array<i32: 1, 0>} : (tensor<6x4xi8>) -> tensor<4x6xi8>
%r5 = tosa.bitwise_or %r4, %t5 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
 return %r5 : tensor<4x6xi8>
 }
}
