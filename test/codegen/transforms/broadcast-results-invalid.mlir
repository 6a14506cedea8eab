// RUN: tilewright-opt %s -verify-diagnostics -pass-pipeline='builtin.module(tile.kernel(broadcast-results))'

// expected-error @+1 {{expected a kernel with layouts: assign-layouts runs before}}
tile.kernel @early(%p: !tile.ptr<i32>, %v: i32) {
  %old = tile.atomic_rmw add relaxed device %v, %p : !tile.ptr<i32>
}
