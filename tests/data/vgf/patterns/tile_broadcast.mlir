// Repetitions that broadcasting makes needless go, the first of two that could; others stay.
func.func @main(%a: tensor<4x3xi32>, %b: tensor<1x3xi32>, %c: tensor<2x3xi32>, %d: tensor<1x3xi32>) -> (tensor<4x3xi32>, tensor<4x3xi32>, tensor<4x3xi1>, tensor<4x3xi32>, tensor<4x3xi32>) {
  %four = tosa.const_shape {values = dense<[4, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %two = tosa.const_shape {values = dense<[2, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.tile %b, %four : (tensor<1x3xi32>, !tosa.shape<2>) -> tensor<4x3xi32>
  %1 = tosa.tile %c, %two : (tensor<2x3xi32>, !tosa.shape<2>) -> tensor<4x3xi32>
  %2 = tosa.tile %b, %four : (tensor<1x3xi32>, !tosa.shape<2>) -> tensor<4x3xi32>
  %3 = tosa.tile %d, %four : (tensor<1x3xi32>, !tosa.shape<2>) -> tensor<4x3xi32>
  %4 = tosa.tile %d, %four : (tensor<1x3xi32>, !tosa.shape<2>) -> tensor<4x3xi32>
  %5 = tosa.tile %d, %four : (tensor<1x3xi32>, !tosa.shape<2>) -> tensor<4x3xi32>
  %6 = tosa.sub %a, %0 : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %7 = tosa.add %a, %1 : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %8 = tosa.greater %3, %2 : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi1>
  %9 = tosa.maximum %4, %4 : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  %10 = tosa.minimum %5, %a : (tensor<4x3xi32>, tensor<4x3xi32>) -> tensor<4x3xi32>
  return %6, %7, %8, %9, %10 : tensor<4x3xi32>, tensor<4x3xi32>, tensor<4x3xi1>, tensor<4x3xi32>, tensor<4x3xi32>
}
