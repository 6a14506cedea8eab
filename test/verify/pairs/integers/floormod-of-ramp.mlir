// floormod(x + lane, 20) of a vector of 8 lanes becomes floormod(x, 20) + lane.
// Wrong: where the lanes reach the next multiple of 20.
// Right: from there on 20 is subtracted.
// seen: apache/tvm#8616
// relation: exact
// witness: x = [16, 3, 40]

// before
#base = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<16xi32>) -> tensor<16x8xi32> {
  %zero = arith.constant dense<0> : tensor<16xi32>
  %most = arith.constant dense<1000000> : tensor<16xi32>
  %low = arith.maxsi %x, %zero : tensor<16xi32>
  %start = arith.minsi %low, %most : tensor<16xi32>
  %e = tensor.empty() : tensor<16x8xi32>
  %y = linalg.generic {indexing_maps = [#base, #all],
      iterator_types = ["parallel", "parallel"]}
      ins(%start : tensor<16xi32>) outs(%e : tensor<16x8xi32>) {
  ^bb0(%v: i32, %o: i32):
    %c20 = arith.constant 20 : i32
    %j = linalg.index 1 : index
    %lane = arith.index_cast %j : index to i32
    %s = arith.addi %v, %lane : i32
    %r = arith.remsi %s, %c20 : i32
    linalg.yield %r : i32
  } -> tensor<16x8xi32>
  return %y : tensor<16x8xi32>
}

// -----

// right
#base = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<16xi32>) -> tensor<16x8xi32> {
  %zero = arith.constant dense<0> : tensor<16xi32>
  %most = arith.constant dense<1000000> : tensor<16xi32>
  %low = arith.maxsi %x, %zero : tensor<16xi32>
  %start = arith.minsi %low, %most : tensor<16xi32>
  %e = tensor.empty() : tensor<16x8xi32>
  %y = linalg.generic {indexing_maps = [#base, #all],
      iterator_types = ["parallel", "parallel"]}
      ins(%start : tensor<16xi32>) outs(%e : tensor<16x8xi32>) {
  ^bb0(%v: i32, %o: i32):
    %c20 = arith.constant 20 : i32
    %j = linalg.index 1 : index
    %lane = arith.index_cast %j : index to i32
    %m = arith.remsi %v, %c20 : i32
    %s = arith.addi %m, %lane : i32
    %over = arith.cmpi sge, %s, %c20 : i32
    %t = arith.subi %s, %c20 : i32
    %r = arith.select %over, %t, %s : i32
    linalg.yield %r : i32
  } -> tensor<16x8xi32>
  return %y : tensor<16x8xi32>
}

// -----

// wrong
#base = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<16xi32>) -> tensor<16x8xi32> {
  %zero = arith.constant dense<0> : tensor<16xi32>
  %most = arith.constant dense<1000000> : tensor<16xi32>
  %low = arith.maxsi %x, %zero : tensor<16xi32>
  %start = arith.minsi %low, %most : tensor<16xi32>
  %e = tensor.empty() : tensor<16x8xi32>
  %y = linalg.generic {indexing_maps = [#base, #all],
      iterator_types = ["parallel", "parallel"]}
      ins(%start : tensor<16xi32>) outs(%e : tensor<16x8xi32>) {
  ^bb0(%v: i32, %o: i32):
    %c20 = arith.constant 20 : i32
    %j = linalg.index 1 : index
    %lane = arith.index_cast %j : index to i32
    %m = arith.remsi %v, %c20 : i32
    %r = arith.addi %m, %lane : i32
    linalg.yield %r : i32
  } -> tensor<16x8xi32>
  return %y : tensor<16x8xi32>
}
