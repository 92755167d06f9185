// Pooling of one element is nothing whatever it does with NaN; a window of one element is not when NaN is ignored.
func.func @main(%a: tensor<1x1x1x2xf16>, %b: tensor<1x2x2x1xi8>) -> (tensor<1x1x1x2xf16>, tensor<1x2x2x1xi8>) {
  %0 = tosa.exp %a : (tensor<1x1x1x2xf16>) -> tensor<1x1x1x2xf16>
  %1 = tosa.max_pool2d %0 {kernel = array<i64: 2, 2>, stride = array<i64: 1, 1>, pad = array<i64: 0, 1, 1, 0>, nan_mode = IGNORE} : (tensor<1x1x1x2xf16>) -> tensor<1x1x1x2xf16>
  %2 = tosa.max_pool2d %b {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, nan_mode = IGNORE} : (tensor<1x2x2x1xi8>) -> tensor<1x2x2x1xi8>
  return %1, %2 : tensor<1x1x1x2xf16>, tensor<1x2x2x1xi8>
}
