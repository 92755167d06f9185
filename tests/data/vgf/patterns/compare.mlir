module {
 func.func @main(%a0: tensor<4xi32>, %a1: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>) {
%s7 = "tosa.const"() <{values = dense<7> : tensor<4xi32>}> : () -> tensor<4xi32>
%s2 = "tosa.const"() <{values = dense<-2> : tensor<4xi32>}> : () -> tensor<4xi32>
%one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
%f3 = "tosa.const"() <{values = dense<3.0> : tensor<4xf32>}> : () -> tensor<4xf32>
%f4 = "tosa.const"() <{values = dense<0.1> : tensor<4xf32>}> : () -> tensor<4xf32>
%b0 = tosa.greater %s7, %s2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
%b1 = tosa.greater_equal %s7, %s2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
%b2 = tosa.equal %s7, %s2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
%b3 = tosa.equal %a0, %a0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
%b4 = tosa.equal %a1, %a1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
%b5 = tosa.greater %f3, %f4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
%b6 = tosa.greater %s7, %one : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi1>
%b7 = tosa.maximum %s7, %s2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
%b8 = tosa.logical_and %b3, %b3 : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
 return %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xi32>, tensor<4xi1>
 }
}
