module {
 func.func @main(%a0: tensor<4xi1>) -> (tensor<4xi1>, tensor<4xi16>, tensor<4xi32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xi1>, tensor<4xi8>, tensor<4xi16>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>) {
%m0 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi8>
%r0 = tosa.cast %m0 : (tensor<4xi8>) -> tensor<4xi1>
%m1 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi8>
%r1 = tosa.cast %m1 : (tensor<4xi8>) -> tensor<4xi16>
%m2 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi8>
%r2 = tosa.cast %m2 : (tensor<4xi8>) -> tensor<4xi32>
%m3 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi8>
%r3 = tosa.cast %m3 : (tensor<4xi8>) -> tensor<4xf16>
%m4 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi8>
%r4 = tosa.cast %m4 : (tensor<4xi8>) -> tensor<4xbf16>
%m5 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi8>
%r5 = tosa.cast %m5 : (tensor<4xi8>) -> tensor<4xf32>
%m6 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi16>
%r6 = tosa.cast %m6 : (tensor<4xi16>) -> tensor<4xi1>
%m7 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi16>
%r7 = tosa.cast %m7 : (tensor<4xi16>) -> tensor<4xi8>
%m8 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi16>
%r8 = tosa.cast %m8 : (tensor<4xi16>) -> tensor<4xi32>
%m9 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi16>
%r9 = tosa.cast %m9 : (tensor<4xi16>) -> tensor<4xf16>
%m10 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi16>
%r10 = tosa.cast %m10 : (tensor<4xi16>) -> tensor<4xbf16>
%m11 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi16>
%r11 = tosa.cast %m11 : (tensor<4xi16>) -> tensor<4xf32>
%m12 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi32>
%r12 = tosa.cast %m12 : (tensor<4xi32>) -> tensor<4xi1>
%m13 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi32>
%r13 = tosa.cast %m13 : (tensor<4xi32>) -> tensor<4xi8>
%m14 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi32>
%r14 = tosa.cast %m14 : (tensor<4xi32>) -> tensor<4xi16>
%m15 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi32>
%r15 = tosa.cast %m15 : (tensor<4xi32>) -> tensor<4xf16>
%m16 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi32>
%r16 = tosa.cast %m16 : (tensor<4xi32>) -> tensor<4xbf16>
%m17 = tosa.cast %a0 : (tensor<4xi1>) -> tensor<4xi32>
%r17 = tosa.cast %m17 : (tensor<4xi32>) -> tensor<4xf32>
 return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17 : tensor<4xi1>, tensor<4xi16>, tensor<4xi32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xi1>, tensor<4xi8>, tensor<4xi32>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xi1>, tensor<4xi8>, tensor<4xi16>, tensor<4xf16>, tensor<4xbf16>, tensor<4xf32>
 }
}
