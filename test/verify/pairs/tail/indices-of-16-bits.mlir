// Offsets are computed in i16.
// Wrong: from element 32,768 on they are negative.
// Right: in i64.
// relation: exact
// witness: x = full(40000, 2.0)

// before
tile.kernel @negate(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %c16 = arith.constant 16 : index
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %start = arith.muli %i, %c16 : index
  %first = arith.index_cast %start : index to i32
  %end = arith.index_cast %n : index to i32
  %iota = tile.iota : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %at = arith.addi %firsts, %iota : tensor<16xi32>
  %ends = tile.splat %end : i32 -> tensor<16xi32>
  %live = arith.cmpi slt, %at, %ends : tensor<16xi32>
  %from = tile.base %x : !tile.view<?xf32> -> !tile.ptr<f32>
  %to = tile.base %y : !tile.view<?xf32> -> !tile.ptr<f32>
  %p = tile.offset %from, %at : !tile.ptr<f32>, tensor<16xi32>
  %q = tile.offset %to, %at : !tile.ptr<f32>, tensor<16xi32>
  %t = tile.load_ptr %p mask %live : tensor<16x!tile.ptr<f32>>
  %s = arith.negf %t : tensor<16xf32>
  tile.store_ptr %s, %q mask %live : tensor<16x!tile.ptr<f32>>
}

// -----

// right
tile.kernel @negate(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %c16 = arith.constant 16 : index
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %start = arith.muli %i, %c16 : index
  %first = arith.index_cast %start : index to i64
  %end = arith.index_cast %n : index to i64
  %iota = tile.iota : tensor<16xi64>
  %firsts = tile.splat %first : i64 -> tensor<16xi64>
  %at = arith.addi %firsts, %iota : tensor<16xi64>
  %ends = tile.splat %end : i64 -> tensor<16xi64>
  %live = arith.cmpi slt, %at, %ends : tensor<16xi64>
  %from = tile.base %x : !tile.view<?xf32> -> !tile.ptr<f32>
  %to = tile.base %y : !tile.view<?xf32> -> !tile.ptr<f32>
  %p = tile.offset %from, %at : !tile.ptr<f32>, tensor<16xi64>
  %q = tile.offset %to, %at : !tile.ptr<f32>, tensor<16xi64>
  %t = tile.load_ptr %p mask %live : tensor<16x!tile.ptr<f32>>
  %s = arith.negf %t : tensor<16xf32>
  tile.store_ptr %s, %q mask %live : tensor<16x!tile.ptr<f32>>
}

// -----

// wrong
tile.kernel @negate(
    %x: !tile.view<?xf32>
        {tile.name = "x", tile.dims = ["N"]},
    %y: !tile.view<?xf32>
        {tile.name = "y", tile.dims = ["N"]})
    grid affine_map<()[x0, y0] -> (x0 ceildiv 16)> {
  %i = tile.program_id
  %c16 = arith.constant 16 : index
  %n = tile.dim %x, 0 : !tile.view<?xf32>
  %start = arith.muli %i, %c16 : index
  %first = arith.index_cast %start : index to i16
  %end = arith.index_cast %n : index to i16
  %iota = tile.iota : tensor<16xi16>
  %firsts = tile.splat %first : i16 -> tensor<16xi16>
  %at = arith.addi %firsts, %iota : tensor<16xi16>
  %ends = tile.splat %end : i16 -> tensor<16xi16>
  %live = arith.cmpi slt, %at, %ends : tensor<16xi16>
  %from = tile.base %x : !tile.view<?xf32> -> !tile.ptr<f32>
  %to = tile.base %y : !tile.view<?xf32> -> !tile.ptr<f32>
  %p = tile.offset %from, %at : !tile.ptr<f32>, tensor<16xi16>
  %q = tile.offset %to, %at : !tile.ptr<f32>, tensor<16xi16>
  %t = tile.load_ptr %p mask %live : tensor<16x!tile.ptr<f32>>
  %s = arith.negf %t : tensor<16xf32>
  tile.store_ptr %s, %q mask %live : tensor<16x!tile.ptr<f32>>
}
