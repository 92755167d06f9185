// Equal arms are the result only when the condition cannot make it larger.
func.func @main(%a: tensor<?x3xf16>, %b: tensor<?x3xi1>, %c: tensor<1x1xi1>) -> (tensor<?x3xf16>, tensor<?x3xf16>, tensor<?x3xf16>) {
  %t = "tosa.const"() <{values = dense<true> : tensor<1x1xi1>}> : () -> tensor<1x1xi1>
  %0 = tosa.exp %a : (tensor<?x3xf16>) -> tensor<?x3xf16>
  %1 = tosa.select %b, %0, %0 : (tensor<?x3xi1>, tensor<?x3xf16>, tensor<?x3xf16>) -> tensor<?x3xf16>
  %2 = tosa.select %c, %0, %0 : (tensor<1x1xi1>, tensor<?x3xf16>, tensor<?x3xf16>) -> tensor<?x3xf16>
  %3 = tosa.select %t, %0, %a : (tensor<1x1xi1>, tensor<?x3xf16>, tensor<?x3xf16>) -> tensor<?x3xf16>
  return %1, %2, %3 : tensor<?x3xf16>, tensor<?x3xf16>, tensor<?x3xf16>
}
