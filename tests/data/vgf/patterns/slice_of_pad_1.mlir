module {
 func.func @main(%a0: tensor<2x6xi8>) -> (tensor<4x8xi8>) {
%pp = tosa.const_shape {values = dense<[1, 2, 3, 1]> : tensor<4xindex>} : () -> !tosa.shape<4>
%pc = "tosa.const"() <{values = dense<5> : tensor<1xi8>}> : () -> tensor<1xi8>
%p = tosa.pad %a0, %pp, %pc : (tensor<2x6xi8>, !tosa.shape<4>, tensor<1xi8>) -> tensor<5x10xi8>
%rs = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
%rz = tosa.const_shape {values = dense<[4, 8]> : tensor<2xindex>} : () -> !tosa.shape<2>
%r = tosa.slice %p, %rs, %rz : (tensor<5x10xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<4x8xi8>
 return %r : tensor<4x8xi8>
 }
}
