// Many products of matrices of different sizes in one launch.
#include "Check.h"

namespace known {

// kernel: grouped GEMM
/// C[g] = A[g] B[g] for each g, each of its own sizes m, n, k. The matrices are
/// passed as addresses. Programs take their tiles round-robin.
static void groupedMatmul(View<I64, 1> as, View<I64, 1> bs, View<I64, 1> cs,
                          View<I32, 2> sizes, Index programs) {
  int64_t bm = tunable("bm", {32, 64}), bn = tunable("bn", {32, 64});
  int64_t bk = tunable("bk", {32, 64});
  auto [p] = program(programs);
  loop(sizes.dim(0), Index(0), [&, p = p](Index g, Index before) {
    Index m = cast<Index>(sizes.at(g, 0)), n = cast<Index>(sizes.at(g, 1)),
          k = cast<Index>(sizes.at(g, 2));
    auto a = viewAt(pointerAt<F16>(as.at(g)), {m, k});
    auto b = viewAt(pointerAt<F16>(bs.at(g)), {k, n});
    auto c = viewAt(pointerAt<F16>(cs.at(g)), {m, n});
    Index columns = ceilDiv(n, bn), tiles = ceilDiv(m, bm) * columns;
    Index first = (p + programs - before % programs) % programs;
    loop(Range(first, tiles, programs), [&](Index tile) {
      Index i = tile / columns, j = tile % columns;
      auto acc = loop(
          ceilDiv(k, bk), zeros<F32>(bm, bn), [&](Index l, Tile<F32, 2> acc) {
            return dot(a.load({i, l}, {bm, bk}), b.load({l, j}, {bk, bn}), acc);
          });
      c.store({i, j}, cast<F16>(acc));
    });
    return before + tiles;
  });
}
// end

static void checkGroups(Checker &check, const Triples &groups) {
  check.shape("grouped GEMM", std::to_string(groups.size()) + " groups");
  std::vector<DeviceTensor> tensors, results;
  std::vector<Doubles> expected;
  Doubles sizes, as, bs, cs;
  auto address = [](const DeviceTensor &x) { return double(x.address()); };
  uint32_t seed = 30;
  for (auto [m, n, k] : groups) {
    auto a = Checker::noise(m * k, seed++), b = Checker::noise(k * n, seed++);
    expected.push_back(product(a, b, m, n, k));
    tensors.push_back(check.tensor<Float16>({m, k}, a));
    as.push_back(address(tensors.back()));
    tensors.push_back(check.tensor<Float16>({k, n}, b));
    bs.push_back(address(tensors.back()));
    results.push_back(check.zeros<Float16>({m, n}));
    cs.push_back(address(results.back()));
    sizes.insert(sizes.end(), {double(m), double(n), double(k)});
  }
  auto count = static_cast<int64_t>(groups.size());
  check.run(kernel("grouped_matmul", groupedMatmul), {},
            check.tensor<int64_t>({count}, as),
            check.tensor<int64_t>({count}, bs),
            check.tensor<int64_t>({count}, cs),
            check.tensor<int32_t>({count, 3}, sizes), 4);
  for (size_t g = 0; g < groups.size(); ++g)
    check.expect<Float16>(results[g], expected[g], halfRounding);
}

void checkGroupedMatmul(Checker &check) {
  checkGroups(check, {});
  checkGroups(check, {{1, 1, 1}});
  checkGroups(check, {{64, 64, 32}, {32, 96, 64}});
  checkGroups(check, {{70, 45, 100}, {0, 5, 6}, {33, 1, 17}, {5, 6, 0}});
}

} // namespace known
