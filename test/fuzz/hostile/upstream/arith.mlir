func.func @arith_ops(%i: i32, %j: i32, %l: i64, %f: f32, %g: f32, %x: tensor<4x8xf32>, %v: vector<4xf32>, %c: i1, %t: tensor<4x8xi32>) -> f32 {
  %0 = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %1 = arith.constant dense<"0x0000803F000000400000404000008040"> : tensor<4xf32>
  %2 = arith.constant sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>
  %3 = arith.constant dense_resource<blob> : tensor<4xf32>
  %4 = arith.constant dense<true> : tensor<3xi1>
  %5:2 = arith.mulsi_extended %i, %j : i32
  %6, %7 = arith.addui_extended %i, %j : i32, i1
  %8 = arith.cmpf olt, %f, %g fastmath<nnan,ninf> : f32
  %9 = arith.cmpi slt, %i, %j : i32
  %10 = arith.select %c, %x, %x : tensor<4x8xf32>
  %11 = arith.extsi %i : i32 to i64
  %12 = arith.trunci %l overflow<nsw, nuw> : i64 to i32
  %13 = arith.addi %i, %j overflow<nsw> : i32
  %14 = arith.shli %t, %t : tensor<4x8xi32>
  %15 = arith.sitofp %t : tensor<4x8xi32> to tensor<4x8xf16>
  %16 = arith.truncf %f to_nearest_even : f32 to f16
  %17 = arith.bitcast %t : tensor<4x8xi32> to tensor<4x8xf32>
  %18 = math.fma %f, %g, %f : f32
  %19 = math.fpowi %f, %i : f32, i32
  %20 = math.ctpop %i : i32
  %21:2 = math.sincos %f : f32
  %22 = arith.scaling_extf %16, %16 : f16, f16 to f32
  %23 = arith.index_cast %i : i32 to index
  return %f : f32
}
{-#
  dialect_resources: { builtin: { blob: "0x040000000000803F000000400000404000008040" } }
#-}
