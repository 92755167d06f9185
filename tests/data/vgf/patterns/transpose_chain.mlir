module {
 func.func @main(%a0: tensor<2x4x1x3xi8>) -> (tensor<1x3x2x4xi8>) {
%m = tosa.transpose %a0 {perms = array<i32: 2, 0, 1, 3>} : (tensor<2x4x1x3xi8>) -> tensor<1x2x4x3xi8>
%r = tosa.transpose %m {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x2x4x3xi8>) -> tensor<1x3x2x4xi8>
 return %r : tensor<1x3x2x4xi8>
 }
}
