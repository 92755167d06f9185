module {
 func.func @main(%a0: tensor<4xi32>) -> (tensor<1x1xi32>, tensor<1x2xi32>, tensor<1x2xi32>) {
%k = "tosa.const"() <{values = dense<[[1, 2],[3, 4]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
%k7 = "tosa.const"() <{values = dense<7> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
%rs = tosa.const_shape {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
%rz = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
%r = tosa.slice %k, %rs, %rz : (tensor<2x2xi32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x1xi32>
%qs = tosa.const_shape {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
%qz = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
%q = tosa.slice %k7, %qs, %qz : (tensor<2x2xi32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2xi32>
%ws = tosa.const_shape {values = dense<[1, 0]> : tensor<2xindex>} : () -> !tosa.shape<2>
%wz = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
%w = tosa.slice %k, %ws, %wz : (tensor<2x2xi32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x2xi32>
 return %r, %q, %w : tensor<1x1xi32>, tensor<1x2xi32>, tensor<1x2xi32>
 }
}
