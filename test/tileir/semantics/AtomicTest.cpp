// Atomic operations: what is in memory afterwards, and what is returned.
#include "Semantics.h"

using namespace tilewright::semantics;

/// Memory after `%old = tile.atomic_rmw KIND ...` with one value.
static Numbers update(const std::string &kind, const std::string &type,
                      double before, double value) {
  Result result =
      launch("tile.kernel @k(%p: !tile.ptr<" + type + ">, %v: " + type +
                 ") {\n%old = tile.atomic_rmw " + kind +
                 " relaxed device %v, %p : !tile.ptr<" + type + ">\n}",
             {{{}, {before}}, {{}, {value}}});
  CHECK(result.error == "");
  return result.results[0];
}

TEST_CASE("atomic_rmw: each kind") {
  CHECK_SAME(update("exchange", "i32", 5, 7), {7});
  CHECK_SAME(update("add", "i32", 5, -7), {-2});
  CHECK_SAME(update("and", "i32", 12, 10), {8});
  CHECK_SAME(update("or", "i32", 12, 10), {14});
  CHECK_SAME(update("xor", "i32", 12, 10), {6});
  CHECK_SAME(update("max", "i32", -1, 1), {1});
  CHECK_SAME(update("umax", "i32", -1, 1), {-1});
  CHECK_SAME(update("min", "i32", -1, 1), {-1});
  CHECK_SAME(update("umin", "i32", -1, 1), {1});
  CHECK_SAME(update("add", "f16", 2048, 1), {2048});
  CHECK_SAME(update("max", "f32", 1, kNan), {kNan});
  CHECK_SAME(update("min", "f32", 1, -2), {-2});
}

TEST_CASE("atomic_rmw: returns what was there; a masked element does nothing") {
  // Both pointers are the same: the second sees what the first left.
  Result result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<i32>, %y: !tile.view<3xi32>) {
      %0 = arith.constant 0 : index
      %zero = arith.constant dense<0> : tensor<3xi32>
      %ps = tile.offset %p, %zero : !tile.ptr<i32>, tensor<3xi32>
      %v = arith.constant dense<[1, 2, 4]> : tensor<3xi32>
      %m = arith.constant dense<[true, false, true]> : tensor<3xi1>
      %old = tile.atomic_rmw add relaxed device %v, %ps mask %m
          : tensor<3x!tile.ptr<i32>>
      tile.store %old, %y[%0] : tensor<3xi32>, !tile.view<3xi32>
    })",
                         {{{}, {10}}, {{3}, Numbers(3)}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[0], {15});
  CHECK_SAME(result.results[1], {10, 0, 11});
}

TEST_CASE("atomic_cas: replaces only what is as expected") {
  const char *text = R"(
    tile.kernel @k(%p: !tile.ptr<i32>, %e: i32, %y: !tile.ptr<i32>) {
      %new = arith.constant 99 : i32
      %old = tile.atomic_cas acq_rel device %e, %new, %p : !tile.ptr<i32>
      tile.store_ptr %old, %y : !tile.ptr<i32>
    })";
  Result hit = launch(text, {{{}, {5}}, {{}, {5}}, {{}, {0}}});
  CHECK_SAME(hit.results[0], {99});
  CHECK_SAME(hit.results[2], {5});
  Result miss = launch(text, {{{}, {6}}, {{}, {5}}, {{}, {0}}});
  CHECK_SAME(miss.results[0], {6});
  CHECK_SAME(miss.results[2], {6});
}

TEST_CASE("atomic_reduce: all programs add up; outside the view is dropped") {
  // 3 programs add 1 to elements 0..3 of a view of 3.
  Result result = launch(R"(
    tile.kernel @k(%x: !tile.view<?xf32>, %n: index)
        grid affine_map<()[s0, s1] -> (s1)> {
      %0 = arith.constant 0 : index
      %one = arith.constant dense<1.0> : tensor<4xf32>
      tile.atomic_reduce add relaxed device %one, %x[%0]
          : tensor<4xf32>, !tile.view<?xf32>
      tile.fence acq_rel device
    })",
                         {{{3}, {0, 10, 20}}, {{}, {3}}});
  CHECK(result.error == "");
  CHECK_SAME(result.results[0], {3, 13, 23});
}

TEST_CASE("an atomic out of bounds is an error at the op") {
  Result result = launch(R"(
    tile.kernel @k(%p: !tile.ptr<i32>) {
      %one = arith.constant 1 : i32
      %q = tile.offset %p, %one : !tile.ptr<i32>, i32
      %old = tile.atomic_rmw add relaxed device %one, %q : !tile.ptr<i32>
    })",
                         {{{}, {0}}});
  CHECK(result.error == "5: tile.atomic_rmw: access to byte 4 of 'array', "
                        "which has 4 bytes");
}
