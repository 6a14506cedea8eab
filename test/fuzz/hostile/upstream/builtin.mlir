#map0 = affine_map<(d0, d1)[s0] -> (d0 + s0, d1 mod 4, d0 floordiv 3)>
#strided = affine_map<(d0, d1) -> (d0 * 16 + d1)>
!alias = memref<4x8xf32, strided<[8, 1], offset: ?>, 1>
#loc = loc("f":1:2)
module attributes {a.b = distinct[0]<unit>, a.c = [1 : i8, 2.0 : f16, @x::@y, unit], a.d = dense<[(1.0, 2.0), (3.0, 4.0)]> : tensor<2xcomplex<f32>>, a.e = array<i1: true, false>, a.f = array<f32: 1.0, 2.0>, a.g = affine_set<(d0) : (d0 == 0)>, a.h = dense<["a", "b"]> : tensor<2x!x.c>, a.i = strided<[1, 2], offset: 3>} {
func.func @affine_memory(%m: !alias, %n: memref<?x?xf32, #strided>, %u: memref<*xf32>, %i: index, %f: f32) {
  %0 = affine.load %m[%i + 1, symbol(%i)] : !alias
  affine.store %f, %n[%i floordiv 2, %i] : memref<?x?xf32, #strided>
  affine.prefetch %m[%i, %i + 5], read, locality<3>, data : !alias
  %1 = affine.vector_load %m[%i, 0] : !alias, vector<4xf32>
  affine.vector_store %1, %m[%i, 0] : !alias, vector<4xf32>
  affine.for %j = 0 to 4 {
    affine.store %f, %m[%j, %j] : !alias
  } {unroll = true}
  return
}
func.func private @linalg_memory(%m: memref<4x8xf32>, %w: memref<8x4xf32>, %o: memref<4x4xf32>, %x: memref<?x?xf32, strided<[?, 1], offset: ?>>) attributes {llvm.emit_c_interface} {
  linalg.matmul ins(%m, %w : memref<4x8xf32>, memref<8x4xf32>) outs(%o : memref<4x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"], doc = "x", library_call = "f"} ins(%x : memref<?x?xf32, strided<[?, 1], offset: ?>>) outs(%o : memref<4x4xf32>) attrs = {a = 1} {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 1 : index
    linalg.yield %a : f32
  }
  return
}
func.func @vectors(%v: vector<4x[4]xf32>, %w: vector<8xi32>, %c: complex<f64>, %t: tuple<i32, f32>) -> (vector<8xi32>, i64) {
  %0 = arith.addi %w, %w : vector<8xi32>
  %1 = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : vector<8xi32>
  %2 = math.absi %0 : vector<8xi32>
  %3 = builtin.unrealized_conversion_cast %t : tuple<i32, f32> to i64
  %4 = arith.cmpi ult, %0, %1 : vector<8xi32>
  %5 = arith.select %4, %0, %1 : vector<8xi1>, vector<8xi32>
  return %5, %3 : vector<8xi32>, i64 loc(fused<"meta">["a", callsite("x" at "f":1:2), #loc, unknown])
}
}

