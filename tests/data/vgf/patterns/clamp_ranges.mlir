module {
 func.func @main(%a0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
%c = tosa.clamp %a0 {max_val = 6.0 : f32, min_val = 0.0 : f32, nan_mode = IGNORE} : (tensor<4xf32>) -> tensor<4xf32>
%d = tosa.clamp %c {max_val = 4.0 : f32, min_val = -1.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
%e = tosa.clamp %a0 {max_val = 6.0 : f32, min_val = 0.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
%f = tosa.clamp %e {max_val = 4.0 : f32, min_val = -1.0 : f32, nan_mode = IGNORE} : (tensor<4xf32>) -> tensor<4xf32>
%g = tosa.clamp %e {max_val = -1.0 : f32, min_val = -2.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
%h = tosa.clamp %e {max_val = 9.0 : f32, min_val = 6.0 : f32} : (tensor<4xf32>) -> tensor<4xf32>
 return %d, %f, %g, %h : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
 }
}
