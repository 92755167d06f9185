module {
 func.func @main(%a0: tensor<4xi32>, %a1: tensor<4xi8>, %a2: tensor<1xi32>) -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<1xi32>, tensor<4xi32>, tensor<4xi32>, tensor<1xi32>) {
%sh0 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
%sh3 = "tosa.const"() <{values = dense<3> : tensor<1xi8>}> : () -> tensor<1xi8>
%one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
%eight = "tosa.const"() <{values = dense<8> : tensor<1xi32>}> : () -> tensor<1xi32>
%z8 = "tosa.const"() <{values = dense<0> : tensor<4xi8>}> : () -> tensor<4xi8>
%o8 = "tosa.const"() <{values = dense<1> : tensor<4xi8>}> : () -> tensor<4xi8>
%z = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
%m0 = tosa.mul %a0, %one, %sh0 : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<4xi32>
%m1 = tosa.mul %a0, %eight, %sh3 : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<4xi32>
%m2 = tosa.mul %a0, %one, %sh3 : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<4xi32>
%m3 = tosa.mul %a1, %z8, %sh0 : (tensor<4xi8>, tensor<4xi8>, tensor<1xi8>) -> tensor<4xi32>
%m4 = tosa.mul %a1, %o8, %sh0 : (tensor<4xi8>, tensor<4xi8>, tensor<1xi8>) -> tensor<4xi32>
%m5 = tosa.mul %one, %eight, %sh3 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1xi32>
%m6 = tosa.mul %a0, %z, %sh3 : (tensor<4xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<4xi32>
%m7 = tosa.mul %z8, %o8, %sh0 : (tensor<4xi8>, tensor<4xi8>, tensor<1xi8>) -> tensor<4xi32>
%m8 = tosa.mul %a2, %one, %sh0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi8>) -> tensor<1xi32>
 return %m0, %m1, %m2, %m3, %m4, %m5, %m6, %m7, %m8 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<1xi32>, tensor<4xi32>, tensor<4xi32>, tensor<1xi32>
 }
}
