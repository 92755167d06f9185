module {
  func.func @main(%a0: tensor<4xi32>) -> (tensor<1x3xf32>, tensor<1x3xi8>, tensor<1x2xi1>, tensor<1x2xi1>, tensor<2x1xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<2x1xi32>) {
    %f = "tosa.const"() <{values = dense<[[1.5, 2.5, 3.0], [4.0, 5.0, 6.25]]> : tensor<2x3xf32>}> : () -> tensor<2x3xf32>
    %b0 = tosa.reduce_sum %f {axis = 0 : i32} : (tensor<2x3xf32>) -> tensor<1x3xf32>
    %i = "tosa.const"() <{values = dense<[[1, -2, 3], [-4, 5, 6]]> : tensor<2x3xi8>}> : () -> tensor<2x3xi8>
    %b1 = tosa.reduce_max %i {axis = 0 : i32} : (tensor<2x3xi8>) -> tensor<1x3xi8>
    %t = "tosa.const"() <{values = dense<[[true, false], [true, true]]> : tensor<2x2xi1>}> : () -> tensor<2x2xi1>
    %b2 = tosa.reduce_all %t {axis = 0 : i32} : (tensor<2x2xi1>) -> tensor<1x2xi1>
    %u = "tosa.const"() <{values = dense<[[true, false], [false, false]]> : tensor<2x2xi1>}> : () -> tensor<2x2xi1>
    %b3 = tosa.reduce_any %u {axis = 0 : i32} : (tensor<2x2xi1>) -> tensor<1x2xi1>
    %k = "tosa.const"() <{values = dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
    %b4 = tosa.reduce_sum %k {axis = 1 : i32} : (tensor<2x2xi32>) -> tensor<2x1xi32>
    %m = "tosa.const"() <{values = dense<[[1, 2], [3, 7]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
    %b5 = tosa.reduce_sum %m {axis = 0 : i32} : (tensor<2x2xi32>) -> tensor<1x2xi32>
    %b6 = tosa.reduce_min %m {axis = 0 : i32} : (tensor<2x2xi32>) -> tensor<1x2xi32>
    %s = "tosa.const"() <{values = dense<3> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
    %b7 = tosa.reduce_sum %s {axis = 1 : i32} : (tensor<2x2xi32>) -> tensor<2x1xi32>
    return %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7 : tensor<1x3xf32>, tensor<1x3xi8>, tensor<1x2xi1>, tensor<1x2xi1>, tensor<2x1xi32>, tensor<1x2xi32>, tensor<1x2xi32>, tensor<2x1xi32>
  }
}
