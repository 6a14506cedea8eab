// The first element of each row of an online softmax. Its running maximum
// begins at 0.
// Wrong: where all scores are far below 0, all exponentials are 0.
// Right: it begins at the lowest finite number; tiles of 16 columns.
// relation: near=1e-3
// witness: x = full((3, 16), -200.0)

// before
tile.kernel @first_of_softmax(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x1xf32>
        {tile.name = "y", tile.dims = ["M", ""]})
    grid affine_map<()[x0, x1, y0, y1] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i = tile.program_id
  %first = arith.constant dense<-3.4028235e38> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %steps = tile.count %x, 1 by 8 : !tile.view<?x?xf32>
  %max, %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%m = %first, %s = %zero)
      -> (tensor<8xf32>, tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<8x8xf32>
    %p = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x8xf32> -> tensor<8xf32>
    %new = arith.maximumf %m, %p : tensor<8xf32>
    %d = arith.subf %m, %new : tensor<8xf32>
    %f = math.exp %d : tensor<8xf32>
    %n1 = tile.reshape %new : tensor<8xf32> -> tensor<8x1xf32>
    %ns = tile.broadcast %n1 : tensor<8x1xf32> -> tensor<8x8xf32>
    %g = arith.subf %t, %ns : tensor<8x8xf32>
    %e = math.exp %g : tensor<8x8xf32>
    %q = tile.reduce %e axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x8xf32> -> tensor<8xf32>
    %old = arith.mulf %s, %f : tensor<8xf32>
    %next = arith.addf %old, %q : tensor<8xf32>
    scf.yield %new, %next : tensor<8xf32>, tensor<8xf32>
  }
  %row = arith.muli %i, %c8 : index
  %x0 = tile.load %x at [%row, %c0] pad -inf : !tile.view<?x?xf32> -> tensor<8x1xf32>
  %max1 = tile.reshape %max : tensor<8xf32> -> tensor<8x1xf32>
  %sum1 = tile.reshape %sum : tensor<8xf32> -> tensor<8x1xf32>
  %c = arith.subf %x0, %max1 : tensor<8x1xf32>
  %e0 = math.exp %c : tensor<8x1xf32>
  %r = arith.divf %e0, %sum1 : tensor<8x1xf32>
  tile.store %r, %y[%i, %c0] : tensor<8x1xf32>, !tile.view<?x1xf32>
}

// -----

// right
tile.kernel @first_of_softmax(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x1xf32>
        {tile.name = "y", tile.dims = ["M", ""]})
    grid affine_map<()[x0, x1, y0, y1] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i = tile.program_id
  %first = arith.constant dense<-3.4028235e38> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %max, %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%m = %first, %s = %zero)
      -> (tensor<8xf32>, tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %p = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %new = arith.maximumf %m, %p : tensor<8xf32>
    %d = arith.subf %m, %new : tensor<8xf32>
    %f = math.exp %d : tensor<8xf32>
    %n1 = tile.reshape %new : tensor<8xf32> -> tensor<8x1xf32>
    %ns = tile.broadcast %n1 : tensor<8x1xf32> -> tensor<8x16xf32>
    %g = arith.subf %t, %ns : tensor<8x16xf32>
    %e = math.exp %g : tensor<8x16xf32>
    %q = tile.reduce %e axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x16xf32> -> tensor<8xf32>
    %old = arith.mulf %s, %f : tensor<8xf32>
    %next = arith.addf %old, %q : tensor<8xf32>
    scf.yield %new, %next : tensor<8xf32>, tensor<8xf32>
  }
  %row = arith.muli %i, %c8 : index
  %x0 = tile.load %x at [%row, %c0] pad -inf : !tile.view<?x?xf32> -> tensor<8x1xf32>
  %max1 = tile.reshape %max : tensor<8xf32> -> tensor<8x1xf32>
  %sum1 = tile.reshape %sum : tensor<8xf32> -> tensor<8x1xf32>
  %c = arith.subf %x0, %max1 : tensor<8x1xf32>
  %e0 = math.exp %c : tensor<8x1xf32>
  %r = arith.divf %e0, %sum1 : tensor<8x1xf32>
  tile.store %r, %y[%i, %c0] : tensor<8x1xf32>, !tile.view<?x1xf32>
}

// -----

// wrong
tile.kernel @first_of_softmax(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?x1xf32>
        {tile.name = "y", tile.dims = ["M", ""]})
    grid affine_map<()[x0, x1, y0, y1] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %i = tile.program_id
  %first = arith.constant dense<0.0> : tensor<8xf32>
  %zero = arith.constant dense<0.0> : tensor<8xf32>
  %steps = tile.count %x, 1 by 8 : !tile.view<?x?xf32>
  %max, %sum = scf.for %k = %c0 to %steps step %c1 iter_args(%m = %first, %s = %zero)
      -> (tensor<8xf32>, tensor<8xf32>) {
    %t = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<8x8xf32>
    %p = tile.reduce %t axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maximumf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x8xf32> -> tensor<8xf32>
    %new = arith.maximumf %m, %p : tensor<8xf32>
    %d = arith.subf %m, %new : tensor<8xf32>
    %f = math.exp %d : tensor<8xf32>
    %n1 = tile.reshape %new : tensor<8xf32> -> tensor<8x1xf32>
    %ns = tile.broadcast %n1 : tensor<8x1xf32> -> tensor<8x8xf32>
    %g = arith.subf %t, %ns : tensor<8x8xf32>
    %e = math.exp %g : tensor<8x8xf32>
    %q = tile.reduce %e axis 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : tensor<8x8xf32> -> tensor<8xf32>
    %old = arith.mulf %s, %f : tensor<8xf32>
    %next = arith.addf %old, %q : tensor<8xf32>
    scf.yield %new, %next : tensor<8xf32>, tensor<8xf32>
  }
  %row = arith.muli %i, %c8 : index
  %x0 = tile.load %x at [%row, %c0] pad -inf : !tile.view<?x?xf32> -> tensor<8x1xf32>
  %max1 = tile.reshape %max : tensor<8xf32> -> tensor<8x1xf32>
  %sum1 = tile.reshape %sum : tensor<8xf32> -> tensor<8x1xf32>
  %c = arith.subf %x0, %max1 : tensor<8x1xf32>
  %e0 = math.exp %c : tensor<8x1xf32>
  %r = arith.divf %e0, %sum1 : tensor<8x1xf32>
  tile.store %r, %y[%i, %c0] : tensor<8x1xf32>, !tile.view<?x1xf32>
}
