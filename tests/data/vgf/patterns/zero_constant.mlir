module {
  func.func @main(%arg0: tensor<1x4xf32>) -> tensor<1x4xf32> {
    %c = "tosa.const"() <{values = dense<0.0> : tensor<1x4xf32>}> : () -> tensor<1x4xf32>
    %3 = tosa.maximum %arg0, %c : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    return %3 : tensor<1x4xf32>
  }
}
