// Each rule of the scheduled level, broken.
// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

#memory = #tilegpu.layout<"memory cell=8x4 offset=(0,1),(0,2),(1,0),(2,0),(4,0)">
// expected-error @+1 {{a tile's layout says what registers hold, found one of memory (layout_c1)}}
tile.func @layout_c1(%x: tensor<8x4xf32, #memory>) { tile.return }

// -----

#row = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
// expected-error @+1 {{a layout of 1 dimensions for a tile of 2 (layout_c2)}}
tile.func @layout_c2(%x: tensor<8x4xf32, #row>) { tile.return }

// -----

#row = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
// expected-error @+1 {{the layout covers 32, the tile is 33 (layout_c3)}}
tile.func @layout_c3(%x: tensor<33xf32, #row>) { tile.return }

// -----

// expected-error @+1 {{column 16: expected}}
#broken = #tilegpu.layout<"registers cell=x">

// -----

#row = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
tile.func @shared_c1() {
  // expected-error @+1 {{shared memory has a layout of memory, found one of registers (shared_c1)}}
  %m = tilegpu.alloc : <32xf32, #row>
  tile.return
}

// -----

#memory = #tilegpu.layout<"memory cell=4 offset=(1),(2)">
tile.func @shared_c2() {
  // expected-error @+1 {{the layout covers 4, the tile is 5 (shared_c2)}}
  %m = tilegpu.alloc : <5xf32, #memory>
  tile.return
}

// -----

#memory = #tilegpu.layout<"memory cell=4 offset=(1),(2)">
tile.func @shared_c3() {
  // expected-error @+1 {{elements of shared memory are scalars, found 'tuple<>' (shared_c3)}}
  %m = tilegpu.alloc : <4xtuple<>, #memory>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#r = #tilegpu.layout<"registers cell=1 lane=(0),(0),(0),(0),(0)">
tile.func @tilegpu_reduce_c1(%x: tensor<32xf32, #x>) {
  // expected-error @+1 {{1 inputs and 2 results; expected as many, at least one (tilegpu_reduce_c1)}}
  %r:2 = "tilegpu.reduce"(%x) <{axis = 0}> ({
  ^bb0(%a: f32, %b: f32):
    tilegpu.yield %a : f32
  }) : (tensor<32xf32, #x>) -> (tensor<1xf32, #r>, tensor<1xf32, #r>)
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#r = #tilegpu.layout<"registers cell=1 lane=(0),(0),(0),(0),(0)">
tile.func @tilegpu_reduce_c2(%x: tensor<32xf32, #x>) {
  // expected-error @+1 {{axis 1 of a tile with 1 dimensions (tilegpu_reduce_c2)}}
  %r = tilegpu.reduce %x axis 1 {
  ^bb0(%a: f32, %b: f32):
    tilegpu.yield %a : f32
  } : tensor<32xf32, #x> -> tensor<1xf32, #r>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=64 lane=(1),(2),(4),(8),(16) warp=(32)">
#r = #tilegpu.layout<"registers cell=1 lane=(0),(0),(0),(0),(0) warp=(0)">
tile.func @tilegpu_reduce_c3(%x: tensor<64xf32, #x>) {
  // expected-error-re @+1 {{expected a result of 'tensor<2xf32{{.*}} (tilegpu_reduce_c3)}}
  %r = tilegpu.reduce %x axis 0 {
  ^bb0(%a: f32, %b: f32):
    tilegpu.yield %a : f32
  } : tensor<64xf32, #x> -> tensor<1xf32, #r>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=32 offset=(1),(2),(4),(8),(16)">
tile.func @store_shared_c1(%x: tensor<32xf32, #x>) {
  %m = tilegpu.alloc : <32xi32, #memory>
  // expected-error @+1 {{the tile is 32 'f32', the memory 32 'i32' (store_shared_c1)}}
  tilegpu.store_shared %x, %m : tensor<32xf32, #x>, !tilegpu.shared<32xi32, #memory>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=32 offset=(1),(2),(4),(8),(16)">
tile.func @load_shared_c1() {
  %m = tilegpu.alloc : <31xf32, #memory>
  // expected-error @+1 {{the tile is 32 'f32', the memory 31 'f32' (load_shared_c1)}}
  %x = tilegpu.load_shared %m : !tilegpu.shared<31xf32, #memory> -> tensor<32xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
tile.func @tilegpu_scan_c1(%x: tensor<32xf32, #x>) {
  // expected-error @+1 {{expected the same types, at least one (tilegpu_scan_c1)}}
  %r:2 = "tilegpu.scan"(%x) <{axis = 0, operandSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%a: f32, %b: f32):
    tilegpu.yield %a : f32
  }) : (tensor<32xf32, #x>) -> (tensor<32xf32, #x>, tensor<32xf32, #x>)
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
tile.func @tilegpu_scan_c2(%x: tensor<32xf32, #x>) {
  // expected-error @+1 {{axis 1 of a tile with 1 dimensions (tilegpu_scan_c2)}}
  %r = tilegpu.scan %x axis 1 {
  ^bb0(%a: f32, %b: f32):
    tilegpu.yield %a : f32
  } : tensor<32xf32, #x> -> tensor<32xf32, #x>
  tile.return
}

// -----

// The lanes' bits are not in ascending order.
#x = #tilegpu.layout<"registers cell=32 lane=(2),(1),(4),(8),(16)">
tile.func @tilegpu_scan_c3(%x: tensor<32xf32, #x>) {
  // expected-error @+1 {{found another order of lanes (tilegpu_scan_c3)}}
  %r = tilegpu.scan %x axis 0 {
  ^bb0(%a: f32, %b: f32):
    tilegpu.yield %a : f32
  } : tensor<32xf32, #x> -> tensor<32xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=64 lane=(1),(2),(4),(8),(16) warp=(32)">
tile.func @tilegpu_scan_c4(%x: tensor<64xf32, #x>) {
  // expected-error @+1 {{expected 1 totals, found 0 (tilegpu_scan_c4)}}
  %r = tilegpu.scan %x axis 0 {
  ^bb0(%a: f32, %b: f32):
    tilegpu.yield %a : f32
  } : tensor<64xf32, #x> -> tensor<64xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
tile.func @coordinate_c1() {
  // expected-error @+1 {{coordinates are i32, found 'f32' (coordinate_c1)}}
  %c = tilegpu.coordinate axis 0 : tensor<32xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
tile.func @coordinate_c2() {
  // expected-error @+1 {{axis 1 of a tile with 1 dimensions (coordinate_c2)}}
  %c = tilegpu.coordinate axis 1 : tensor<32xi32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
tile.func @exchange_c1(%x: tensor<32xf32, #x>) {
  // expected-error @+1 {{axis 1 of a tile with 1 dimensions (exchange_c1)}}
  %y = tilegpu.exchange %x axis 1 mask 1 : tensor<32xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 repeats=3 lane=(1),(2),(4),(8),(16)">
tile.func @exchange_c2(%x: tensor<96xf32, #x>) {
  // expected-error @+1 {{found 3 repeats (exchange_c2)}}
  %y = tilegpu.exchange %x axis 0 mask 1 : tensor<96xf32, #x>
  tile.return
}

// -----

// The other half of the line is another warp's.
#x = #tilegpu.layout<"registers cell=64 lane=(1),(2),(4),(8),(16) warp=(32)">
tile.func @exchange_c3(%x: tensor<64xf32, #x>) {
  // expected-error @+1 {{mask 32 of fibers of which a warp has 32 elements (exchange_c3)}}
  %y = tilegpu.exchange %x axis 0 mask 32 : tensor<64xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=64 offset=(1),(2),(4),(8),(16),(32)">
tile.func @store_shared_c2(%x: tensor<32xf32, #x>) {
  %m = tilegpu.alloc : <64xf32, #memory>
  // expected-error @+1 {{elements 3 to 65 by 2 of a dimension of 64 (store_shared_c2)}}
  tilegpu.store_shared %x, %m at [3] step [2] : tensor<32xf32, #x>, !tilegpu.shared<64xf32, #memory>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=64 offset=(2),(1),(4),(8),(16),(32)">
tile.func @store_shared_c3(%x: tensor<32xf32, #x>) {
  %m = tilegpu.alloc : <64xf32, #memory>
  // expected-error @+1 {{expected dense memory for a part of a tile (store_shared_c3)}}
  tilegpu.store_shared %x, %m at [3] : tensor<32xf32, #x>, !tilegpu.shared<64xf32, #memory>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=64 offset=(1),(2),(4),(8),(16),(32)">
tile.func @load_shared_c2() {
  %m = tilegpu.alloc : <64xf32, #memory>
  // expected-error @+1 {{expected a tile, offsets and steps of 1 dimensions (load_shared_c2)}}
  %x = tilegpu.load_shared %m at [3, 0] : !tilegpu.shared<64xf32, #memory> -> tensor<32xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=64 offset=(2),(1),(4),(8),(16),(32)">
tile.func @load_shared_c3() {
  %m = tilegpu.alloc : <64xf32, #memory>
  // expected-error @+1 {{expected dense memory for a part of a tile (load_shared_c3)}}
  %x = tilegpu.load_shared %m step [2] : !tilegpu.shared<64xf32, #memory> -> tensor<32xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#y = #tilegpu.layout<"registers cell=32 lane=(16),(2),(4),(8),(1)">
#memory = #tilegpu.layout<"memory cell=64 offset=(1),(2),(4),(8),(16),(32)">
tile.func @gather_shared_c1(%i: tensor<32xi32, #x>) {
  %m = tilegpu.alloc : <64xf32, #memory>
  // expected-error @+1 {{(gather_shared_c1)}}
  %x = tilegpu.gather_shared %m, %i axis 0 : !tilegpu.shared<64xf32, #memory>, tensor<32xi32, #x> -> tensor<32xf32, #y>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=2x32 register=(1,0) lane=(0,1),(0,2),(0,4),(0,8),(0,16)">
#memory = #tilegpu.layout<"memory cell=1x64 offset=(0,1),(0,2),(0,4),(0,8),(0,16),(0,32)">
tile.func @gather_shared_c2(%i: tensor<2x32xi32, #x>) {
  %m = tilegpu.alloc : <1x64xf32, #memory>
  // expected-error @+1 {{the result is 2x32, the memory 1x64; only dimension 1 may differ (gather_shared_c2)}}
  %x = tilegpu.gather_shared %m, %i axis 1 : !tilegpu.shared<1x64xf32, #memory>, tensor<2x32xi32, #x> -> tensor<2x32xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=64 offset=(2),(1),(4),(8),(16),(32)">
tile.func @gather_shared_c3(%i: tensor<32xi32, #x>) {
  %m = tilegpu.alloc : <64xf32, #memory>
  // expected-error @+1 {{expected dense memory (gather_shared_c3)}}
  %x = tilegpu.gather_shared %m, %i axis 0 : !tilegpu.shared<64xf32, #memory>, tensor<32xi32, #x> -> tensor<32xf32, #x>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=64 offset=(1),(2),(4),(8),(16),(32)">
tile.func @count_shared_c1(%n: tensor<32xi32, #x>) {
  %m = tilegpu.alloc : <64xi16, #memory>
  // expected-error @+1 {{expected dense memory of i32 with one dimension (count_shared_c1)}}
  tilegpu.count_shared %n, %m : tensor<32xi32, #x>, !tilegpu.shared<64xi16, #memory>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=64 offset=(1),(2),(4),(8),(16),(32)">
tile.func @count_shared_c2(%n: tensor<32xf32, #x>) {
  %m = tilegpu.alloc : <64xi32, #memory>
  // expected-error @+1 {{numbers are integers, found 'f32' (count_shared_c2)}}
  tilegpu.count_shared %n, %m : tensor<32xf32, #x>, !tilegpu.shared<64xi32, #memory>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#y = #tilegpu.layout<"registers cell=32 lane=(16),(2),(4),(8),(1)">
#memory = #tilegpu.layout<"memory cell=64 offset=(1),(2),(4),(8),(16),(32)">
tile.func @count_shared_c3(%n: tensor<32xi32, #x>, %k: tensor<32xi1, #y>) {
  %m = tilegpu.alloc : <64xi32, #memory>
  // expected-error @+1 {{(count_shared_c3)}}
  tilegpu.count_shared %n, %m mask %k : tensor<32xi32, #x>, !tilegpu.shared<64xi32, #memory> mask tensor<32xi1, #y>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=8x4 lane=(0,1),(0,2),(1,0),(2,0),(4,0)">
#lhs = #tilegpu.layout<"memory cell=8 offset=(1),(2),(4)">
#rhs = #tilegpu.layout<"memory cell=8 offset=(1),(2),(4)">
tile.func @tilegpu_dot_c1(%acc: tensor<8x4xf32, #sums>) {
  %a = tilegpu.alloc : <8xf32, #lhs>
  %b = tilegpu.alloc : <8xf32, #rhs>
  // expected-error @+1 {{tiles of 1, 1 and 2 dimensions; expected 2 each, or 3 (tilegpu_dot_c1)}}
  %r = tilegpu.dot %a, %b, %acc : !tilegpu.shared<8xf32, #lhs>, !tilegpu.shared<8xf32, #rhs> -> tensor<8x4xf32, #sums>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#slot = #tilegpu.layout<"memory cell=1">
tile.func @store_element_c1(%x: tensor<32xf32, #x>, %i: index) {
  %m = tilegpu.alloc : <1xf32, #slot>
  // expected-error @+1 {{2 indices of a tile with 1 dimensions (store_element_c1)}}
  tilegpu.store_element %x[%i, %i], %m : tensor<32xf32, #x>, !tilegpu.shared<1xf32, #slot>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=8x4 lane=(0,1),(0,2),(1,0),(2,0),(4,0)">
#lhs = #tilegpu.layout<"memory cell=8x4 offset=(0,1),(0,2),(1,0),(2,0),(4,0)">
#rhs = #tilegpu.layout<"memory cell=8x4 offset=(0,1),(0,2),(1,0),(2,0),(4,0)">
tile.func @tilegpu_dot_c2(%acc: tensor<8x4xf32, #sums>) {
  %a = tilegpu.alloc : <8x4xf32, #lhs>
  %b = tilegpu.alloc : <8x4xf32, #rhs>
  // expected-error @+1 {{8x4 times 8x4 is no 8x4 (tilegpu_dot_c2)}}
  %r = tilegpu.dot %a, %b, %acc : !tilegpu.shared<8x4xf32, #lhs>, !tilegpu.shared<8x4xf32, #rhs> -> tensor<8x4xf32, #sums>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=8x4 lane=(0,1),(0,2),(1,0),(2,0),(4,0)">
#lhs = #tilegpu.layout<"memory cell=8x4 offset=(0,1),(0,2),(1,0),(2,0),(4,0)">
#rhs = #tilegpu.layout<"memory cell=4x4 offset=(0,1),(0,2),(1,0),(2,0)">
tile.func @tilegpu_dot_c3(%acc: tensor<8x4xf32, #sums>) {
  %a = tilegpu.alloc : <8x4xf16, #lhs>
  %b = tilegpu.alloc : <4x4xbf16, #rhs>
  // expected-error @+1 {{no sum of 'f32' from products of 'f16' and 'bf16' (tilegpu_dot_c3)}}
  %r = tilegpu.dot %a, %b, %acc : !tilegpu.shared<8x4xf16, #lhs>, !tilegpu.shared<4x4xbf16, #rhs> -> tensor<8x4xf32, #sums>
  tile.return
}

// -----

#x = #tilegpu.layout<"registers cell=32 lane=(1),(2),(4),(8),(16)">
#memory = #tilegpu.layout<"memory cell=32 offset=(1),(2),(4),(8),(16)">
tile.func @store_element_c2(%x: tensor<32xf32, #x>, %i: index) {
  %m = tilegpu.alloc : <32xf32, #memory>
  // expected-error @+1 {{expected memory for one 'f32', found 32 'f32' (store_element_c2)}}
  tilegpu.store_element %x[%i], %m : tensor<32xf32, #x>, !tilegpu.shared<32xf32, #memory>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=16x8 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0)">
#lhs = #tilegpu.layout<"memory cell=16 offset=(1),(2),(4),(8)">
#rhs = #tilegpu.layout<"memory cell=16 offset=(1),(2),(4),(8)">
tile.func @mma_c1(%acc: tensor<16x8xf32, #sums>) {
  %a = tilegpu.alloc : <16xf16, #lhs>
  %b = tilegpu.alloc : <16xf16, #rhs>
  // expected-error @+1 {{tiles of 1, 1 and 2 dimensions; expected 2 each, or 3 (mma_c1)}}
  %r = tilegpu.mma "mma.m16n8k16.f16" %a, %b, %acc : !tilegpu.shared<16xf16, #lhs>, !tilegpu.shared<16xf16, #rhs> -> tensor<16x8xf32, #sums>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=16x8 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0)">
#lhs = #tilegpu.layout<"memory cell=16x8 offset=(0,1),(0,2),(0,4),(1,0),(2,0),(4,0),(8,0)">
#rhs = #tilegpu.layout<"memory cell=16x8 offset=(0,1),(0,2),(0,4),(1,0),(2,0),(4,0),(8,0)">
tile.func @mma_c2(%acc: tensor<16x8xf32, #sums>) {
  %a = tilegpu.alloc : <16x8xf16, #lhs>
  %b = tilegpu.alloc : <16x8xf16, #rhs>
  // expected-error @+1 {{16x8 times 16x8 is no 16x8 (mma_c2)}}
  %r = tilegpu.mma "mma.m16n8k16.f16" %a, %b, %acc : !tilegpu.shared<16x8xf16, #lhs>, !tilegpu.shared<16x8xf16, #rhs> -> tensor<16x8xf32, #sums>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=16x8 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0)">
#lhs = #tilegpu.layout<"memory cell=16x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,0),(8,0)">
#rhs = #tilegpu.layout<"memory cell=16x8 offset=(0,1),(0,2),(0,4),(1,0),(2,0),(4,0),(8,0)">
tile.func @mma_c3(%acc: tensor<16x8xf32, #sums>) {
  %a = tilegpu.alloc : <16x16xf16, #lhs>
  %b = tilegpu.alloc : <16x8xf16, #rhs>
  // expected-error @+1 {{there is no matrix instruction "mma.m4n4k4.f16" (mma_c3)}}
  %r = tilegpu.mma "mma.m4n4k4.f16" %a, %b, %acc : !tilegpu.shared<16x16xf16, #lhs>, !tilegpu.shared<16x8xf16, #rhs> -> tensor<16x8xf32, #sums>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=16x8 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0)">
#lhs = #tilegpu.layout<"memory cell=16x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,0),(8,0)">
#rhs = #tilegpu.layout<"memory cell=16x8 offset=(0,1),(0,2),(0,4),(1,0),(2,0),(4,0),(8,0)">
tile.func @mma_c4(%acc: tensor<16x8xf32, #sums>) {
  %a = tilegpu.alloc : <16x16xbf16, #lhs>
  %b = tilegpu.alloc : <16x8xbf16, #rhs>
  // expected-error @+1 {{mma.m16n8k16.f16 adds no products of 'bf16' and 'bf16' to 'f32' (mma_c4)}}
  %r = tilegpu.mma "mma.m16n8k16.f16" %a, %b, %acc : !tilegpu.shared<16x16xbf16, #lhs>, !tilegpu.shared<16x8xbf16, #rhs> -> tensor<16x8xf32, #sums>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=16x8 register=(4,0),(8,0) lane=(0,1),(0,2),(0,4),(1,0),(2,0)">
#lhs = #tilegpu.layout<"memory cell=16x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,0),(8,0)">
#rhs = #tilegpu.layout<"memory cell=16x8 offset=(0,1),(0,2),(0,4),(1,0),(2,0),(4,0),(8,0)">
tile.func @mma_c5(%acc: tensor<16x8xf32, #sums>) {
  %a = tilegpu.alloc : <16x16xf16, #lhs>
  %b = tilegpu.alloc : <16x8xf16, #rhs>
  // expected-error @+1 {{(mma_c5)}}
  %r = tilegpu.mma "mma.m16n8k16.f16" %a, %b, %acc : !tilegpu.shared<16x16xf16, #lhs>, !tilegpu.shared<16x8xf16, #rhs> -> tensor<16x8xf32, #sums>
  tile.return
}

// -----

#sums = #tilegpu.layout<"registers cell=16x8 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0)">
#rows = #tilegpu.layout<"registers cell=16x16 register=(0,1),(8,0),(4,0) lane=(0,2),(0,4),(0,8),(1,0),(2,0)">
#rhs = #tilegpu.layout<"memory cell=16x8 offset=(0,1),(0,2),(0,4),(1,0),(2,0),(4,0),(8,0)">
tile.func @mma_c6(%a: tensor<16x16xf16, #rows>, %acc: tensor<16x8xf32, #sums>) {
  %b = tilegpu.alloc : <16x8xf16, #rhs>
  // expected-error @+1 {{lhs is in registers, but not as fragments of mma.m16n8k16.f16 (mma_c6)}}
  %r = tilegpu.mma "mma.m16n8k16.f16" %a, %b, %acc : tensor<16x16xf16, #rows>, !tilegpu.shared<16x8xf16, #rhs> -> tensor<16x8xf32, #sums>
  tile.return
}

// -----

#memory = #tilegpu.layout<"memory cell=8x4 offset=(0,1),(0,2),(1,0),(2,0),(4,0)">
// expected-error @+1 {{a ring has 1 to 8 slots, found 9 (shared_c4)}}
tile.func @shared_c4(%m: !tilegpu.shared<8x4xf32, #memory, slots = 9>) { tile.return }

// -----

// A ring itself is not accessed.
#rows = #tilegpu.layout<"registers cell=32x1 lane=(1,0),(2,0),(4,0),(8,0),(16,0)">
#memory = #tilegpu.layout<"memory cell=32x1 offset=(1,0),(2,0),(4,0),(8,0),(16,0)">
tile.func @ring(%x: tensor<32x1xf32, #rows>) {
  %r = tilegpu.alloc : <32x1xf32, #memory, slots = 2>
  // expected-error @+1 {{operand #1 must be a tile in shared memory, not a ring}}
  tilegpu.store_shared %x, %r : tensor<32x1xf32, #rows>, !tilegpu.shared<32x1xf32, #memory, slots = 2>
  tile.return
}

// -----

tile.func @advance_c1(%n: i32) {
  // expected-error @+1 {{by 3 of 3 slots; expected 0 to less than their number (advance_c1)}}
  %m = tilegpu.advance %n by 3 of 3
  tile.return
}

// -----

#rows = #tilegpu.layout<"registers cell=32x1 lane=(1,0),(2,0),(4,0),(8,0),(16,0)">
#memory = #tilegpu.layout<"memory cell=32x1 offset=(1,0),(2,0),(4,0),(8,0),(16,0)">
tile.kernel @copy_c1(%v: !tile.view<32x1xf32>) {
  %c0 = arith.constant 0 : index
  %m = tilegpu.alloc : <32x1xf32, #memory>
  // expected-error @+1 {{expected a region that reads a tile of a view, gives its elements other indices, and yields it (copy_c1)}}
  %t = tilegpu.copy to %m {
    %x = tile.load %v[%c0, %c0] : !tile.view<32x1xf32> -> tensor<32x1xf32, #rows>
    %y = arith.negf %x : tensor<32x1xf32, #rows>
    tilegpu.yield %y : tensor<32x1xf32, #rows>
  } : !tilegpu.shared<32x1xf32, #memory>
}

// -----

#rows = #tilegpu.layout<"registers cell=32x1 lane=(1,0),(2,0),(4,0),(8,0),(16,0)">
#memory = #tilegpu.layout<"memory cell=32x1 offset=(1,0),(2,0),(4,0),(8,0),(16,0)">
tile.kernel @copy_c2(%v: !tile.view<32x1xf16>) {
  %c0 = arith.constant 0 : index
  %m = tilegpu.alloc : <32x1xf32, #memory>
  // expected-error @+1 {{the memory 32x1 'f32' (copy_c2)}}
  %t = tilegpu.copy to %m {
    %x = tile.load %v[%c0, %c0] : !tile.view<32x1xf16> -> tensor<32x1xf16, #rows>
    tilegpu.yield %x : tensor<32x1xf16, #rows>
  } : !tilegpu.shared<32x1xf32, #memory>
}

// -----

#memory = #tilegpu.layout<"memory cell=8x4 offset=(0,1),(0,2),(1,0),(2,0),(4,0)">
tile.func @slot_c1(%n: i32) {
  %r = tilegpu.alloc : <8x4xf32, #memory, slots = 2>
  %s = tilegpu.slot %r[%n] : !tilegpu.shared<8x4xf32, #memory, slots = 2>
  // expected-error @+1 {{expected the ring of a tilegpu.alloc (slot_c1)}}
  %t = tilegpu.slot %s[%n] : !tilegpu.shared<8x4xf32, #memory>
  tile.return
}
