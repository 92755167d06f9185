// A product that its type cannot hold is left to be computed.
func.func @main(%a: tensor<1xi32>) -> (tensor<1xi32>, tensor<1xi32>) {
  %c = "tosa.const"() <{values = dense<-2147483648> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.mul %c, %c, %s : (tensor<1xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1xi32>
  %1 = tosa.clz %a : (tensor<1xi32>) -> tensor<1xi32>
  return %0, %1 : tensor<1xi32>, tensor<1xi32>
}
