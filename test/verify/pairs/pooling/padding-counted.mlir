// An average over windows of two pads an odd length. The padding becomes part
// of the average.
// Wrong: the last window has one element, and its sum is divided by 2.
// Right: the divisor is the length that is left, but at most 2.
// seen: onnx/optimizer#108, microsoft/onnxruntime#23190
// relation: exact
// witness: x = full(17, 3.0)

// before
#window = affine_map<(d0, d1) -> (d0 * 2 + d1)>
#kernel = affine_map<(d0, d1) -> (d1)>
#out = affine_map<(d0, d1) -> (d0)>
#same = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %init = arith.constant 0.0 : f32
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
    %t = arith.addf %acc, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %first = arith.muli %i, %c2 : index
    %left = arith.subi %n, %first : index
    %size = arith.minui %left, %c2 : index
    %size32 = arith.index_cast %size : index to i32
    %d = arith.sitofp %size32 : i32 to f32
    %q = arith.divf %v, %d : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
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
  %init = arith.constant 0.0 : f32
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
    %t = arith.addf %acc, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %i = linalg.index 0 : index
    %first = arith.muli %i, %c2 : index
    %last = arith.addi %first, %c2 : index
    %whole = arith.cmpi ule, %last, %n : index
    %two = arith.constant 2.0 : f32
    %one = arith.constant 1.0 : f32
    %d = arith.select %whole, %two, %one : f32
    %q = arith.divf %v, %d : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
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
  %init = arith.constant 0.0 : f32
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
    %t = arith.addf %acc, %v : f32
    linalg.yield %t : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#same, #same],
      iterator_types = ["parallel"]}
      ins(%s : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%v: f32, %o: f32):
    %d = arith.constant 2.0 : f32
    %q = arith.divf %v, %d : f32
    linalg.yield %q : f32
  } -> tensor<?xf32>
  return %y : tensor<?xf32>
}
