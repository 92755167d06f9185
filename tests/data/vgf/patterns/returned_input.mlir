module {
  func.func @main(%a0: tensor<1x4x4x4xf32>, %a1: tensor<4x4xi32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<4x4xi32>) {
    %m = tosa.max_pool2d %a0 {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %d = tosa.clamp %m {max_val = 4.0 : f32, min_val = 0.0 : f32} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %s = tosa.const_shape {values = dense<[4, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %r = tosa.reshape %a1, %s : (tensor<4x4xi32>, !tosa.shape<2>) -> tensor<4x4xi32>
    return %m, %d, %r : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<4x4xi32>
  }
}
