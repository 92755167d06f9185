module {
 func.func @main(%a0: tensor<4x6xi8>) -> (tensor<4x6xi8>) {
%k1 = "tosa.const"() <{values = dense<[[3, 10, 17, 24], [4, 11, 18, 25], [5, 12, 19, 26], [6, 13, 20, 27], [7, 14, 21, 28], [8, 15, 22, 29]]> : tensor<6x4xi8>}> : () -> tensor<6x4xi8>
%t1 = tosa.transpose %k1 {perms = array<i32: 1, 0>} : (tensor<6x4xi8>) -> tensor<4x6xi8>
%r1 = tosa.bitwise_xor %a0, %t1 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k2 = "tosa.const"() <{values = dense<[[3, 10, 17, 24, 31, 38], [4, 11, 18, 25, 32, 39], [5, 12, 19, 26, 33, 40], [6, 13, 20, 27, 34, 41]]> : tensor<4x6xi8>}> : () -> tensor<4x6xi8>
%r2 = tosa.bitwise_xor %r1, %k2 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k5 = "tosa.const"() <{values = dense<5> : tensor<4x6xi8>}> : () -> tensor<4x6xi8>
%r3 = tosa.bitwise_xor %r2, %k5 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k6 = "tosa.const"() <{values = dense<5> : tensor<6x4xi8>}> : () -> tensor<6x4xi8>
%t6 = tosa.transpose %k6 {perms = array<i32: 1, 0>} : (tensor<6x4xi8>) -> tensor<4x6xi8>
%r4 = tosa.bitwise_xor %r3, %t6 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
 return %r4 : tensor<4x6xi8>
 }
}
