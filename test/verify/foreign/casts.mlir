func.func @main(%x: tensor<512xf32> {graph.name = "x"})
    -> (tensor<512xbf16> {graph.name = "b16"},
        tensor<512xf16> {graph.name = "f16"},
        tensor<512xf8E5M2> {graph.name = "e5"},
        tensor<512xi32> {graph.name = "whole"}) {
  %hundred = arith.constant dense<100.0> : tensor<512xf32>
  %b16 = arith.truncf %x : tensor<512xf32> to tensor<512xbf16>
  %f16 = arith.truncf %x toward_zero : tensor<512xf32> to tensor<512xf16>
  %half = arith.truncf %x : tensor<512xf32> to tensor<512xf16>
  %e5 = arith.truncf %half : tensor<512xf16> to tensor<512xf8E5M2>
  %scaled = arith.mulf %x, %hundred : tensor<512xf32>
  %whole = arith.fptosi %scaled : tensor<512xf32> to tensor<512xi32>
  %byte = arith.fptosi %x : tensor<512xf32> to tensor<512xi8>
  %wide = arith.extsi %byte : tensor<512xi8> to tensor<512xi32>
  %sum = arith.addi %whole, %wide : tensor<512xi32>
  return %b16, %f16, %e5, %sum
      : tensor<512xbf16>, tensor<512xf16>, tensor<512xf8E5M2>, tensor<512xi32>
}
