module {
 func.func @main(%a0: tensor<4xi32>, %a1: tensor<1xi32>, %a2: tensor<4xf32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<1xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
%z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
%z4 = "tosa.const"() <{values = dense<0> : tensor<4xi32>}> : () -> tensor<4xi32>
%one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
%seven = "tosa.const"() <{values = dense<7> : tensor<4xi32>}> : () -> tensor<4xi32>
%two = "tosa.const"() <{values = dense<-2> : tensor<4xi32>}> : () -> tensor<4xi32>
%fz = "tosa.const"() <{values = dense<-0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
%f3 = "tosa.const"() <{values = dense<3.0> : tensor<4xf32>}> : () -> tensor<4xf32>
%f4 = "tosa.const"() <{values = dense<0.1> : tensor<4xf32>}> : () -> tensor<4xf32>
%b0 = tosa.add %a0, %z : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
%b1 = tosa.add %a1, %z4 : (tensor<1xi32>, tensor<4xi32>) -> tensor<4xi32>
%b2 = tosa.add %z, %a1 : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
%b3 = tosa.sub %a0, %z : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
%b4 = tosa.sub %z, %a0 : (tensor<1xi32>, tensor<4xi32>) -> tensor<4xi32>
%b5 = tosa.intdiv %a0, %one : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
%b6 = tosa.intdiv %seven, %two : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
%b7 = tosa.intdiv %z4, %a0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
%b8 = tosa.add %a2, %fz : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
%b9 = tosa.add %f3, %f4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%b10 = tosa.sub %f3, %f4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
%b11 = tosa.intdiv %seven, %one : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
%b12 = tosa.add %seven, %one : (tensor<4xi32>, tensor<1xi32>) -> tensor<4xi32>
%b13 = tosa.sub %one, %seven : (tensor<1xi32>, tensor<4xi32>) -> tensor<4xi32>
 return %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7, %b8, %b9, %b10, %b11, %b12, %b13 : tensor<4xi32>, tensor<4xi32>, tensor<1xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
 }
}
