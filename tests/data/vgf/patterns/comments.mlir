// Comments may hold any character, also inside of constants and types.
func.func @main(%a: tensor<2x2xi8>) -> tensor<2x2xi8> {
  %c = "tosa.const"() <{values = dense<[[1, // one > "
    2], // } ) ]
    [3, 4]]> : tensor<2x2xi8>}> : () -> tensor<2x2xi8>
  %0 = tosa.bitwise_and %a, %c : // "
    (tensor<2x2xi8>, tensor<2x2xi8>) -> tensor<2x2xi8>
  return %0 : tensor<2x2xi8>
}
