// A kernel for the index of the maximum of each row pads the last tile with 0.
// Wrong: of rows below zero the index is behind their end.
// Right: padding is -inf, which is greater than nothing.
// seen: tenstorrent/tt-metal#7571, mirage-project/mirage#755
// relation: exact
// witness: x = full((3, 17), -2.0)

// before
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<?x?xf32> {graph.name = "x", graph.dims = ["M", "N"]})
    -> (tensor<?xi32> {graph.name = "y"}) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %lowest = arith.constant 0xFF800000 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %e = tensor.empty(%m) : tensor<?xf32>
  %f = linalg.fill ins(%lowest : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %ei = tensor.empty(%m) : tensor<?xi32>
  %fi = linalg.fill ins(%zero : i32) outs(%ei : tensor<?xi32>) -> tensor<?xi32>
  %best:2 = linalg.generic {indexing_maps = [#all, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%f, %fi : tensor<?xf32>, tensor<?xi32>) {
  ^bb0(%v: f32, %max: f32, %i: i32):
    %j = linalg.index 1 : index
    %k = arith.index_cast %j : index to i32
    %take = arith.cmpf ogt, %v, %max : f32
    %value = arith.select %take, %v, %max : f32
    %index = arith.select %take, %k, %i : i32
    linalg.yield %value, %index : f32, i32
  } -> (tensor<?xf32>, tensor<?xi32>)
  return %best#1 : tensor<?xi32>
}

// -----

// right
tile.kernel @argmax(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?xi32>
        {tile.name = "y", tile.dims = ["M"]})
    grid affine_map<()[x0, x1, y0] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %i = tile.program_id
  %lowest = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %iota = tile.iota : tensor<16xi32>
  %row = tile.reshape %iota : tensor<16xi32> -> tensor<1x16xi32>
  %cols = tile.broadcast %row : tensor<1x16xi32> -> tensor<8x16xi32>
  %low = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %max, %index = scf.for %k = %c0 to %steps step %c1
      iter_args(%m = %lowest, %n = %zero) -> (tensor<8xf32>, tensor<8xi32>) {
    %u = tile.load %x[%i, %k] pad -inf : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %number = arith.cmpf ord, %u, %u : tensor<8x16xf32>
    %t = arith.select %number, %u, %low : tensor<8x16xi1>, tensor<8x16xf32>
    %off = arith.muli %k, %c16 : index
    %off32 = arith.index_cast %off : index to i32
    %offs = tile.splat %off32 : i32 -> tensor<8x16xi32>
    %at = arith.addi %offs, %cols : tensor<8x16xi32>
    %p, %q = tile.reduce %t, %at axis 1 {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %greater = arith.cmpf ogt, %b, %a : f32
      %equal = arith.cmpf oeq, %b, %a : f32
      %before = arith.cmpi slt, %bi, %ai : i32
      %tie = arith.andi %equal, %before : i1
      %take = arith.ori %greater, %tie : i1
      %v = arith.select %take, %b, %a : f32
      %vi = arith.select %take, %bi, %ai : i32
      tile.yield %v, %vi : f32, i32
    } : tensor<8x16xf32>, tensor<8x16xi32> -> tensor<8xf32>, tensor<8xi32>
    %better = arith.cmpf ogt, %p, %m : tensor<8xf32>
    %next = arith.select %better, %p, %m : tensor<8xi1>, tensor<8xf32>
    %nexti = arith.select %better, %q, %n : tensor<8xi1>, tensor<8xi32>
    scf.yield %next, %nexti : tensor<8xf32>, tensor<8xi32>
  }
  tile.store %index, %y[%i] : tensor<8xi32>, !tile.view<?xi32>
}

// -----

// wrong
tile.kernel @argmax(
    %x: !tile.view<?x?xf32>
        {tile.name = "x", tile.dims = ["M", "N"]},
    %y: !tile.view<?xi32>
        {tile.name = "y", tile.dims = ["M"]})
    grid affine_map<()[x0, x1, y0] -> (x0 ceildiv 8)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  %i = tile.program_id
  %lowest = arith.constant dense<0xFF800000> : tensor<8xf32>
  %zero = arith.constant dense<0> : tensor<8xi32>
  %iota = tile.iota : tensor<16xi32>
  %row = tile.reshape %iota : tensor<16xi32> -> tensor<1x16xi32>
  %cols = tile.broadcast %row : tensor<1x16xi32> -> tensor<8x16xi32>
  %low = arith.constant dense<0xFF800000> : tensor<8x16xf32>
  %steps = tile.count %x, 1 by 16 : !tile.view<?x?xf32>
  %max, %index = scf.for %k = %c0 to %steps step %c1
      iter_args(%m = %lowest, %n = %zero) -> (tensor<8xf32>, tensor<8xi32>) {
    %u = tile.load %x[%i, %k] pad 0.0 : !tile.view<?x?xf32> -> tensor<8x16xf32>
    %number = arith.cmpf ord, %u, %u : tensor<8x16xf32>
    %t = arith.select %number, %u, %low : tensor<8x16xi1>, tensor<8x16xf32>
    %off = arith.muli %k, %c16 : index
    %off32 = arith.index_cast %off : index to i32
    %offs = tile.splat %off32 : i32 -> tensor<8x16xi32>
    %at = arith.addi %offs, %cols : tensor<8x16xi32>
    %p, %q = tile.reduce %t, %at axis 1 {
    ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
      %greater = arith.cmpf ogt, %b, %a : f32
      %equal = arith.cmpf oeq, %b, %a : f32
      %before = arith.cmpi slt, %bi, %ai : i32
      %tie = arith.andi %equal, %before : i1
      %take = arith.ori %greater, %tie : i1
      %v = arith.select %take, %b, %a : f32
      %vi = arith.select %take, %bi, %ai : i32
      tile.yield %v, %vi : f32, i32
    } : tensor<8x16xf32>, tensor<8x16xi32> -> tensor<8xf32>, tensor<8xi32>
    %better = arith.cmpf ogt, %p, %m : tensor<8xf32>
    %next = arith.select %better, %p, %m : tensor<8xi1>, tensor<8xf32>
    %nexti = arith.select %better, %q, %n : tensor<8xi1>, tensor<8xi32>
    scf.yield %next, %nexti : tensor<8xf32>, tensor<8xi32>
  }
  tile.store %index, %y[%i] : tensor<8xi32>, !tile.view<?xi32>
}
