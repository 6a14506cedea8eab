// The layouts of an op's tiles satisfy its relation at the end of the scheduled
// level.
// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -pass-pipeline='builtin.module(tile.kernel(verify-scheduled-form))'

#x = #tilegpu.layout<"blocked shape=64 per-thread=1 lanes=32 warps=2">
#y = #tilegpu.layout<"blocked shape=64 per-thread=2 lanes=32 warps=1">
tile.kernel @elementwise() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  // expected-note @+1 {{the operand is defined here}}
  %a = arith.constant dense<1.0> : tensor<64xf32, #x>
  // expected-error @+1 {{tile.convert: expected operand 0 with registers cell=64 register=(1) lane=(2),(4),(8),(16),(32), found registers cell=64 lane=(1),(2),(4),(8),(16) warp=(32)}}
  %b = tile.convert %a : tensor<64xf32, #x> -> tensor<64xi32, #y>
}

// -----

#x = #tilegpu.layout<"blocked shape=8x32 per-thread=1x2 lanes=2x16 warps=1x1">
#y = #tilegpu.layout<"blocked shape=32x8 per-thread=1x2 lanes=8x4 warps=1x1">
tile.kernel @transpose() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  // expected-note @+1 {{the operand is defined here}}
  %a = arith.constant dense<1.0> : tensor<8x32xf32, #x>
  // expected-error @+1 {{tile.transpose: expected operand 0 with}}
  %b = tile.transpose %a [1, 0] : tensor<8x32xf32, #x> -> tensor<32x8xf32, #y>
}

// -----

#x = #tilegpu.layout<"blocked shape=1x64 per-thread=1x2 lanes=1x32 warps=1x1">
#y = #tilegpu.layout<"blocked shape=8x64 per-thread=1x2 lanes=2x16 warps=1x1">
tile.kernel @broadcast() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  // expected-note @+1 {{the operand is defined here}}
  %a = arith.constant dense<1.0> : tensor<1x64xf32, #x>
  // expected-error @+1 {{tile.broadcast: expected operand 0 with}}
  %b = tile.broadcast %a : tensor<1x64xf32, #x> -> tensor<8x64xf32, #y>
}

// -----

#x = #tilegpu.layout<"blocked shape=64 per-thread=2 lanes=32 warps=1">
#y = #tilegpu.layout<"blocked shape=8x8 per-thread=2x1 lanes=4x8 warps=1x1">
tile.kernel @reshape() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  %a = arith.constant dense<1.0> : tensor<64xf32, #x>
  // expected-error @+1 {{tile.reshape: expected result 0 with registers cell=8x8}}
  %b = tile.reshape %a : tensor<64xf32, #x> -> tensor<8x8xf32, #y>
}

// -----

#x = #tilegpu.layout<"blocked shape=64 per-thread=2 lanes=32 warps=1">
#y = #tilegpu.layout<"blocked shape=64x2 per-thread=1x1 lanes=32x1 warps=1x1">
tile.kernel @join() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  %a = arith.constant dense<1.0> : tensor<64xf32, #x>
  // expected-error @+1 {{tile.join: expected result 0 with registers cell=64x2}}
  %b = tile.join %a, %a : tensor<64xf32, #x>, tensor<64xf32, #x> -> tensor<64x2xf32, #y>
}

// -----

#x = #tilegpu.layout<"blocked shape=64 per-thread=2 lanes=32 warps=1">
#y = #tilegpu.layout<"blocked shape=64x2 per-thread=2x2 lanes=32x1 warps=1x1">
#z = #tilegpu.layout<"blocked shape=64 per-thread=1 lanes=32 warps=1">
tile.kernel @split() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  %a = arith.constant dense<1.0> : tensor<64x2xf32, #y>
  // expected-error @+1 {{tile.split: expected result 0 with registers cell=64 register=(1) lane}}
  %b:2 = tile.split %a : tensor<64x2xf32, #y> -> tensor<64xf32, #z>, tensor<64xf32, #z>
}

// -----

// Threads would need elements of others.
#x = #tilegpu.layout<"blocked shape=64 per-thread=1 lanes=32 warps=1">
#y = #tilegpu.layout<"blocked shape=32 per-thread=1 lanes=32 warps=1">
tile.kernel @slice() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  %a = arith.constant dense<1.0> : tensor<64xf32, #x>
  // expected-error @+1 {{tile.slice: expected result 0 with a layout that follows from the op's other tiles}}
  %b = tile.slice %a [1] : tensor<64xf32, #x> -> tensor<32xf32, #y>
}

// -----

#x = #tilegpu.layout<"blocked shape=32 per-thread=1 lanes=32 warps=1">
#y = #tilegpu.layout<"blocked shape=64 per-thread=2 lanes=32 warps=1">
tile.kernel @concat() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 1 : i64} {
  // expected-note @+1 {{the operand is defined here}}
  %a = arith.constant dense<1.0> : tensor<32xf32, #x>
  // expected-error @+1 {{tile.concat: expected operand 0 with a layout that follows from the op's other tiles}}
  %b = tile.concat %a, %a axis 0 : tensor<32xf32, #x>, tensor<32xf32, #x> -> tensor<64xf32, #y>
}

// -----

// Two warps take turns: no thread has neighbours in the order of the other
// tile.
#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16) repeats=4 dealt=2">
#y = #tilegpu.layout<"blocked shape=2x64 per-thread=1x1 lanes=1x32 warps=2x1">
tile.kernel @dealt_reshape() attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 2 : i64} {
  %a = arith.constant dense<1.0> : tensor<128xf32, #x>
  // expected-error @+1 {{tile.reshape: expected result 0 with a layout that follows from the op's other tiles}}
  %b = tile.reshape %a : tensor<128xf32, #x> -> tensor<2x64xf32, #y>
}

// -----

// The first warp would own its elements in the first round only.
#x = #tilegpu.layout<"registers cell=1x32 lane=(0,1),(0,2),(0,4),(0,8),(0,16) repeats=3x1 repeat-order=0,copies3 dealt=2">
tile.kernel @dealt_store(%y: !tile.view<3x32xf32>) attributes {tilegpu.shared = 0 : i64, tilegpu.warps = 2 : i64} {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the operand is defined here}}
  %a = arith.constant dense<1.0> : tensor<3x32xf32, #x>
  // expected-error @+1 {{tile.store: expected operand 0 with a layout that the op takes}}
  tile.store %a, %y[%c0, %c0] : tensor<3x32xf32, #x>, !tile.view<3x32xf32>
}

// -----

#m = #tilegpu.layout<"row-major 8x8">
#c = #tilegpu.layout<"blocked shape=8x8 per-thread=1x1 lanes=4x8 warps=2x1">
#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16) repeats=4 dealt=2">
tile.kernel @dealt_dot() attributes {tilegpu.shared = 256 : i64, tilegpu.warps = 2 : i64} {
  // expected-error @+1 {{arith.constant: expected result 0 with repeats that are not dealt to warps}}
  %a = arith.constant dense<1.0> : tensor<128xf32, #x>
  %acc = arith.constant dense<1.0> : tensor<8x8xf32, #c>
  %m = tilegpu.alloc offset 0 : <8x8xf32, #m>
  // expected-note @+1 {{no tile of a kernel with tilegpu.dot has them}}
  %r = tilegpu.dot %m, %m, %acc : !tilegpu.shared<8x8xf32, #m>, !tilegpu.shared<8x8xf32, #m> -> tensor<8x8xf32, #c>
}
