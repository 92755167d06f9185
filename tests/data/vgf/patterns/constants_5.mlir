module {
 func.func @main(%a0: tensor<4x6xi32>) -> (tensor<4x6xi32>) {
%k1 = "tosa.const"() <{values = dense<1> : tensor<4x6xi32>}> : () -> tensor<4x6xi32>
%k2 = "tosa.const"() <{values = dense<2> : tensor<4x6xi32>}> : () -> tensor<4x6xi32>
%t1 = tosa.add %k1, %k2 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
%r1 = tosa.add %a0, %t1 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
%k3 = "tosa.const"() <{values = dense<10> : tensor<4x6xi32>}> : () -> tensor<4x6xi32>
%t2 = tosa.add %k3, %k2 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
%r2 = tosa.add %r1, %t2 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
%k4 = "tosa.const"() <{values = dense<20> : tensor<4x6xi32>}> : () -> tensor<4x6xi32>
%t3 = tosa.add %k4, %k1 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
%r3 = tosa.add %r2, %t3 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
%k5 = "tosa.const"() <{values = dense<33> : tensor<4x6xi32>}> : () -> tensor<4x6xi32>
%r4 = tosa.add %r3, %k5 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
 return %r4 : tensor<4x6xi32>
 }
}
