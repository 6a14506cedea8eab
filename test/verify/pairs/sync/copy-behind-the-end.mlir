// The loop of a product copies what the next iteration needs, if there is one.
// Wrong: the last iteration copies behind the end of both operands.
// Right: as the compiler makes it, for sm_80.
// relation: bounded
// friendly: a = r.integers(-8, 8, (32, 48))
// friendly: b = r.integers(-8, 8, (48, 16))
// schedule: warps=4 stages=2

// before
tile.kernel @gemm(%a: !tile.view<32x48xf16> {tile.name = "a"}, %b: !tile.view<48x16xf16> {tile.name = "b"},
                  %c: !tile.view<32x16xf32> {tile.name = "c"})
    grid affine_map<()[m, k, k1, n, m1, n1] -> (1)> {
  %c0 = arith.constant 0 : index
  %step = arith.constant 16 : index
  %depth = arith.constant 48 : index
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  %sum = scf.for %k = %c0 to %depth step %step iter_args(%acc = %zero) -> (tensor<32x16xf32>) {
    %x = tile.load %a at [%c0, %k] : !tile.view<32x48xf16> -> tensor<32x16xf16>
    %y = tile.load %b at [%k, %c0] : !tile.view<48x16xf16> -> tensor<16x16xf16>
    %n = tile.dot %x, %y, %acc : tensor<32x16xf16>, tensor<16x16xf16> -> tensor<32x16xf32>
    scf.yield %n : tensor<32x16xf32>
  }
  tile.store %sum, %c[%c0, %c0] : tensor<32x16xf32>, !tile.view<32x16xf32>
}

// -----

// right
#sums = #tilegpu.layout<"registers cell=32x16 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0) warp=(0,8),(16,0)">
#ofA = #tilegpu.layout<"registers cell=32x16 register=(0,1),(0,2) lane=(0,4),(0,8),(1,0),(2,0),(4,0) warp=(8,0),(16,0)">
#ofB = #tilegpu.layout<"registers cell=16x16 register=(0,1) lane=(0,2),(0,4),(0,8),(1,0),(2,0) warp=(4,0),(8,0)">
#slotA = #tilegpu.layout<"memory cell=32x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,8),(8,0),(16,0)">
#slotB = #tilegpu.layout<"memory cell=16x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,8),(8,0)">
tile.kernel @gemm(
    %arg0: !tile.view<32x48xf16> {tile.align = 16 : i64, tile.name = "a"},
    %arg1: !tile.view<48x16xf16> {tile.align = 16 : i64, tile.name = "b"},
    %arg2: !tile.view<32x16xf32> {tile.align = 16 : i64, tile.name = "c"})
    attributes {tile.schedule =
      #tile.schedule<warps = 4, vector_bits = 128, stages = 2>,
      tilegpu.shared = 3072 : i64, tilegpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %cst = arith.constant dense<0.000000e+00> : tensor<32x16xf32, #sums>
  %c0_i32 = arith.constant 0 : i32
  %c3_i32 = arith.constant 3 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = tilegpu.alloc offset 0 : <32x16xf16, #slotA, slots = 2>
  %1 = tilegpu.alloc offset 2048 : <16x16xf16, #slotB, slots = 2>
  %2 = tilegpu.slot %0[%c0_i32] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
  tilegpu.acquire %2 : !tilegpu.shared<32x16xf16, #slotA>
  %3 = tilegpu.copy to %2 {
    %8 = tile.load %arg0 at [%c0, %c0]
        : !tile.view<32x48xf16> -> tensor<32x16xf16, #ofA>
    tilegpu.yield %8 : tensor<32x16xf16, #ofA>
  } : !tilegpu.shared<32x16xf16, #slotA>
  %4 = tilegpu.slot %1[%c0_i32] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
  tilegpu.acquire %4 : !tilegpu.shared<16x16xf16, #slotB>
  %5 = tilegpu.copy to %4 {
    %8 = tile.load %arg1 at [%c0, %c0]
        : !tile.view<48x16xf16> -> tensor<16x16xf16, #ofB>
    tilegpu.yield %8 : tensor<16x16xf16, #ofB>
  } : !tilegpu.shared<16x16xf16, #slotB>
  %6 = tilegpu.commit(%3, %5)
  %7:4 = scf.for %arg3 = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%arg4 = %cst, %arg5 = %c0_i32, %arg6 = %c1_i32, %arg7 = %6) -> (tensor<32x16xf32, #sums>, i32, i32, !tilegpu.token)  : i32 {
    %8 = tilegpu.slot %0[%arg5] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
    %9 = tilegpu.slot %1[%arg5] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
    tilegpu.wait %arg7 for %8, %9
        : !tilegpu.shared<32x16xf16, #slotA>, !tilegpu.shared<16x16xf16, #slotB>
    %10 = arith.addi %arg3, %c1_i32 : i32
    %11 = arith.cmpi slt, %10, %c3_i32 : i32
    %12 = arith.index_cast %10 : i32 to index
    %13 = arith.muli %12, %c16 : index
    %14 = tilegpu.slot %0[%arg6] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
    tilegpu.barrier
    tilegpu.acquire %14 : !tilegpu.shared<32x16xf16, #slotA>
    %15 = tilegpu.copy to %14 if %11 {
      %21 = tile.load %arg0 at [%c0, %13]
          : !tile.view<32x48xf16> -> tensor<32x16xf16, #ofA>
      tilegpu.yield %21 : tensor<32x16xf16, #ofA>
    } : !tilegpu.shared<32x16xf16, #slotA>
    %16 = tilegpu.slot %1[%arg6] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
    tilegpu.acquire %16 : !tilegpu.shared<16x16xf16, #slotB>
    %17 = tilegpu.copy to %16 if %11 {
      %21 = tile.load %arg1 at [%13, %c0]
          : !tile.view<48x16xf16> -> tensor<16x16xf16, #ofB>
      tilegpu.yield %21 : tensor<16x16xf16, #ofB>
    } : !tilegpu.shared<16x16xf16, #slotB>
    %18 = tilegpu.commit(%15, %17)
    %19 = tilegpu.mma "mma.m16n8k16.f16" %8, %9, %arg4
        : !tilegpu.shared<32x16xf16, #slotA>, !tilegpu.shared<16x16xf16, #slotB> -> tensor<32x16xf32, #sums>
    tilegpu.release %9 : !tilegpu.shared<16x16xf16, #slotB>
    tilegpu.release %8 : !tilegpu.shared<32x16xf16, #slotA>
    %20 = tilegpu.advance %arg5 by 1 of 2
    scf.yield %19, %20, %arg5, %18
        : tensor<32x16xf32, #sums>, i32, i32, !tilegpu.token
  }
  tilegpu.wait %7#3 for %0, %1
      : !tilegpu.shared<32x16xf16, #slotA, slots = 2>, !tilegpu.shared<16x16xf16, #slotB, slots = 2>
  tile.store %7#0, %arg2[%c0, %c0]
      : tensor<32x16xf32, #sums>, !tile.view<32x16xf32>
}

// -----

// wrong
#sums = #tilegpu.layout<"registers cell=32x16 register=(0,1),(8,0) lane=(0,2),(0,4),(1,0),(2,0),(4,0) warp=(0,8),(16,0)">
#ofA = #tilegpu.layout<"registers cell=32x16 register=(0,1),(0,2) lane=(0,4),(0,8),(1,0),(2,0),(4,0) warp=(8,0),(16,0)">
#ofB = #tilegpu.layout<"registers cell=16x16 register=(0,1) lane=(0,2),(0,4),(0,8),(1,0),(2,0) warp=(4,0),(8,0)">
#slotA = #tilegpu.layout<"memory cell=32x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,8),(8,0),(16,0)">
#slotB = #tilegpu.layout<"memory cell=16x16 offset=(0,1),(0,2),(0,4),(0,8),(1,0),(2,0),(4,8),(8,0)">
tile.kernel @gemm(
    %arg0: !tile.view<32x48xf16> {tile.align = 16 : i64, tile.name = "a"},
    %arg1: !tile.view<48x16xf16> {tile.align = 16 : i64, tile.name = "b"},
    %arg2: !tile.view<32x16xf32> {tile.align = 16 : i64, tile.name = "c"})
    attributes {tile.schedule =
      #tile.schedule<warps = 4, vector_bits = 128, stages = 2>,
      tilegpu.shared = 3072 : i64, tilegpu.warps = 4 : i64} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %cst = arith.constant dense<0.000000e+00> : tensor<32x16xf32, #sums>
  %c0_i32 = arith.constant 0 : i32
  %c3_i32 = arith.constant 3 : i32
  %c1_i32 = arith.constant 1 : i32
  %0 = tilegpu.alloc offset 0 : <32x16xf16, #slotA, slots = 2>
  %1 = tilegpu.alloc offset 2048 : <16x16xf16, #slotB, slots = 2>
  %2 = tilegpu.slot %0[%c0_i32] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
  tilegpu.acquire %2 : !tilegpu.shared<32x16xf16, #slotA>
  %3 = tilegpu.copy to %2 {
    %8 = tile.load %arg0 at [%c0, %c0]
        : !tile.view<32x48xf16> -> tensor<32x16xf16, #ofA>
    tilegpu.yield %8 : tensor<32x16xf16, #ofA>
  } : !tilegpu.shared<32x16xf16, #slotA>
  %4 = tilegpu.slot %1[%c0_i32] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
  tilegpu.acquire %4 : !tilegpu.shared<16x16xf16, #slotB>
  %5 = tilegpu.copy to %4 {
    %8 = tile.load %arg1 at [%c0, %c0]
        : !tile.view<48x16xf16> -> tensor<16x16xf16, #ofB>
    tilegpu.yield %8 : tensor<16x16xf16, #ofB>
  } : !tilegpu.shared<16x16xf16, #slotB>
  %6 = tilegpu.commit(%3, %5)
  %7:4 = scf.for %arg3 = %c0_i32 to %c3_i32 step %c1_i32 iter_args(%arg4 = %cst, %arg5 = %c0_i32, %arg6 = %c1_i32, %arg7 = %6) -> (tensor<32x16xf32, #sums>, i32, i32, !tilegpu.token)  : i32 {
    %8 = tilegpu.slot %0[%arg5] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
    %9 = tilegpu.slot %1[%arg5] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
    tilegpu.wait %arg7 for %8, %9
        : !tilegpu.shared<32x16xf16, #slotA>, !tilegpu.shared<16x16xf16, #slotB>
    %10 = arith.addi %arg3, %c1_i32 : i32
    %11 = arith.cmpi sle, %10, %c3_i32 : i32
    %12 = arith.index_cast %10 : i32 to index
    %13 = arith.muli %12, %c16 : index
    %14 = tilegpu.slot %0[%arg6] : !tilegpu.shared<32x16xf16, #slotA, slots = 2>
    tilegpu.barrier
    tilegpu.acquire %14 : !tilegpu.shared<32x16xf16, #slotA>
    %15 = tilegpu.copy to %14 if %11 {
      %21 = tile.load %arg0 at [%c0, %13]
          : !tile.view<32x48xf16> -> tensor<32x16xf16, #ofA>
      tilegpu.yield %21 : tensor<32x16xf16, #ofA>
    } : !tilegpu.shared<32x16xf16, #slotA>
    %16 = tilegpu.slot %1[%arg6] : !tilegpu.shared<16x16xf16, #slotB, slots = 2>
    tilegpu.acquire %16 : !tilegpu.shared<16x16xf16, #slotB>
    %17 = tilegpu.copy to %16 if %11 {
      %21 = tile.load %arg1 at [%13, %c0]
          : !tile.view<48x16xf16> -> tensor<16x16xf16, #ofB>
      tilegpu.yield %21 : tensor<16x16xf16, #ofB>
    } : !tilegpu.shared<16x16xf16, #slotB>
    %18 = tilegpu.commit(%15, %17)
    %19 = tilegpu.mma "mma.m16n8k16.f16" %8, %9, %arg4
        : !tilegpu.shared<32x16xf16, #slotA>, !tilegpu.shared<16x16xf16, #slotB> -> tensor<32x16xf32, #sums>
    tilegpu.release %9 : !tilegpu.shared<16x16xf16, #slotB>
    tilegpu.release %8 : !tilegpu.shared<32x16xf16, #slotA>
    %20 = tilegpu.advance %arg5 by 1 of 2
    scf.yield %19, %20, %arg5, %18
        : tensor<32x16xf32, #sums>, i32, i32, !tilegpu.token
  }
  tilegpu.wait %7#3 for %0, %1
      : !tilegpu.shared<32x16xf16, #slotA, slots = 2>, !tilegpu.shared<16x16xf16, #slotB, slots = 2>
  tile.store %7#0, %arg2[%c0, %c0]
      : tensor<32x16xf32, #sums>, !tile.view<32x16xf32>
}
