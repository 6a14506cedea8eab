func.func @tensor_ops(%x: tensor<4x8xf32>, %i: tensor<2x3x2xindex>, %d: tensor<?x8xf32>, %u: tensor<*xf32>, %f: f32) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%c1) : tensor<?x8xf32>
  %g = tensor.gather %x[%i] gather_dims([0, 1]) : (tensor<4x8xf32>, tensor<2x3x2xindex>) -> tensor<2x3x1x1xf32>
  %s = tensor.scatter %g into %x[%i] scatter_dims([0, 1]) unique : (tensor<2x3x1x1xf32>, tensor<4x8xf32>, tensor<2x3x2xindex>) -> tensor<4x8xf32>
  %p = tensor.pad %x low[1, %c1] high[0, 2] {
  ^bb0(%a: index, %b: index):
    tensor.yield %f : f32
  } : tensor<4x8xf32> to tensor<5x?xf32>
  %n = tensor.generate %c0, %c1 {
  ^bb0(%a: index, %b: index):
    tensor.yield %f : f32
  } : tensor<?x?xf32>
  %l = tensor.splat %f : tensor<4x8xf32>
  %m = tensor.splat %f[%c0, %c1] : tensor<?x20x?xf32>
  %fe = tensor.from_elements %f, %f, %f, %f : tensor<2x2xf32>
  %ex = tensor.extract %x[%c0, %c1] : tensor<4x8xf32>
  %in = tensor.insert %f into %x[%c0, %c1] : tensor<4x8xf32>
  %sl = tensor.extract_slice %x[0, 2] [4, 2] [1, 3] : tensor<4x8xf32> to tensor<4x2xf32>
  %is = tensor.insert_slice %sl into %x[0, 2] [4, 2] [1, 3] : tensor<4x2xf32> into tensor<4x8xf32>
  %co = tensor.collapse_shape %x [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %xp = tensor.expand_shape %x [[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xf32> into tensor<2x2x8xf32>
  %xq = tensor.expand_shape %d [[0, 1], [2]] output_shape [%c1, 2, 8] : tensor<?x8xf32> into tensor<?x2x8xf32>
  %ct = tensor.concat dim(1) %x, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %ca = tensor.cast %x : tensor<4x8xf32> to tensor<?x?xf32>
  %cu = tensor.cast %u : tensor<*xf32> to tensor<?x?xf32>
  %ra = tensor.rank %u : tensor<*xf32>
  %di = tensor.dim %d, %c0 : tensor<?x8xf32>
  %bc = tensor.bitcast %x : tensor<4x8xf32> to tensor<4x8xi32>
  %sh = tensor.from_elements %c0, %c1 : tensor<2xindex>
  %rs = tensor.reshape %x(%sh) : (tensor<4x8xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %is : tensor<4x8xf32>
}

