// Each iteration reads the rows that the one before stored.
// Wrong: the loop is pipelined: the copy of the next rows starts before they
// are stored.
// Right: only the other operand is copied ahead.
// relation: bounded
// friendly: a = r.integers(-1, 2, (128, 16))
// friendly: b = r.integers(-1, 2, (16, 16))
// schedule: warps=4 stages=2

// before
tile.kernel @chain(%a: !tile.view<128x16xf16> {tile.name = "a"}, %b: !tile.view<16x16xf16> {tile.name = "b"})
    grid affine_map<()[m, k, k1, n] -> (1)> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  scf.for %k = %c0 to %c3 step %c1 {
    %x = tile.load %a[%k, %c0] : !tile.view<128x16xf16> -> tensor<32x16xf16>
    %y = tile.load %b[%c0, %c0] : !tile.view<16x16xf16> -> tensor<16x16xf16>
    %n = tile.dot %x, %y, %zero : tensor<32x16xf16>, tensor<16x16xf16> -> tensor<32x16xf32>
    %h = arith.truncf %n : tensor<32x16xf32> to tensor<32x16xf16>
    %next = arith.addi %k, %c1 : index
    tile.store %h, %a[%next, %c0] : tensor<32x16xf16>, !tile.view<128x16xf16>
  }
}

// -----

// right
#sums = #tilegpu.layout<"registers cell=32x16 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0) warp=(0,8),(16,0)">
#ofB = #tilegpu.layout<"registers cell=16x16 register=(0,1) lane=(0,2),(0,4),(0,8),(1,0),(2,0) warp=(4,0),(8,0)">
#ofA = #tilegpu.layout<"registers cell=32x16 register=(0,1),(0,2) lane=(0,4),(0,8),(1,0),(2,0),(4,0) warp=(8,0),(16,0)">
#slotB = #tilegpu.layout<"memory cell=16x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,8),(8,0)">
#memoryA = #tilegpu.layout<"memory cell=32x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,8),(8,0),(16,0)">
tile.kernel @chain(
    %arg0: !tile.view<128x16xf16> {tile.align = 16 : i64, tile.name = "a"},
    %arg1: !tile.view<16x16xf16> {tile.align = 16 : i64, tile.name = "b"})
    attributes {tile.schedule =
      #tile.schedule<warps = 4, vector_bits = 128, stages = 2>,
      tilegpu.shared = 2048 : i64, tilegpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant dense<0.000000e+00> : tensor<32x16xf32, #sums>
  %c0_i32 = arith.constant 0 : i32
  %c3_i32 = arith.constant 3 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = tilegpu.alloc offset 0 : <16x16xf16, #slotB, slots = 2>
  %1 = tilegpu.slot %0[%c0_i32] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
  tilegpu.acquire %1 : !tilegpu.shared<16x16xf16, #slotB>
  %2 = tilegpu.copy to %1 {
    %5 = tile.load %arg1[%c0, %c0]
        : !tile.view<16x16xf16> -> tensor<16x16xf16, #ofB>
    tilegpu.yield %5 : tensor<16x16xf16, #ofB>
  } : !tilegpu.shared<16x16xf16, #slotB>
  %3 = tilegpu.commit(%2)
  %4:3 = scf.for %arg2 = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%arg3 = %c0_i32, %arg4 = %c1_i32, %arg5 = %3) -> (i32, i32, !tilegpu.token)  : i32 {
    %5 = tilegpu.slot %0[%arg3] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
    tilegpu.wait %arg5 for %5 : !tilegpu.shared<16x16xf16, #slotB>
    %6 = arith.addi %arg2, %c1_i32 : i32
    %7 = arith.cmpi slt, %6, %c3_i32 : i32
    %8 = tilegpu.slot %0[%arg4] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
    tilegpu.barrier
    tilegpu.acquire %8 : !tilegpu.shared<16x16xf16, #slotB>
    %9 = tilegpu.copy to %8 if %7 {
      %18 = tile.load %arg1[%c0, %c0]
          : !tile.view<16x16xf16> -> tensor<16x16xf16, #ofB>
      tilegpu.yield %18 : tensor<16x16xf16, #ofB>
    } : !tilegpu.shared<16x16xf16, #slotB>
    %10 = tilegpu.commit(%9)
    %11 = arith.index_cast %arg2 : i32 to index
    %12 = tile.load %arg0[%11, %c0]
        : !tile.view<128x16xf16> -> tensor<32x16xf16, #ofA>
    %13 = tilegpu.alloc offset 1024 : <32x16xf16, #memoryA>
    tilegpu.store_shared %12, %13
        : tensor<32x16xf16, #ofA>, !tilegpu.shared<32x16xf16, #memoryA>
    tilegpu.barrier
    %14 = tilegpu.mma "mma.m16n8k16.f16" %13, %5, %cst
        : !tilegpu.shared<32x16xf16, #memoryA>, !tilegpu.shared<16x16xf16, #slotB> -> tensor<32x16xf32, #sums>
    tilegpu.release %5 : !tilegpu.shared<16x16xf16, #slotB>
    %15 = arith.truncf %14
        : tensor<32x16xf32, #sums> to tensor<32x16xf16, #sums>
    %16 = arith.addi %11, %c1 : index
    tile.store %15, %arg0[%16, %c0]
        : tensor<32x16xf16, #sums>, !tile.view<128x16xf16>
    %17 = tilegpu.advance %arg3 by 1 of 2
    scf.yield %17, %arg3, %10 : i32, i32, !tilegpu.token
  }
  tilegpu.wait %4#2 for %0 : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
}

// -----

// wrong
#sums = #tilegpu.layout<"registers cell=32x16 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0) warp=(0,8),(16,0)">
#ofA = #tilegpu.layout<"registers cell=32x16 register=(0,1),(0,2) lane=(0,4),(0,8),(1,0),(2,0),(4,0) warp=(8,0),(16,0)">
#ofB = #tilegpu.layout<"registers cell=16x16 register=(0,1) lane=(0,2),(0,4),(0,8),(1,0),(2,0) warp=(4,0),(8,0)">
#slotA = #tilegpu.layout<"memory cell=32x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,8),(8,0),(16,0)">
#slotB = #tilegpu.layout<"memory cell=16x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,8),(8,0)">
tile.kernel @chain(
    %arg0: !tile.view<128x16xf16> {tile.align = 16 : i64, tile.name = "a"},
    %arg1: !tile.view<16x16xf16> {tile.align = 16 : i64, tile.name = "b"})
    attributes {tile.schedule =
      #tile.schedule<warps = 4, vector_bits = 128, stages = 2>,
      tilegpu.shared = 3072 : i64, tilegpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %cst = arith.constant dense<0.000000e+00> : tensor<32x16xf32, #sums>
  %c0_i32 = arith.constant 0 : i32
  %c3_i32 = arith.constant 3 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = tilegpu.alloc offset 0 : <32x16xf16, #slotA, slots = 2>
  %1 = tilegpu.alloc offset 2048 : <16x16xf16, #slotB, slots = 2>
  %2 = tilegpu.slot %0[%c0_i32] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
  tilegpu.acquire %2 : !tilegpu.shared<32x16xf16, #slotA>
  %3 = tilegpu.copy to %2 {
    %8 = tile.load %arg0[%c0, %c0]
        : !tile.view<128x16xf16> -> tensor<32x16xf16, #ofA>
    tilegpu.yield %8 : tensor<32x16xf16, #ofA>
  } : !tilegpu.shared<32x16xf16, #slotA>
  %4 = tilegpu.slot %1[%c0_i32] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
  tilegpu.acquire %4 : !tilegpu.shared<16x16xf16, #slotB>
  %5 = tilegpu.copy to %4 {
    %8 = tile.load %arg1[%c0, %c0]
        : !tile.view<16x16xf16> -> tensor<16x16xf16, #ofB>
    tilegpu.yield %8 : tensor<16x16xf16, #ofB>
  } : !tilegpu.shared<16x16xf16, #slotB>
  %6 = tilegpu.commit(%3, %5)
  %7:3 = scf.for %arg3 = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%arg4 = %c0_i32, %arg5 = %c1_i32, %arg6 = %6) -> (i32, i32, !tilegpu.token)  : i32 {
    %8 = tilegpu.slot %0[%arg4] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
    %9 = tilegpu.slot %1[%arg4] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
    tilegpu.wait %arg6 for %8, %9
        : !tilegpu.shared<32x16xf16, #slotA>, !tilegpu.shared<16x16xf16, #slotB>
    %10 = arith.addi %arg3, %c1_i32 : i32
    %11 = arith.cmpi slt, %10, %c3_i32 : i32
    %12 = arith.index_cast %10 : i32 to index
    %13 = tilegpu.slot %0[%arg5] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
    tilegpu.barrier
    tilegpu.acquire %13 : !tilegpu.shared<32x16xf16, #slotA>
    %14 = tilegpu.copy to %13 if %11 {
      %23 = tile.load %arg0[%12, %c0]
          : !tile.view<128x16xf16> -> tensor<32x16xf16, #ofA>
      tilegpu.yield %23 : tensor<32x16xf16, #ofA>
    } : !tilegpu.shared<32x16xf16, #slotA>
    %15 = tilegpu.slot %1[%arg5] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
    tilegpu.acquire %15 : !tilegpu.shared<16x16xf16, #slotB>
    %16 = tilegpu.copy to %15 if %11 {
      %23 = tile.load %arg1[%c0, %c0]
          : !tile.view<16x16xf16> -> tensor<16x16xf16, #ofB>
      tilegpu.yield %23 : tensor<16x16xf16, #ofB>
    } : !tilegpu.shared<16x16xf16, #slotB>
    %17 = tilegpu.commit(%14, %16)
    %18 = arith.index_cast %arg3 : i32 to index
    %19 = tilegpu.mma "mma.m16n8k16.f16" %8, %9, %cst
        : !tilegpu.shared<32x16xf16, #slotA>, !tilegpu.shared<16x16xf16, #slotB> -> tensor<32x16xf32, #sums>
    tilegpu.release %9 : !tilegpu.shared<16x16xf16, #slotB>
    tilegpu.release %8 : !tilegpu.shared<32x16xf16, #slotA>
    %20 = arith.truncf %19
        : tensor<32x16xf32, #sums> to tensor<32x16xf16, #sums>
    %21 = arith.addi %18, %c1 : index
    tile.store %20, %arg0[%21, %c0]
        : tensor<32x16xf16, #sums>, !tile.view<128x16xf16>
    %22 = tilegpu.advance %arg4 by 1 of 2
    scf.yield %22, %arg4, %17 : i32, i32, !tilegpu.token
  }
  tilegpu.wait %7#2 for %0, %1
      : !tilegpu.shared<32x16xf16, #slotA, slots = 2>, !tilegpu.shared<16x16xf16, #slotB, slots = 2>
}
