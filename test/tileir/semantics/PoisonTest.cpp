// Uses of poison: each is reported at the op that uses it, with the op that
// made it.
#include "Semantics.h"

using namespace tilewright::semantics;

namespace {
struct Use {
  const char *op;
  const char *error;
};
} // namespace

/// One statement each. %i, %b, %p, %m and %v are poison: an index, a condition,
/// a pointer, a mask, and elements.
static const Use uses[] = {
    {"tile.store %v, %y[%0] : tensor<2xi32>, !tile.view<4xi32>",
     "tile.store: stores a poison value"},
    {"tile.store_ptr %v, %good : tensor<2x!tile.ptr<i32>>",
     "tile.store_ptr: stores a poison value"},
    {"%r = tile.atomic_rmw add relaxed device %v, %good : "
     "tensor<2x!tile.ptr<i32>>",
     "tile.atomic_rmw: stores a poison value"},
    {"%r = tile.atomic_rmw add relaxed device %one, %p : "
     "tensor<2x!tile.ptr<i32>>",
     "tile.atomic_rmw: the pointer is a poison value"},
    {"%r = tile.atomic_rmw add relaxed device %one, %good mask %m : "
     "tensor<2x!tile.ptr<i32>>",
     "tile.atomic_rmw: the mask is a poison value"},
    {"tile.atomic_reduce add relaxed device %v, %y[%0] : tensor<2xi32>, "
     "!tile.view<4xi32>",
     "tile.atomic_reduce: stores a poison value"},
    {"tile.store %one, %y[%i] : tensor<2xi32>, !tile.view<4xi32>",
     "tile.store: uses a poison value as address, bound or condition"},
    {"%r = tile.load %y[%i] : !tile.view<4xi32> -> tensor<2xi32>",
     "tile.load: uses a poison value as address, bound or condition"},
    {"tile.store_ptr %one, %p : tensor<2x!tile.ptr<i32>>",
     "tile.store_ptr: the pointer is a poison value"},
    {"%r = tile.load_ptr %p : tensor<2x!tile.ptr<i32>>",
     "tile.load_ptr: the pointer is a poison value"},
    {"%r = tile.load_ptr %good mask %m : tensor<2x!tile.ptr<i32>>",
     "tile.load_ptr: the mask is a poison value"},
    {"tile.store_ptr %one, %good mask %m : tensor<2x!tile.ptr<i32>>",
     "tile.store_ptr: the mask is a poison value"},
    {"scf.if %b { }",
     "scf.if: uses a poison value as address, bound or condition"},
    {"scf.for %k = %0 to %i step %c1 { }",
     "scf.for: uses a poison value as address, bound or condition"},
    {"scf.for %k = %i to %c1 step %c1 { }",
     "scf.for: uses a poison value as address, bound or condition"},
    {"scf.while : () -> () { scf.condition(%b) } do { scf.yield }",
     "scf.condition: uses a poison value as address, bound or condition"},
    {"scf.index_switch %i case 0 { scf.yield } default { scf.yield }",
     "scf.index_switch: uses a poison value as address, bound or condition"},
    {"tile.assert %b, \"holds\" : i1",
     "tile.assert: the condition is a poison value"},
};

TEST_CASE("poison that reaches memory, an address or a branch is reported") {
  for (const Use &use : uses) {
    INFO(use.op);
    Result result = launch(std::string(R"(
tile.kernel @k(%y: !tile.view<4xi32>) {
  %0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i = arith.divui %0, %0 : index
  %b = arith.cmpi eq, %i, %0 : index
  %one = arith.constant dense<1> : tensor<2xi32>
  %zero = arith.constant dense<0> : tensor<2xi32>
  %v = arith.remsi %one, %zero : tensor<2xi32>
  %m = arith.cmpi eq, %v, %zero : tensor<2xi32>
  %base = tile.base %y : !tile.view<4xi32> -> !tile.ptr<i32>
  %good = tile.offset %base, %zero : !tile.ptr<i32>, tensor<2xi32>
  %p = tile.offset %base, %v : !tile.ptr<i32>, tensor<2xi32>
  )") + use.op + "\n}",
                           {{{4}, {1, 2, 3, 4}}});
    CAPTURE(result.error);
    CHECK(result.error.find(use.error) != std::string::npos);
    CHECK(result.error.find("this operation is not defined for its operands") !=
          std::string::npos);
  }
}
