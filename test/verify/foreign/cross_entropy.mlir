func.func @main(%x: tensor<3x200xf32> {graph.name = "x"},
                %labels: tensor<3xi32> {graph.name = "labels"})
    -> (tensor<3xf32> {graph.name = "loss"},
        tensor<3x200xf32> {graph.name = "gradient"}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %row = tensor.empty() : tensor<3xf32>
  %rows = tensor.empty() : tensor<3x200xf32>
  %no_most = linalg.fill ins(%least : f32) outs(%row : tensor<3xf32>)
      -> tensor<3xf32>
  %no_sum = linalg.fill ins(%zero : f32) outs(%row : tensor<3xf32>)
      -> tensor<3xf32>
  %most = linalg.reduce ins(%x : tensor<3x200xf32>)
      outs(%no_most : tensor<3xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %max = arith.maxnumf %a, %b : f32
        linalg.yield %max : f32
      }
  %m = linalg.broadcast ins(%most : tensor<3xf32>)
      outs(%rows : tensor<3x200xf32>) dimensions = [1]
  %off = arith.subf %x, %m : tensor<3x200xf32>
  %e = math.exp %off : tensor<3x200xf32>
  %sum = linalg.reduce ins(%e : tensor<3x200xf32>)
      outs(%no_sum : tensor<3xf32>) dimensions = [1]
      (%a: f32, %b: f32) {
        %add = arith.addf %a, %b : f32
        linalg.yield %add : f32
      }
  %loss = linalg.generic {
      indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>,
                       affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]}
      ins(%labels, %most, %sum : tensor<3xi32>, tensor<3xf32>, tensor<3xf32>)
      outs(%row : tensor<3xf32>) {
  ^bb0(%label: i32, %max: f32, %total: f32, %old: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %label : i32 to index
    %own = tensor.extract %x[%i, %j] : tensor<3x200xf32>
    %log = math.log %total : f32
    %below = arith.subf %own, %max : f32
    %difference = arith.subf %log, %below : f32
    linalg.yield %difference : f32
  } -> tensor<3xf32>
  %gradient = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0)>,
                       affine_map<(d0, d1) -> (d0, d1)>,
                       affine_map<(d0, d1) -> (d0)>,
                       affine_map<(d0, d1) -> (d0, d1)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%labels, %e, %sum : tensor<3xi32>, tensor<3x200xf32>, tensor<3xf32>)
      outs(%rows : tensor<3x200xf32>) {
  ^bb0(%label: i32, %term: f32, %total: f32, %old: f32):
    %j = linalg.index 1 : index
    %column = arith.index_cast %j : index to i32
    %p = arith.divf %term, %total : f32
    %less = arith.subf %p, %one : f32
    %is_label = arith.cmpi eq, %column, %label : i32
    %d = arith.select %is_label, %less, %p : f32
    linalg.yield %d : f32
  } -> tensor<3x200xf32>
  return %loss, %gradient : tensor<3xf32>, tensor<3x200xf32>
}
