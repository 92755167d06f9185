module {
  func.func @main(%a0: tensor<1x4x4x4xi8>, %a1: tensor<1x4x4x4xf32>) -> (tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8>, tensor<1x4x4x4xf32>) {
    %z = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
    %y = "tosa.const"() <{values = dense<4> : tensor<1xi8>}> : () -> tensor<1xi8>
    %0 = tosa.avg_pool2d %a0, %z, %z {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, acc_type = i32} : (tensor<1x4x4x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x4xi8>
    %1 = tosa.avg_pool2d %a0, %z, %y {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, acc_type = i32} : (tensor<1x4x4x4xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x4x4x4xi8>
    %c = tosa.clamp %a1 {max_val = 6.0 : f32, min_val = 0.0 : f32} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %m = tosa.max_pool2d %c {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    %d = tosa.clamp %m {max_val = 4.0 : f32, min_val = 0.0 : f32} : (tensor<1x4x4x4xf32>) -> tensor<1x4x4x4xf32>
    return %0, %1, %d : tensor<1x4x4x4xi8>, tensor<1x4x4x4xi8>, tensor<1x4x4x4xf32>
  }
}
