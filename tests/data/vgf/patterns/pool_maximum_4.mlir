module {
 func.func @main(%a0: tensor<1x1x1x4xi8>) -> (tensor<1x1x1x4xi8>) {
%r = tosa.max_pool2d %a0 {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = array<i64: 1, 0, 1, 0>} : (tensor<1x1x1x4xi8>) -> tensor<1x1x1x4xi8>
 return %r : tensor<1x1x1x4xi8>
 }
}
