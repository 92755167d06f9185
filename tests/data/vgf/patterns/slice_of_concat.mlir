module {
 func.func @main(%a0: tensor<2x3xi8>, %a1: tensor<2x4xi8>) -> (tensor<2x4xi8>, tensor<1x2xi8>, tensor<1x4xi8>) {
%c = tosa.concat %a0, %a1 {axis = 1 : i32} : (tensor<2x3xi8>, tensor<2x4xi8>) -> tensor<2x7xi8>
%rs = tosa.const_shape {values = dense<[0, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
%rz = tosa.const_shape {values = dense<[2, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
%r = tosa.slice %c, %rs, %rz : (tensor<2x7xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x4xi8>
%qs = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
%qz = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
%q = tosa.slice %c, %qs, %qz : (tensor<2x7xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2xi8>
%ws = tosa.const_shape {values = dense<[0, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
%wz = tosa.const_shape {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
%w = tosa.slice %c, %ws, %wz : (tensor<2x7xi8>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4xi8>
 return %r, %q, %w : tensor<2x4xi8>, tensor<1x2xi8>, tensor<1x4xi8>
 }
}
