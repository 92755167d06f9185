module {
 func.func @main(%a0: tensor<1x4x1x3xi8>) -> (tensor<1x1x4x3xi8>) {
%r = tosa.transpose %a0 {perms = array<i32: 0, 2, 1, 3>} : (tensor<1x4x1x3xi8>) -> tensor<1x1x4x3xi8>
 return %r : tensor<1x1x4x3xi8>
 }
}
