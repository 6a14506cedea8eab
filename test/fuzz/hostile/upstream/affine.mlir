#map = affine_map<(d0)[s0] -> (d0 + s0, d0 floordiv 4)>
#set = affine_set<(d0)[s0] : (d0 - 10 >= 0, s0 - d0 == 0)>
func.func @affine_ops(%n: index, %x: tensor<4x8xf32>, %f: f32) -> index {
  %0 = affine.apply affine_map<(d0)[s0] -> (d0 mod 8 + s0 ceildiv 3)>(%n)[%n]
  %1 = affine.min affine_map<(d0)[s0] -> (1000, d0 + 512, s0)>(%0)[%n]
  %2 = affine.max #map(%0)[%n]
  %3:2 = affine.delinearize_index %n into (16, %n) : index, index
  %4 = affine.linearize_index disjoint [%3#0, %3#1] by (16, 224) : index
  %5 = affine.for %i = 0 to 10 step 2 iter_args(%a = %n) -> (index) {
    affine.yield %a : index
  }
  %6 = affine.if #set(%n)[%n] -> index {
    affine.yield %n : index
  } else {
    affine.yield %0 : index
  }
  affine.for %i = max #map(%n)[%n] to min #map(%n)[%n] {
  }
  affine.parallel (%i, %j) = (0, 0) to (min(10, 20), 4) step (2, 1) {
  }
  %7 = affine.parallel (%i) = (0) to (8) reduce ("addf") -> f32 {
    affine.yield %f : f32
  }
  return %5 : index
}

