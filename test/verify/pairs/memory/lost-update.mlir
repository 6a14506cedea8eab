// An atomic addition becomes a load, a sum and a store.
// Wrong: where two elements of a tile have the same address, one addition is
// lost.
// Right: a stronger order.
// relation: exact
// friendly: x = r.integers(0, 9, 16)
// friendly: i = r.permutation(16)
// friendly: u = r.integers(0, 9, 16)
// witness: x = zeros(16)
// witness: i = [3, 3, 5]
// witness: u = [1, 2, 3]

// before
tile.kernel @add_at(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %i: !tile.view<?xi32>
        {tile.name = "i", tile.dims = ["K"]},
    %u: !tile.view<?xi32>
        {tile.name = "u", tile.dims = ["K"]})
    grid affine_map<()[x0, i0, u0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<16xi32>
  %n = tile.dim %x, 0 : !tile.view<?xi32>
  %size = arith.index_cast %n : index to i32
  %sizes = tile.splat %size : i32 -> tensor<16xi32>
  %base = tile.base %x : !tile.view<?xi32> -> !tile.ptr<i32>
  %steps = tile.count %i, 0 by 16 : !tile.view<?xi32>
  scf.for %k = %c0 to %steps step %c1 {
    %at = tile.load %i[%k] pad -1 : !tile.view<?xi32> -> tensor<16xi32>
    %v = tile.load %u[%k] pad 0 : !tile.view<?xi32> -> tensor<16xi32>
    %low = arith.cmpi sge, %at, %zero : tensor<16xi32>
    %high = arith.cmpi slt, %at, %sizes : tensor<16xi32>
    %live = arith.andi %low, %high : tensor<16xi1>
    %p = tile.offset %base, %at : !tile.ptr<i32>, tensor<16xi32>
    %old = tile.atomic_rmw add relaxed device %v, %p mask %live : tensor<16x!tile.ptr<i32>>
  }
}

// -----

// right
tile.kernel @add_at(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %i: !tile.view<?xi32>
        {tile.name = "i", tile.dims = ["K"]},
    %u: !tile.view<?xi32>
        {tile.name = "u", tile.dims = ["K"]})
    grid affine_map<()[x0, i0, u0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<16xi32>
  %n = tile.dim %x, 0 : !tile.view<?xi32>
  %size = arith.index_cast %n : index to i32
  %sizes = tile.splat %size : i32 -> tensor<16xi32>
  %base = tile.base %x : !tile.view<?xi32> -> !tile.ptr<i32>
  %steps = tile.count %i, 0 by 16 : !tile.view<?xi32>
  scf.for %k = %c0 to %steps step %c1 {
    %at = tile.load %i[%k] pad -1 : !tile.view<?xi32> -> tensor<16xi32>
    %v = tile.load %u[%k] pad 0 : !tile.view<?xi32> -> tensor<16xi32>
    %low = arith.cmpi sge, %at, %zero : tensor<16xi32>
    %high = arith.cmpi slt, %at, %sizes : tensor<16xi32>
    %live = arith.andi %low, %high : tensor<16xi1>
    %p = tile.offset %base, %at : !tile.ptr<i32>, tensor<16xi32>
    %old = tile.atomic_rmw add acq_rel device %v, %p mask %live : tensor<16x!tile.ptr<i32>>
  }
}

// -----

// wrong
tile.kernel @add_at(
    %x: !tile.view<?xi32>
        {tile.name = "x", tile.dims = ["N"]},
    %i: !tile.view<?xi32>
        {tile.name = "i", tile.dims = ["K"]},
    %u: !tile.view<?xi32>
        {tile.name = "u", tile.dims = ["K"]})
    grid affine_map<()[x0, i0, u0] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0> : tensor<16xi32>
  %n = tile.dim %x, 0 : !tile.view<?xi32>
  %size = arith.index_cast %n : index to i32
  %sizes = tile.splat %size : i32 -> tensor<16xi32>
  %base = tile.base %x : !tile.view<?xi32> -> !tile.ptr<i32>
  %steps = tile.count %i, 0 by 16 : !tile.view<?xi32>
  scf.for %k = %c0 to %steps step %c1 {
    %at = tile.load %i[%k] pad -1 : !tile.view<?xi32> -> tensor<16xi32>
    %v = tile.load %u[%k] pad 0 : !tile.view<?xi32> -> tensor<16xi32>
    %low = arith.cmpi sge, %at, %zero : tensor<16xi32>
    %high = arith.cmpi slt, %at, %sizes : tensor<16xi32>
    %live = arith.andi %low, %high : tensor<16xi1>
    %p = tile.offset %base, %at : !tile.ptr<i32>, tensor<16xi32>
    %old = tile.load_ptr %p mask %live : tensor<16x!tile.ptr<i32>>
    %new = arith.addi %old, %v : tensor<16xi32>
    tile.store_ptr %new, %p mask %live : tensor<16x!tile.ptr<i32>>
  }
}
