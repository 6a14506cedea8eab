// The grid, tunables, names.
#include "WrongKernels.h"

using namespace tilewright::authoring;

namespace tilewright::test {

static WrongKernels wrongGrids() {
  WrongKernels all;
  all.add("twice", [](Index n) {
    auto [i] = program(n);
    auto [j] = program(n); // program_twice
  });
  all.add("from memory", [](Pointer<I64> p) {
    Index n = cast<IndexElement>(load(p));
    auto [i] = program(n); // grid_expression
  });
  all.add("second count from the program's index", [](Index n) {
    Index m = loop(n, n, [](Index i, Index) { return i; });
    auto [i, j] = program(1, m); // grid_expression
  });
  all.add("divided by a negative number", [](Index n) {
    auto [i] = program(ceilDiv(n, -3)); // grid_expression
  });
  all.add("divided by zero", [](Index n) {
    Index zero = 0;
    auto [i] = program(n / zero); // division_by_zero
  });
  all.add("from the larger of two", [](Index n, Index m) {
    auto [i] = program(max(n, m)); // grid_expression
  });
  all.add("from a size of a view made here", [](Pointer<F32> p, Index n) {
    auto x = viewAt(p, {n});
    auto [i] = program(x.dim(0)); // grid_expression
  });
  all.add("negative", [] {
    auto [i] = program(-1); // grid_count
  });
  all.add("count of a dimension", [](Index n) {
    auto [i, j] = program(n, 4);
    Index m = programCount(2); // grid_dim
  });
  all.add("persistent in two dimensions", [](Index n) {
    auto [i, j] = program(n, 4);
    persistent(2); // kernel_c7
  });
  all.add("no persistent program", [](Index n) {
    auto [i] = program(n);
    persistent(0); // kernel_c7
  });
  all.add("count without a grid", [] {
    Index m = programCount(1); // grid_dim
  });
  return all;
}

static WrongKernels wrongTunables() {
  auto tiled = [](View<F32, 1> x) {
    auto n = tunable("n", {64, 128}), w = tunable("w", {1, 2});
    require(n * w < 256, "n * w < 256"); // requirement
    auto a = x.load(0, n);
  };
  WrongKernels all;
  all.add("no values", [] {
    auto n = tunable("n", {}); // tunable_empty
  });
  all.add("named twice", [] {
    auto n = tunable("n", {1, 2});
    auto m = tunable("n", {1, 2}); // tunable_twice
  });
  all.add("a value twice", [] {
    auto n = tunable("n", {1, 2, 1}); // tunable_values
  });
  all.add("no name", [] {
    auto n = tunable("", {1, 2}); // tunable_name
  });
  auto legal = [] {
    auto n = tunable("n", {64, 128}); // tunable_value
  };
  all.add("a value that is not legal", legal, {{"n", 96}});
  all.add("an unknown name", tiled, {{"N", 64}}); // tunable_unknown
  all.add("a name of none", [] {}, {{"N", 64}});  // tunable_unknown
  all.add("a requirement", tiled, {{"n", 128}, {"w", 2}});
  auto negative = [] {
    auto n = tunable("n", {64, -64});
    auto a = zeros<F32>(n); // tile_size
  };
  all.add("a size from a binding", negative, {{"n", -64}});
  return all;
}

static WrongKernels wrongNames() {
  WrongKernels all;
  all.add("empty", kernel("", [] {}));          // kernel_name
  all.add("digit first", kernel("2mm", [] {})); // kernel_name
  all.add("sign", kernel("a-b", [] {}));        // kernel_name
  return all;
}

WrongKernels wrongPrograms() {
  return joined({wrongGrids(), wrongTunables(), wrongNames()});
}

} // namespace tilewright::test
