module {
  func.func @main(%a0: tensor<1x4x4x4xf32>, %a1: tensor<1x4x4x4xf32>, %a2: tensor<1x4x4x4xf32>, %a3: tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
    %m = tosa.max_pool2d %a0 {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %d = tosa.clamp %m {max_val = 4.0 : f32, min_val = 0.0 : f32} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %c = tosa.clamp %a1 {max_val = 6.0 : f32, min_val = 0.0 : f32} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %1 = tosa.max_pool2d %c {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %c2 = tosa.clamp %a2 {max_val = 6.0 : f32, min_val = 0.0 : f32} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %i2 = tosa.identity %c2 : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %d2 = tosa.clamp %i2 {max_val = 4.0 : f32, min_val = 0.0 : f32} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %i3 = tosa.identity %a3 : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %n3 = tosa.identity %i3 : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    return %d, %1, %d2, %n3 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
  }
}
