module {
 func.func @main(%a0: tensor<4xf32>, %a1: tensor<1x4xi32>) -> (tensor<4xf32>, tensor<4xf16>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xf16>, tensor<4xf32>, tensor<4xi32>, tensor<4xbf16>, tensor<4xf8E4M3FN>) {
%f3 = "tosa.const"() <{values = dense<3.0> : tensor<4xf32>}> : () -> tensor<4xf32>
%f16 = "tosa.const"() <{values = dense<0.3> : tensor<4xf16>}> : () -> tensor<4xf16>
%i7 = "tosa.const"() <{values = dense<-7> : tensor<4xi32>}> : () -> tensor<4xi32>
%i300 = "tosa.const"() <{values = dense<300> : tensor<4xi32>}> : () -> tensor<4xi32>
%fb = "tosa.const"() <{values = dense<1000.0> : tensor<4xf32>}> : () -> tensor<4xf32>
%fm = "tosa.const"() <{values = dense<2.5> : tensor<4xf32>}> : () -> tensor<4xf32>
%fn = "tosa.const"() <{values = dense<3.5> : tensor<4xf32>}> : () -> tensor<4xf32>
%b0 = tosa.reciprocal %f3 : (tensor<4xf32>) -> tensor<4xf32>
%b1 = tosa.reciprocal %f16 : (tensor<4xf16>) -> tensor<4xf16>
%b2 = tosa.cast %f3 : (tensor<4xf32>) -> tensor<4xi8>
%b3 = tosa.cast %i7 : (tensor<4xi32>) -> tensor<4xf32>
%b4 = tosa.cast %i300 : (tensor<4xi32>) -> tensor<4xi8>
%b5 = tosa.cast %fb : (tensor<4xf32>) -> tensor<4xi8>
%b6 = tosa.cast %fm : (tensor<4xf32>) -> tensor<4xi32>
%b7 = tosa.cast %fn : (tensor<4xf32>) -> tensor<4xi32>
%b8 = tosa.cast %i7 : (tensor<4xi32>) -> tensor<4xi1>
%b9 = tosa.cast %f3 : (tensor<4xf32>) -> tensor<4xf16>
%b10 = tosa.exp %f3 : (tensor<4xf32>) -> tensor<4xf32>
%b11 = tosa.abs %i7 : (tensor<4xi32>) -> tensor<4xi32>
%b12 = tosa.cast %fm : (tensor<4xf32>) -> tensor<4xbf16>
%b13 = tosa.cast %fb : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
 return %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %b9, %b10, %b11, %b12, %b13 : tensor<4xf32>, tensor<4xf16>, tensor<4xi8>, tensor<4xf32>, tensor<4xi8>, tensor<4xi8>, tensor<4xi32>, tensor<4xi32>, tensor<4xi1>, tensor<4xf16>, tensor<4xf32>, tensor<4xi32>, tensor<4xbf16>, tensor<4xf8E4M3FN>
 }
}
