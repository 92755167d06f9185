// Constants of zeros of either sign are null; with other elements the sign stays.
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf8E5M2>) -> (tensor<2xf32>, tensor<2xf32>, tensor<4xf8E5M2>, tensor<2xf32>) {
  %m = "tosa.const"() <{values = dense<-0.0> : tensor<2xf32>}> : () -> tensor<2xf32>
  %n = "tosa.const"() <{values = dense<[-0.0, 1.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %o = "tosa.const"() <{values = dense<[-0.0, 0.0]> : tensor<2xf8E5M2>}> : () -> tensor<2xf8E5M2>
  %p = "tosa.const"() <{values = dense<[4.0, -0.0]> : tensor<2xf32>}> : () -> tensor<2xf32>
  %0 = tosa.pow %m, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = tosa.pow %n, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = tosa.concat %o, %b {axis = 0 : i32} : (tensor<2xf8E5M2>, tensor<2xf8E5M2>) -> tensor<4xf8E5M2>
  %3 = tosa.reciprocal %p : (tensor<2xf32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<4xf8E5M2>, tensor<2xf32>
}
