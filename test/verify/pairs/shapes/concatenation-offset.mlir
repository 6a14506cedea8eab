// The second part of a concatenation begins where the second part is long, not
// the first.
// Wrong: for parts of different lengths.
// Right: the second part is aligned to the end.
// relation: exact
// witness: x = [1.0, 2.0, 3.0]
// witness: y = [4.0, 5.0]

// before
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %r = tensor.concat dim(0) %x, %y
      : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// right
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %size = arith.addi %m, %n : index
  %e = tensor.empty(%size) : tensor<?xf32>
  %at = arith.subi %size, %n : index
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %t = tensor.insert_slice %x into %f[0] [%m] [1]
      : tensor<?xf32> into tensor<?xf32>
  %r = tensor.insert_slice %y into %t[%at] [%n] [1]
      : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}

// -----

// wrong
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %size = arith.addi %m, %n : index
  %e = tensor.empty(%size) : tensor<?xf32>
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %t = tensor.insert_slice %x into %f[0] [%m] [1]
      : tensor<?xf32> into tensor<?xf32>
  %r = tensor.insert_slice %y into %t[%n] [%n] [1]
      : tensor<?xf32> into tensor<?xf32>
  return %r : tensor<?xf32>
}
