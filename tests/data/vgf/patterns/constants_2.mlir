module {
 func.func @main(%a0: tensor<4x6xi8>) -> (tensor<4x6xi8>) {
%k1 = "tosa.const"() <{values = dense<[[3, 10, 17, 24], [4, 11, 18, 25], [5, 12, 19, 26], [6, 13, 20, 27], [7, 14, 21, 28], [8, 15, 22, 29]]> : tensor<6x4xi8>}> : () -> tensor<6x4xi8>
%t1 = tosa.transpose %k1 {perms = array<i32: 1, 0>} : (tensor<6x4xi8>) -> tensor<4x6xi8>
%r1 = tosa.bitwise_xor %a0, %t1 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k2 = "tosa.const"() <{values = dense<[[7, 14, 21, 28], [8, 15, 22, 29], [9, 16, 23, 30], [10, 17, 24, 31], [11, 18, 25, 32], [12, 19, 26, 33]]> : tensor<6x4xi8>}> : () -> tensor<6x4xi8>
%t2 = tosa.transpose %k2 {perms = array<i32: 1, 0>} : (tensor<6x4xi8>) -> tensor<4x6xi8>
%r2 = tosa.bitwise_xor %r1, %t2 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k3 = "tosa.const"() <{values = dense<[[11, 18, 25, 32], [12, 19, 26, 33], [13, 20, 27, 34], [14, 21, 28, 35], [15, 22, 29, 36], [16, 23, 30, 37]]> : tensor<6x4xi8>}> : () -> tensor<6x4xi8>
%t3 = tosa.transpose %k3 {perms = array<i32: 1, 0>} : (tensor<6x4xi8>) -> tensor<4x6xi8>
%r3 = tosa.bitwise_xor %r2, %t3 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k4 = "tosa.const"() <{values = dense<[[13, 20, 27, 34, 41, 48], [14, 21, 28, 35, 42, 49], [15, 22, 29, 36, 43, 0], [16, 23, 30, 37, 44, 1]]> : tensor<4x6xi8>}> : () -> tensor<4x6xi8>
%r4 = tosa.bitwise_xor %r3, %k4 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
 return %r4 : tensor<4x6xi8>
 }
}
