module {
 func.func @main(%a0: tensor<4x6xi8>) -> (tensor<4x6xi8>) {
%s = tosa.const_shape {values = dense<[4, 6]> : tensor<2xindex>} : () -> !tosa.shape<2>
%k1 = "tosa.const"() <{values = dense<[[3, 10, 17, 24, 31, 38, 45, 2], [4, 11, 18, 25, 32, 39, 46, 3], [5, 12, 19, 26, 33, 40, 47, 4]]> : tensor<3x8xi8>}> : () -> tensor<3x8xi8>
%t1 = tosa.reshape %k1, %s : (tensor<3x8xi8>, !tosa.shape<2>) -> tensor<4x6xi8>
%r1 = tosa.bitwise_xor %a0, %t1 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k2 = "tosa.const"() <{values = dense<[[7, 14, 21, 28, 35, 42, 49, 6], [8, 15, 22, 29, 36, 43, 0, 7], [9, 16, 23, 30, 37, 44, 1, 8]]> : tensor<3x8xi8>}> : () -> tensor<3x8xi8>
%t2 = tosa.reshape %k2, %s : (tensor<3x8xi8>, !tosa.shape<2>) -> tensor<4x6xi8>
%r2 = tosa.bitwise_xor %r1, %t2 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k3 = "tosa.const"() <{values = dense<[[11, 18, 25, 32, 39, 46, 3, 10], [12, 19, 26, 33, 40, 47, 4, 11], [13, 20, 27, 34, 41, 48, 5, 12]]> : tensor<3x8xi8>}> : () -> tensor<3x8xi8>
%t3 = tosa.reshape %k3, %s : (tensor<3x8xi8>, !tosa.shape<2>) -> tensor<4x6xi8>
%r3 = tosa.bitwise_xor %r2, %t3 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
%k4 = "tosa.const"() <{values = dense<[[13, 20, 27, 34, 41, 48], [14, 21, 28, 35, 42, 49], [15, 22, 29, 36, 43, 0], [16, 23, 30, 37, 44, 1]]> : tensor<4x6xi8>}> : () -> tensor<4x6xi8>
%r4 = tosa.bitwise_xor %r3, %k4 : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
 return %r4 : tensor<4x6xi8>
 }
}
