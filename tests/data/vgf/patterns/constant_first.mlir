// Constants become the second operand where operands may change places.
func.func @main(%a: tensor<2xi32>, %b: tensor<2xi1>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xi1>, tensor<2xi32>) {
  %c = "tosa.const"() <{values = dense<[3, 2]> : tensor<2xi32>}> : () -> tensor<2xi32>
  %d = "tosa.const"() <{values = dense<[true, false]> : tensor<2xi1>}> : () -> tensor<2xi1>
  %0 = tosa.add %c, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %1 = tosa.bitwise_xor %c, %0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %2 = tosa.maximum %c, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %3 = tosa.equal %c, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %4 = tosa.logical_xor %d, %b : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %5 = tosa.sub %c, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi1>, tensor<2xi1>, tensor<2xi32>
}
