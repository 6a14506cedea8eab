// The maximum of windows of two pads an odd length with 0.
// Wrong: of a last element below zero it is 0.
// Right: padding is the lowest number, and the maxima begin there, except for
// NaN, which passes.
// relation: exact
// witness: x = full(17, -3.0)

// before
#window = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#kernel = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
#same = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %init = arith.constant 0xFF800000 : f32
  %padding = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.ceildivui %n, %c2 : index
  %even = arith.muli %m, %c2 : index
  %more = arith.subi %even, %n : index
  %p = tensor.pad %x low[0] high[%more] {
  ^bb0(%i: index):
    tensor.yield %padding : f32
  } : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%init : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %w = tensor.empty() : tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#window, #kernel, #out],
      iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<?xf32>, tensor<2xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %k: f32, %acc: f32):
    %t = arith.maximumf %acc, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// right
#window = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#kernel = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
#same = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %init = arith.constant 0xFF800000 : f32
  %padding = arith.constant 0xFF800000 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.ceildivui %n, %c2 : index
  %even = arith.muli %m, %c2 : index
  %more = arith.subi %even, %n : index
  %p = tensor.pad %x low[0] high[%more] {
  ^bb0(%i: index):
    tensor.yield %padding : f32
  } : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%init : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %w = tensor.empty() : tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#window, #kernel, #out],
      iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<?xf32>, tensor<2xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %k: f32, %acc: f32):
    %greater = arith.cmpf ugt, %v, %acc : f32
    %number = arith.cmpf ord, %acc, %acc : f32
    %take = arith.andi %greater, %number : i1
    %u = arith.select %take, %v, %acc : f32
    %t = arith.maximumf %u, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}

// -----

// wrong
#window = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#kernel = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
#same = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %init = arith.constant 0xFF800000 : f32
  %padding = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = arith.ceildivui %n, %c2 : index
  %even = arith.muli %m, %c2 : index
  %more = arith.subi %even, %n : index
  %p = tensor.pad %x low[0] high[%more] {
  ^bb0(%i: index):
    tensor.yield %padding : f32
  } : tensor<?xf32> to tensor<?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%init : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %w = tensor.empty() : tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#window, #kernel, #out],
      iterator_types = ["parallel", "reduction"]}
      ins(%p, %w : tensor<?xf32>, tensor<2xf32>) outs(%f : tensor<?xf32>) {
  ^bb0(%v: f32, %k: f32, %acc: f32):
    %t = arith.maximumf %acc, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  return %s : tensor<?xf32>
}
