// The partial results of two reductions are in shared memory, one after the
// other.
// Wrong: the second one takes the memory of the first one, which other warps
// may still read.
// Right: each has its own.
// seen: facebookexperimental/triton#1993
// relation: exact
// schedule: warps=4 stages=2

// before
tile.kernel @ranges(%x: !tile.view<1024xf32> {tile.name = "x"}, %y: !tile.view<1024xf32> {tile.name = "y"})
    grid affine_map<()[m, m1] -> (1)> {
  %c0 = arith.constant 0 : index
  %t = tile.load %x[%c0] : !tile.view<1024xf32> -> tensor<1024xf32>
  %max = tile.reduce %t axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  } : tensor<1024xf32> -> tensor<f32>
  %min = tile.reduce %t axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.minimumf %a, %b : f32
    tile.yield %c : f32
  } : tensor<1024xf32> -> tensor<f32>
  %r = arith.subf %max, %min : tensor<f32>
  %r1 = tile.reshape %r : tensor<f32> -> tensor<1xf32>
  %rs = tile.broadcast %r1 : tensor<1xf32> -> tensor<1024xf32>
  %q = arith.divf %t, %rs : tensor<1024xf32>
  tile.store %q, %y[%c0] : tensor<1024xf32>, !tile.view<1024xf32>
}

// -----

// right
#row = #tilegpu.layout<"registers cell=1024 register=(1),(2),(512) lane=(4),(8),(16),(32),(64) warp=(128),(256)">
#warps = #tilegpu.layout<"registers cell=4 lane=(0),(0),(0),(0),(0) warp=(1),(2)">
#lanes = #tilegpu.layout<"registers cell=4 lane=(1),(2),(0),(0),(0) warp=(0),(0)">
#one = #tilegpu.layout<"registers cell=1 lane=(0),(0),(0),(0),(0) warp=(0),(0)">
#scalar = #tilegpu.layout<"registers cell=scalar lane=(),(),(),(),() warp=(),()">
#shared = #tilegpu.layout<"memory cell=4 offset=(1),(2)">
tile.kernel @ranges(
    %arg0: !tile.view<1024xf32> {tile.align = 16 : i64, tile.name = "x"},
    %arg1: !tile.view<1024xf32> {tile.align = 16 : i64, tile.name = "y"})
    attributes {tile.schedule =
      #tile.schedule<warps = 4, vector_bits = 128, stages = 2>,
      tilegpu.shared = 32 : i64, tilegpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %0 = tile.load %arg0[%c0] : !tile.view<1024xf32> -> tensor<1024xf32, #row>
  %1 = tilegpu.reduce %0 axis 0 {
  ^bb0(%arg2: f32, %arg3: f32):
    %15 = arith.maximumf %arg2, %arg3 : f32
    tilegpu.yield %15 : f32
  } : tensor<1024xf32, #row> -> tensor<4xf32, #warps>
  %2 = tilegpu.alloc offset 0 : <4xf32, #shared>
  tilegpu.store_shared %1, %2
      : tensor<4xf32, #warps>, !tilegpu.shared<4xf32, #shared>
  tilegpu.barrier
  %3 = tilegpu.load_shared %2
      : !tilegpu.shared<4xf32, #shared> -> tensor<4xf32, #lanes>
  %4 = tilegpu.reduce %3 axis 0 {
  ^bb0(%arg2: f32, %arg3: f32):
    %15 = arith.maximumf %arg2, %arg3 : f32
    tilegpu.yield %15 : f32
  } : tensor<4xf32, #lanes> -> tensor<1xf32, #one>
  %5 = tile.reshape %4 : tensor<1xf32, #one> -> tensor<f32, #scalar>
  %6 = tilegpu.reduce %0 axis 0 {
  ^bb0(%arg2: f32, %arg3: f32):
    %15 = arith.minimumf %arg2, %arg3 : f32
    tilegpu.yield %15 : f32
  } : tensor<1024xf32, #row> -> tensor<4xf32, #warps>
  %7 = tilegpu.alloc offset 16 : <4xf32, #shared>
  tilegpu.store_shared %6, %7
      : tensor<4xf32, #warps>, !tilegpu.shared<4xf32, #shared>
  tilegpu.barrier
  %8 = tilegpu.load_shared %7
      : !tilegpu.shared<4xf32, #shared> -> tensor<4xf32, #lanes>
  %9 = tilegpu.reduce %8 axis 0 {
  ^bb0(%arg2: f32, %arg3: f32):
    %15 = arith.minimumf %arg2, %arg3 : f32
    tilegpu.yield %15 : f32
  } : tensor<4xf32, #lanes> -> tensor<1xf32, #one>
  %10 = tile.reshape %9 : tensor<1xf32, #one> -> tensor<f32, #scalar>
  %11 = arith.subf %5, %10 : tensor<f32, #scalar>
  %12 = tile.reshape %11 : tensor<f32, #scalar> -> tensor<1xf32, #one>
  %13 = tile.broadcast %12 : tensor<1xf32, #one> -> tensor<1024xf32, #row>
  %14 = arith.divf %0, %13 : tensor<1024xf32, #row>
  tile.store %14, %arg1[%c0] : tensor<1024xf32, #row>, !tile.view<1024xf32>
}

// -----

// wrong
#row = #tilegpu.layout<"registers cell=1024 register=(1),(2),(512) lane=(4),(8),(16),(32),(64) warp=(128),(256)">
#warps = #tilegpu.layout<"registers cell=4 lane=(0),(0),(0),(0),(0) warp=(1),(2)">
#lanes = #tilegpu.layout<"registers cell=4 lane=(1),(2),(0),(0),(0) warp=(0),(0)">
#one = #tilegpu.layout<"registers cell=1 lane=(0),(0),(0),(0),(0) warp=(0),(0)">
#scalar = #tilegpu.layout<"registers cell=scalar lane=(),(),(),(),() warp=(),()">
#shared = #tilegpu.layout<"memory cell=4 offset=(1),(2)">
tile.kernel @ranges(
    %arg0: !tile.view<1024xf32> {tile.align = 16 : i64, tile.name = "x"},
    %arg1: !tile.view<1024xf32> {tile.align = 16 : i64, tile.name = "y"})
    attributes {tile.schedule =
      #tile.schedule<warps = 4, vector_bits = 128, stages = 2>,
      tilegpu.shared = 32 : i64, tilegpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %0 = tile.load %arg0[%c0] : !tile.view<1024xf32> -> tensor<1024xf32, #row>
  %1 = tilegpu.reduce %0 axis 0 {
  ^bb0(%arg2: f32, %arg3: f32):
    %15 = arith.maximumf %arg2, %arg3 : f32
    tilegpu.yield %15 : f32
  } : tensor<1024xf32, #row> -> tensor<4xf32, #warps>
  %2 = tilegpu.alloc offset 0 : <4xf32, #shared>
  tilegpu.store_shared %1, %2
      : tensor<4xf32, #warps>, !tilegpu.shared<4xf32, #shared>
  tilegpu.barrier
  %3 = tilegpu.load_shared %2
      : !tilegpu.shared<4xf32, #shared> -> tensor<4xf32, #lanes>
  %4 = tilegpu.reduce %3 axis 0 {
  ^bb0(%arg2: f32, %arg3: f32):
    %15 = arith.maximumf %arg2, %arg3 : f32
    tilegpu.yield %15 : f32
  } : tensor<4xf32, #lanes> -> tensor<1xf32, #one>
  %5 = tile.reshape %4 : tensor<1xf32, #one> -> tensor<f32, #scalar>
  %6 = tilegpu.reduce %0 axis 0 {
  ^bb0(%arg2: f32, %arg3: f32):
    %15 = arith.minimumf %arg2, %arg3 : f32
    tilegpu.yield %15 : f32
  } : tensor<1024xf32, #row> -> tensor<4xf32, #warps>
  %7 = tilegpu.alloc offset 0 : <4xf32, #shared>
  tilegpu.store_shared %6, %7
      : tensor<4xf32, #warps>, !tilegpu.shared<4xf32, #shared>
  tilegpu.barrier
  %8 = tilegpu.load_shared %7
      : !tilegpu.shared<4xf32, #shared> -> tensor<4xf32, #lanes>
  %9 = tilegpu.reduce %8 axis 0 {
  ^bb0(%arg2: f32, %arg3: f32):
    %15 = arith.minimumf %arg2, %arg3 : f32
    tilegpu.yield %15 : f32
  } : tensor<4xf32, #lanes> -> tensor<1xf32, #one>
  %10 = tile.reshape %9 : tensor<1xf32, #one> -> tensor<f32, #scalar>
  %11 = arith.subf %5, %10 : tensor<f32, #scalar>
  %12 = tile.reshape %11 : tensor<f32, #scalar> -> tensor<1xf32, #one>
  %13 = tile.broadcast %12 : tensor<1xf32, #one> -> tensor<1024xf32, #row>
  %14 = arith.divf %0, %13 : tensor<1024xf32, #row>
  tile.store %14, %arg1[%c0] : tensor<1024xf32, #row>, !tile.view<1024xf32>
}
