module {
 func.func @main(%a0: tensor<1x8x8x4xf32>) -> (tensor<1x8x8x4xf32>) {
%z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
%r = tosa.avg_pool2d %a0, %z, %z {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, acc_type = f32} : (tensor<1x8x8x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
 return %r : tensor<1x8x8x4xf32>
 }
}
