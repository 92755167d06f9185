module {
 func.func @main(%a0: tensor<2x3xi8>, %a1: tensor<2x4xi8>) -> (tensor<2x17xi8>, tensor<2x7xi8>) {
%c = tosa.concat %a0, %a1 {axis = 1 : i32} : (tensor<2x3xi8>, tensor<2x4xi8>) -> tensor<2x7xi8>
%d = tosa.concat %c, %a0, %c {axis = 1 : i32} : (tensor<2x7xi8>, tensor<2x3xi8>, tensor<2x7xi8>) -> tensor<2x17xi8>
%e = tosa.bitwise_not %c : (tensor<2x7xi8>) -> tensor<2x7xi8>
 return %d, %e : tensor<2x17xi8>, tensor<2x7xi8>
 }
}
