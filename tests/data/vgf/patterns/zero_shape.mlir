module {
  func.func @main(%arg0: tensor<1xi8>) -> tensor<1xi8> {
    %s = tosa.const_shape {values = dense<0> : tensor<1xindex>} : () -> !tosa.shape<1>
    %z = tosa.const_shape {values = dense<1> : tensor<1xindex>} : () -> !tosa.shape<1>
    %p = tosa.const_shape {values = dense<[0,1]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %pc = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = tosa.pad %arg0, %p, %pc : (tensor<1xi8>, !tosa.shape<2>, tensor<1xi8>) -> tensor<2xi8>
    %4 = tosa.bitwise_not %2 : (tensor<2xi8>) -> tensor<2xi8>
    %5 = tosa.slice %4, %s, %z : (tensor<2xi8>, !tosa.shape<1>, !tosa.shape<1>) -> tensor<1xi8>
    return %5 : tensor<1xi8>
  }
}
