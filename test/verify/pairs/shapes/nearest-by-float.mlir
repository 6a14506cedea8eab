// The nearest source of element i of a resize, i * n / m rounded down, is
// computed as i * (n / m) in f32.
// Wrong: where the quotient is no float, the product may end below a whole
// number.
// Right: unsigned numbers.
// seen: microsoft/onnxruntime#18956
// relation: exact
// witness: x = arange(29.0)
// witness: to = zeros(41 * 29)

// before
func.func @main(%x: tensor<?xf32>, %to: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %to, %c0 : tensor<?xf32>
  %y = tensor.generate %m {
  ^bb0(%i: index):
    %p = arith.muli %i, %n : index
    %k = arith.divsi %p, %m : index
    %v = tensor.extract %x[%k] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// right
func.func @main(%x: tensor<?xf32>, %to: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %to, %c0 : tensor<?xf32>
  %y = tensor.generate %m {
  ^bb0(%i: index):
    %p = arith.muli %n, %i : index
    %k = arith.divui %p, %m : index
    %v = tensor.extract %x[%k] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// wrong
func.func @main(%x: tensor<?xf32>, %to: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %m = tensor.dim %to, %c0 : tensor<?xf32>
  %y = tensor.generate %m {
  ^bb0(%i: index):
    %n32 = arith.index_cast %n : index to i32
    %m32 = arith.index_cast %m : index to i32
    %i32 = arith.index_cast %i : index to i32
    %nf = arith.sitofp %n32 : i32 to f32
    %mf = arith.sitofp %m32 : i32 to f32
    %if = arith.sitofp %i32 : i32 to f32
    %scale = arith.divf %nf, %mf : f32
    %p = arith.mulf %if, %scale : f32
    %k32 = arith.fptosi %p : f32 to i32
    %k = arith.index_cast %k32 : i32 to index
    %v = tensor.extract %x[%k] : tensor<?xf32>
    tensor.yield %v : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}
