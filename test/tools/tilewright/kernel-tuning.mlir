// What `tune` found for a tile kernel is what `compile --tuning` takes.
// RUN: rm -rf %t && mkdir %t
// RUN: tilewright tune %s --device cpu --db %t/t.db --trials 4 --time 60s
// RUN: tilewright compile %s --tuning %t/t.db --target cpu,sm_80 -o %t/a.twp \
// RUN:   | FileCheck %s --check-prefix=FOUND
// RUN: tilewright compile %s --tuning %t/t.db --target cpu --emit tile \
// RUN:   > %t/tiles
// RUN: cat %t/a.twp/manifest.json %t/tiles | FileCheck %s --check-prefix=SAME
// RUN: tilewright compile %s --tuning %t/t.db --target cpu,sm_80 -o %t/b.twp
// RUN: diff -r %t/a.twp %t/b.twp
// The interpreter runs the kernel by its first values.
// RUN: tilewright run %s --device interpreter | FileCheck %s --check-prefix=INTERPRETED

// Where sizes are known at run time only, one of the tuned shapes speaks for
// all.
// RUN: sed 's/view<64xf32>/view<?xf32>/g' %s > %t/open.mlir
// RUN: tilewright tune %t/open.mlir --device cpu --db %t/t.db --trials 2 \
// RUN:   --time 60s --argument 64 --argument 64
// RUN: tilewright tune %t/open.mlir --device cpu --db %t/t.db --trials 2 \
// RUN:   --time 60s --argument 128 --argument 128
// RUN: tilewright tune %t/open.mlir --device cpu --db %t/t.db --trials 2 \
// RUN:   --time 60s --argument 4096 --argument 4096
// RUN: tilewright compile %t/open.mlir --tuning %t/t.db --target cpu \
// RUN:   -o %t/open.twp | FileCheck %s --check-prefix=OPEN
// RUN: FileCheck %s --check-prefix=MIDDLE --input-file %t/open.twp/manifest.json
// RUN: tilewright run %t/open.twp --input-shape x=100 \
// RUN:   | FileCheck %s --check-prefix=RESULT

// FOUND: 1 of 2 kernels have a tuned schedule in
// SAME: "tuning.cpu.twice": "task {{[0-9a-f]+}}, trial {{.*}}, distance 0, schedule W=[[W:[0-9]+]] 
// SAME: module
// SAME: grid {{.*}} ceildiv [[W]])
// INTERPRETED: arg1: f32[64]
// OPEN: 1 of 1 kernels have a tuned schedule
// MIDDLE: "tuning.cpu.twice": "task {{.*}}, distance 0, schedule W={{.*}}, tuned for 128 128, the middle of 3 shapes"
// RESULT: arg1: f32[100]

// tunable W = 16, 32, 64
tile.kernel @twice(%a: !tile.view<64xf32> {tile.name = "x"},
                   %b: !tile.view<64xf32> {tile.dims = ["arg0.dim0"]})
    grid affine_map<()[n, m] -> (n ceildiv ${W})> {
  %i = tile.program_id
  %x = tile.load %a[%i] pad 0.0 : !tile.view<64xf32> -> tensor<${W}xf32>
  %y = arith.addf %x, %x : tensor<${W}xf32>
  tile.store %y, %b[%i] : tensor<${W}xf32>, !tile.view<64xf32>
}
