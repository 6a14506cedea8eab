// The mask of the last tile is i <= n.
// Wrong: one element behind the array is read and written.
// Right: the mask as an unsigned comparison.
// relation: exact
// witness: x = full(17, 2.0)

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
  %first = arith.index_cast %start : index to i32
  %end = arith.index_cast %n : index to i32
  %iota = tile.iota : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %at = arith.addi %firsts, %iota : tensor<16xi32>
  %ends = tile.splat %end : i32 -> tensor<16xi32>
  %live = arith.cmpi ult, %at, %ends : tensor<16xi32>
  %from = tile.base %x : !tile.view<?xf32> -> !tile.ptr<f32>
  %to = tile.base %y : !tile.view<?xf32> -> !tile.ptr<f32>
  %p = tile.offset %from, %at : !tile.ptr<f32>, tensor<16xi32>
  %q = tile.offset %to, %at : !tile.ptr<f32>, tensor<16xi32>
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
  %first = arith.index_cast %start : index to i32
  %end = arith.index_cast %n : index to i32
  %iota = tile.iota : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %at = arith.addi %firsts, %iota : tensor<16xi32>
  %ends = tile.splat %end : i32 -> tensor<16xi32>
  %live = arith.cmpi sle, %at, %ends : tensor<16xi32>
  %from = tile.base %x : !tile.view<?xf32> -> !tile.ptr<f32>
  %to = tile.base %y : !tile.view<?xf32> -> !tile.ptr<f32>
  %p = tile.offset %from, %at : !tile.ptr<f32>, tensor<16xi32>
  %q = tile.offset %to, %at : !tile.ptr<f32>, tensor<16xi32>
  %t = tile.load_ptr %p mask %live : tensor<16x!tile.ptr<f32>>
  %s = arith.negf %t : tensor<16xf32>
  tile.store_ptr %s, %q mask %live : tensor<16x!tile.ptr<f32>>
}
