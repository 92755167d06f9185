// With full_preserve_io: values returned twice, inputs returned as they are, several large constants.
func.func @main(%a: tensor<20xf32>, %b: tensor<20xi16>) -> (tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xi16>) {
  %c = "tosa.const"() <{values = dense<3> : tensor<20xi16>}> : () -> tensor<20xi16>
  %d = "tosa.const"() <{values = dense<4> : tensor<20xi16>}> : () -> tensor<20xi16>
  %0 = tosa.exp %a : (tensor<20xf32>) -> tensor<20xf32>
  %1 = tosa.bitwise_and %b, %c : (tensor<20xi16>, tensor<20xi16>) -> tensor<20xi16>
  %2 = tosa.bitwise_xor %1, %d : (tensor<20xi16>, tensor<20xi16>) -> tensor<20xi16>
  return %0, %a, %0, %2 : tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xi16>
}
