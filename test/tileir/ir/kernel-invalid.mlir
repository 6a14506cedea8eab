// RUN: tilewright-opt %s -verify-diagnostics -split-input-file

// expected-error @+1 {{!tile.ptr (ptr_c1): element type 'i7' cannot be in memory}}
tile.kernel @ptr_c1(%p: !tile.ptr<i7>) {
}

// -----

// expected-error @+1 {{!tile.view (view_c1): element type 'index' cannot be in memory}}
tile.kernel @view_c1(%v: !tile.view<4xindex>) {
}

// -----

// expected-error @+1 {{1 strides for 2 dimensions (view_c2)}}
tile.kernel @view_c2(%v: !tile.view<4x4xf32, strides<[1]>>) {
}

// -----

// expected-error @+1 {{argument 0 has type 'tensor<4xf32>'; expected a view, pointer, index, integer or float (kernel_c1)}}
tile.kernel @kernel_c1(%t: tensor<4xf32>) {
}

// -----

// expected-error @+1 {{a kernel has no results, found 1 (kernel_c2)}}
tile.kernel @kernel_c2(%x: index) -> index {
  tile.return %x : index
}

// -----

// The view has two sizes, the index is one.
// expected-error @+1 {{the grid has 0 dims and 2 symbols; the arguments have 3 sizes, expected no dims and 3 symbols (kernel_c3)}}
tile.kernel @kernel_c3(%v: !tile.view<?x4xf32>, %n: index) grid affine_map<()[s0, s1] -> (s0)> {
}

// -----

// expected-error @+1 {{the grid has 4 dimensions, expected 1 to 3 (kernel_c4)}}
tile.kernel @kernel_c4(%n: index) grid affine_map<()[s0] -> (s0, s0, s0, s0)> {
}

// -----

// expected-error @+1 {{tile.disjoint must be an array<i64> of the numbers of other arguments, all views (kernel_c5)}}
tile.kernel @kernel_c5_self(%v: !tile.view<4xf32> {tile.disjoint = array<i64: 0>}) {
}

// -----

// expected-error @+1 {{tile.disjoint must be an array<i64> of the numbers of other arguments, all views (kernel_c5)}}
tile.kernel @kernel_c5_scalar(%v: !tile.view<4xf32> {tile.disjoint = array<i64: 1>}, %n: index) {
}

// -----

// expected-error @+1 {{tile.workspace must be an affine map of the kernel's sizes to one number of bytes, on its last argument, a pointer (kernel_c6)}}
tile.kernel @kernel_c6_first(%w: !tile.ptr<i32> {tile.workspace = affine_map<()[n] -> (n)>}, %n: index) {
}

// -----

// expected-error @+1 {{tile.workspace must be an affine map of the kernel's sizes to one number of bytes, on its last argument, a pointer (kernel_c6)}}
tile.kernel @kernel_c6_symbols(%n: index, %w: !tile.ptr<i32> {tile.workspace = affine_map<()[] -> (8)>}) {
}

// -----

// expected-error @+1 {{tile.zeroed must be "never", "once" or "launch", on a workspace (kernel_c6)}}
tile.kernel @kernel_c6_zeroed(%w: !tile.ptr<i32> {tile.workspace = affine_map<()[] -> (8)>, tile.zeroed = "twice"}) {
}

// -----

// expected-error @+1 {{tile.zeroed must be "never", "once" or "launch", on a workspace (kernel_c6)}}
tile.kernel @kernel_c6_none(%w: !tile.ptr<i32> {tile.zeroed = "once"}) {
}

// -----

// expected-error @+1 {{a workspace has an alignment of 64, found 128 (kernel_c6)}}
tile.kernel @kernel_c6(%w: !tile.ptr<i32> {tile.align = 128 : i64, tile.workspace = affine_map<()[] -> (8)>}) {
}

// -----

// expected-error @+1 {{tile.persistent: expected 1 to 32 programs for each multiprocessor, on a tile.kernel with a grid of one dimension (kernel_c7)}}
tile.kernel @kernel_c7_none() attributes {tile.persistent = 0 : i64} {
}

// -----

// expected-error @+1 {{tile.persistent: expected 1 to 32 programs for each multiprocessor, on a tile.kernel with a grid of one dimension (kernel_c7)}}
tile.kernel @kernel_c7() grid affine_map<()[] -> (2, 3)> attributes {tile.persistent = 1 : i64} {
}

// -----

// expected-error @+1 {{argument 0 of @kernel_c5_unknown: tile.nme: is unknown; expected tile.name, dims,}}
tile.kernel @kernel_c5_unknown(%v: !tile.view<4xf32> {tile.nme = "x"}) {
}

// -----

// expected-error @+1 {{argument 1 of @kernel_c8: tile.name: expected a text that is not empty, found "" (kernel_c8)}}
tile.kernel @kernel_c8(%v: !tile.view<4xf32>, %n: index {tile.name = ""}) {
}

// -----

// expected-error @+1 {{tile.dims: expected a text for each of 2 dimensions, such as "M" or "", found ["M"] (kernel_c8)}}
tile.kernel @kernel_c8_short(%v: !tile.view<?x4xf32> {tile.dims = ["M"]}) {
}

// -----

// expected-error @+1 {{tile.dims: expected a text for each of 1 dimensions, such as "M" or "", found [4] (kernel_c8)}}
tile.kernel @kernel_c8_number(%v: !tile.view<?xf32> {tile.dims = [4]}) {
}

// -----

// expected-error @+1 {{tile.dims: expected a view, found 'index' (kernel_c8)}}
tile.kernel @kernel_c8_scalar(%n: index {tile.dims = ["M"]}) {
}

// -----

// expected-error @+1 {{tile.value: expected an integer or an index, found 'f32' (kernel_c8)}}
tile.kernel @kernel_c8_value(%n: f32 {tile.value = "M"}) {
}

// -----

// expected-error @+1 {{tile.name: expected a kernel, found a function (kernel_c8)}}
tile.func @kernel_c8_function(%n: f32 {tile.name = "n"}) {
  tile.return
}

// -----

// expected-error @+1 {{tile.align must be a power of two, on a view or pointer (kernel_c5)}}
tile.kernel @kernel_c5(%v: !tile.view<4xf32> {tile.align = 12 : i64}) {
}

// -----

// expected-error @+1 {{type 'memref<4xf32>' is not allowed; expected a view, pointer, index, integer, float or tile (func_c1)}}
tile.func @func_c1(%m: memref<4xf32>) {
}

// -----

// expected-error @+1 {{@func_c2 calls itself; recursion is not supported (func_c2)}}
tile.func @func_c2() {
  tile.call @func_c2() : () -> ()
}

// -----

// expected-note @+1 {{the function is declared here}}
tile.func @return_c1(%x: f32) -> f64 {
  // expected-error @+1 {{returns ('f32'), @return_c1 has results ('f64') (return_c1)}}
  tile.return %x : f32
}

// -----

tile.func @call_c1() {
  // expected-error @+1 {{@missing is not a tile.func of this module (call_c1)}}
  tile.call @missing() : () -> ()
}

// -----

// expected-note @+1 {{the function is declared here}}
tile.func @callee(%x: f32) {
}
tile.func @call_c2(%x: i32) {
  // expected-error @+1 {{calls @callee as ('i32') -> (), it is '(f32) -> ()' (call_c2)}}
  tile.call @callee(%x) : (i32) -> ()
}

// -----

tile.func @program_id_c1() {
  // expected-error @+1 {{is allowed only in a tile.kernel; pass its results to a device function (program_id_c1)}}
  %i = tile.program_id
}

// -----

// expected-note @+1 {{the grid is declared here}}
tile.kernel @program_id_c2(%n: index) grid affine_map<()[s0] -> (s0, 2)> {
  // expected-error @+1 {{has 1 results, the grid has 2 dimensions (program_id_c2)}}
  %i = tile.program_id
}

// -----

tile.func @program_count_c1() {
  // expected-error @+1 {{is allowed only in a tile.kernel; pass its results to a device function (program_count_c1)}}
  %i = tile.program_count
}

// -----

// expected-note @+1 {{the grid is declared here}}
tile.kernel @program_count_c2(%n: index) grid affine_map<()[s0] -> (s0, 2)> {
  // expected-error @+1 {{has 3 results, the grid has 2 dimensions (program_count_c2)}}
  %i, %j, %k = tile.program_count
}
