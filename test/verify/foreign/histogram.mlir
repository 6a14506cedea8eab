// Counts of the numbers from 0 to 63; there are no others.
func.func @main(%x: tensor<700xi32> {graph.name = "x"},
                %before: tensor<64xi32> {graph.name = "out"})
    -> (tensor<64xi32> {graph.name = "out"}) {
  %true = arith.constant true
  %c64 = arith.constant 64 : i32
  %empty = tensor.empty() : tensor<i1>
  %init = linalg.fill ins(%true : i1) outs(%empty : tensor<i1>) -> tensor<i1>
  %all = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}
      ins(%x : tensor<700xi32>) outs(%init : tensor<i1>) {
  ^bb0(%n: i32, %good: i1):
    %is_bin = arith.cmpi ult, %n, %c64 : i32
    %both = arith.andi %is_bin, %good : i1
    linalg.yield %both : i1
  } -> tensor<i1>
  %is_good = tensor.extract %all[] : tensor<i1>
  cf.assert %is_good, "each number is a bin"
  %out = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d1)>,
                       affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<700xi32>) outs(%before : tensor<64xi32>) {
  ^bb0(%n: i32, %count: i32):
    %at = linalg.index 0 : index
    %bin = arith.index_cast %at : index to i32
    %is_here = arith.cmpi eq, %n, %bin : i32
    %one = arith.extui %is_here : i1 to i32
    %sum = arith.addi %count, %one : i32
    linalg.yield %sum : i32
  } -> tensor<64xi32>
  return %out : tensor<64xi32>
}
