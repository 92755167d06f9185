module {
  func.func @main(%arg0: tensor<4xf32>, %a1: tensor<1x8x8x4xi8>, %a2: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<1x6x8x4xi8>, tensor<4xi1>, tensor<4xi32>,tensor<4xf32>,tensor<4xf32>) {
    %0 = tosa.clamp %arg0 {max_val = 0x7F800000 : f32, min_val = 0xFF800000 : f32, nan_mode = IGNORE} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = tosa.clamp %arg0 {max_val = 3.40282347E+38 : f32, min_val = -3.40282347E+38 : f32} : (tensor<4xf32>) -> tensor<4xf32>
    %p = tosa.const_shape {values = dense<[0,0,1,1,0,0,0,0]> : tensor<8xindex>} : () -> !tosa.shape<8>
    %pc = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %2 = tosa.pad %a1, %p, %pc : (tensor<1x8x8x4xi8>, !tosa.shape<8>, tensor<1xi8>) -> tensor<1x10x8x4xi8>
    %s = tosa.const_shape {values = dense<[0,2,0,0]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %z = tosa.const_shape {values = dense<[1,6,8,4]> : tensor<4xindex>} : () -> !tosa.shape<4>
    %3 = tosa.slice %2, %s, %z : (tensor<1x10x8x4xi8>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<1x6x8x4xi8>
    %4 = tosa.equal %a2, %a2 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %5 = tosa.bitwise_not %a2 : (tensor<4xi32>) -> tensor<4xi32>
    %6 = tosa.bitwise_not %5 : (tensor<4xi32>) -> tensor<4xi32>
    %7 = tosa.exp %arg0 : (tensor<4xf32>) -> tensor<4xf32>
    %8 = tosa.log %7 : (tensor<4xf32>) -> tensor<4xf32>
    %c1 = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %sh = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %9 = tosa.mul %arg0, %c1, %sh : (tensor<4xf32>, tensor<1xf32>, tensor<1xi8>) -> tensor<4xf32>
    return %0, %1, %3, %4, %6, %8, %9: tensor<4xf32>, tensor<4xf32>, tensor<1x6x8x4xi8>, tensor<4xi1>, tensor<4xi32>,tensor<4xf32>,tensor<4xf32>
  }
}
