// Steps until 1: half of an even number, 3 n + 1 of an odd one.
func.func @main(%x: tensor<8xi32> {graph.name = "x"})
    -> (tensor<8xi32> {graph.name = "out"}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %empty = tensor.empty() : tensor<8xi32>
  %out = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%x : tensor<8xi32>) outs(%empty : tensor<8xi32>) {
  ^bb0(%start: i32, %old: i32):
    %end, %steps = scf.while (%n = %start, %k = %c0) : (i32, i32)
        -> (i32, i32) {
      %goes = arith.cmpi sgt, %n, %c1 : i32
      scf.condition(%goes) %n, %k : i32, i32
    } do {
    ^bb0(%n: i32, %k: i32):
      %rest = arith.remsi %n, %c2 : i32
      %is_even = arith.cmpi eq, %rest, %c0 : i32
      %half = arith.divsi %n, %c2 : i32
      %three = arith.muli %n, %c3 : i32
      %more = arith.addi %three, %c1 : i32
      %next = arith.select %is_even, %half, %more : i32
      %k1 = arith.addi %k, %c1 : i32
      scf.yield %next, %k1 : i32, i32
    }
    linalg.yield %steps : i32
  } -> tensor<8xi32>
  return %out : tensor<8xi32>
}
