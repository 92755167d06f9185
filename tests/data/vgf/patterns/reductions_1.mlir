module {
 func.func @main(%a0: tensor<4x1xi32>, %a1: tensor<4x1xi8>) -> (tensor<4x1xi32>, tensor<4x1xi8>, tensor<4xi32>, tensor<4x1xi8>, tensor<1x1xi32>, tensor<3xi32>) {
%b0 = tosa.reduce_sum %a0 {axis = 1 : i32} : (tensor<4x1xi32>) -> tensor<4x1xi32>
%b1 = tosa.reduce_max %a1 {axis = 1 : i32} : (tensor<4x1xi8>) -> tensor<4x1xi8>
%b2 = tosa.argmax %a1 {axis = 1 : i32} : (tensor<4x1xi8>) -> tensor<4xi32>
%b3 = tosa.reverse %a1 {axis = 1 : i32} : (tensor<4x1xi8>) -> tensor<4x1xi8>
%k = "tosa.const"() <{values = dense<[[1],[2],[3],[4]]> : tensor<4x1xi32>}> : () -> tensor<4x1xi32>
%b4 = tosa.reduce_sum %k {axis = 0 : i32} : (tensor<4x1xi32>) -> tensor<1x1xi32>
%k2 = "tosa.const"() <{values = dense<[5, 6, 7]> : tensor<3xi32>}> : () -> tensor<3xi32>
%b5 = tosa.reverse %k2 {axis = 0 : i32} : (tensor<3xi32>) -> tensor<3xi32>
 return %b0, %b1, %b2, %b3, %b4, %b5 : tensor<4x1xi32>, tensor<4x1xi8>, tensor<4xi32>, tensor<4x1xi8>, tensor<1x1xi32>, tensor<3xi32>
 }
}
