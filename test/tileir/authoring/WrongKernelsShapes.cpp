// Sizes, axes and ranges that do not fit.
#include "WrongKernels.h"

#include <limits>

using namespace tilewright::authoring;

namespace tilewright::test {

static WrongKernels wrongSizes() {
  WrongKernels all;
  all.add("operands differ", [] {
    auto a = zeros<F32>(64), b = zeros<F32>(32);
    auto c = a + b; // broadcast
  });
  all.add("second dimension differs", [] {
    auto a = zeros<F32>(1, 3), b = zeros<F32>(2, 4);
    a *= b; // broadcast
  });
  all.add("condition differs", [] {
    auto a = zeros<F32>(4, 8), b = zeros<F32>(4, 1);
    auto c = where(zeros<Bool>(3, 8), a, b); // broadcast
  });
  all.add("fma of three", [] {
    auto a = zeros<F32>(8), b = ones<F32>(1);
    auto c = fma(a, b, zeros<F32>(9)); // broadcast
  });
  all.add("broadcast of no 1", [] {
    auto a = zeros<F32>(4, 8);
    a = broadcast(a, {8, 8}); // broadcast_c3
  });
  all.add("size 0", [] {
    auto a = zeros<F32>(0); // tile_size
  });
  all.add("negative size", [](View<F32, 2> x) {
    auto a = x.load({0, 0}, {16, -4}); // tile_size
  });
  all.add("huge", [] {
    auto a = ones<I8>(1 << 20, 1 << 20); // tile_size
  });
  all.add("size that overflows", [] {
    auto n = int64_t(1) << 62;
    auto a = full<I8>({n, n}, 1); // tile_size
  });
  all.add("huge by repetition", [] {
    auto a = ones<I8>(1 << 20, 1), b = ones<I8>(1, 1 << 20);
    auto c = a + b; // tile_size
  });
  all.add("iota beyond its type", [] {
    auto a = iota<U8>(257); // iota_c2
  });
  all.add("reshape", [] {
    auto a = zeros<F32>(4, 8);
    auto b = reshape<1>(a, 33); // reshape_c2
  });
  all.add("reshape to -1", [] {
    auto a = zeros<F32>(4, 8);
    auto b = reshape<1>(a, -1); // tile_size
  });
  all.add("concat", [] {
    auto a = zeros<F32>(4, 8), b = zeros<F32>(4, 7);
    auto c = concat(a, b, 0); // concat_c3
  });
  all.add("transpose twice the same", [] {
    auto a = zeros<F32>(2, 3, 4);
    auto b = transpose(a, {0, 1, 1}); // transpose_c2
  });
  all.add("transpose out of range", [] {
    auto a = zeros<F32>(2, 3, 4);
    auto b = transpose(a, {0, 1, 3}); // transpose_c2
  });
  all.add("squeeze of no 1", [] {
    auto a = zeros<F32>(4, 8);
    auto b = squeeze(a, 0); // squeeze_size
  });
  all.add("gather", [] {
    auto a = zeros<F32>(4, 8);
    auto i = zeros<I32>(5, 2);
    auto b = gather(a, i, 1); // gather_c2
  });
  all.add("topK of too many", [] {
    auto a = zeros<F32>(4, 8);
    auto [v, i] = topK(a, 9, axis(1)); // top_k_count
  });
  all.add("topK of none", [] {
    auto a = zeros<F32>(8);
    auto [v, i] = topK(a, 0, axis(0)); // top_k_count
  });
  all.add("histogram of no bins", [] {
    auto h = histogram(zeros<I32>(8), 0); // tile_size
  });
  all.add("sort of two shapes", [] {
    auto a = zeros<F32>(8);
    auto [k, v] = sort(a, iota<I32>(7), axis(0)); // sort_c1
  });
  all.add("reduce of two shapes", [] {
    auto a = zeros<F32>(8);
    auto i = iota<I32>(7);
    auto f = [](auto l, auto r) { return l; };
    auto [v, w] = reduce(a, i, axis(0), f); // reduce_c1
  });
  return all;
}

static WrongKernels wrongProducts() {
  WrongKernels all;
  all.add("dot, inner", [] {
    auto a = zeros<F32>(8, 16), b = zeros<F32>(8, 4);
    auto c = dot<F32>(a, b); // dot_c2
  });
  all.add("dot, accumulator", [] {
    auto a = zeros<F32>(8, 16);
    auto b = zeros<F32>(16, 4);
    auto c = zeros<F32>(4, 8);
    c = dot(a, b, c); // dot_c3
  });
  all.add("dot, batch", [] {
    auto a = zeros<F32>(2, 8, 16);
    auto b = zeros<F32>(3, 16, 4);
    auto c = dot<F32>(a, b); // dot_c3
  });
  all.add("scaledDot, scale", [] {
    auto a = zeros<F8E5M2>(8, 64);
    auto b = zeros<F8E5M2>(64, 4);
    auto s = ones<F8E8M0FNU>(8, 3);
    auto t = ones<F8E8M0FNU>(2, 4);
    auto c = zeros<F32>(8, 4);
    c = scaledDot(a, s, b, t, c); // scaled_dot_c4
  });
  return all;
}

static WrongKernels wrongIndices() {
  WrongKernels all;
  all.add("axis of a reduction", [] {
    auto a = sum(zeros<F32>(4, 8), axis(2)); // axis
  });
  all.add("negative axis", [] {
    auto a = zeros<F32>(4, 8);
    a = max(a, axis(-3)); // axis
  });
  all.add("axis of one", [] {
    auto a = zeros<F32>(4);
    a = cumulativeSum(a, axis(1)); // axis
  });
  all.add("axis of none", [] {
    auto a = squeeze(zeros<F32>(1), 0);
    a = min(a, axis(0)); // axis
  });
  all.add("axis of argMax", [] {
    auto a = zeros<F32>(4, 8);
    auto b = argMax(a, axis(3)); // axis
  });
  all.add("axis of sort", [] {
    auto a = sort(zeros<F32>(8), axis(-2)); // axis
  });
  all.add("axis of topK", [] {
    auto a = zeros<F32>(4, 8);
    auto [v, i] = topK(a, 2, axis(2)); // axis
  });
  all.add("axis of concat", [] {
    auto a = zeros<F32>(4, 8);
    a = concat(a, a, 2); // axis
  });
  all.add("axis of gather", [] {
    auto a = zeros<F32>(4, 8);
    auto i = zeros<I32>(4, 8);
    a = gather(a, i, -3); // axis
  });
  all.add("axis of expand", [] {
    auto a = expand(zeros<F32>(4), 2); // axis
  });
  all.add("axis of expand from the end", [] {
    auto a = expand(zeros<F32>(4), -3); // axis
  });
  all.add("axis of squeeze", [] {
    auto a = squeeze(zeros<F32>(1), 1); // axis
  });
  all.add("size of a dimension", [] {
    auto a = zeros<F32>(4, 8);
    auto n = a.size(2); // axis
  });
  all.add("slice beyond the end", [] {
    auto a = zeros<F32>(4, 8);
    auto b = slice(a, {2, 0}, {3, 8}); // slice_c4
  });
  all.add("slice before the start", [] {
    auto a = zeros<F32>(4, 8);
    auto b = slice(a, {-1, 0}, {3, 8}); // slice_c4
  });
  all.add("slice with step 0", [] {
    auto a = zeros<F32>(8);
    auto b = slice(a, 0, 3, 0); // slice_c3
  });
  all.add("slice beyond all numbers", [] {
    auto a = zeros<F32>(8);
    int64_t far = std::numeric_limits<int64_t>::max();
    auto b = slice(a, far, 3, far); // slice_c4
  });
  all.add("slice with steps beyond", [] {
    auto a = zeros<F32>(8);
    auto b = slice(a, 0, 3, 4); // slice_c4
  });
  all.add("extract", [] {
    auto a = zeros<F32>(4, 8);
    auto b = extract(a, {3, 8}); // extract_index
  });
  all.add("extract before", [] {
    auto a = zeros<F32>(8);
    auto b = extract(a, -1); // extract_index
  });
  all.add("extract at no index", [] {
    auto a = zeros<F32>(8);
    auto b = extract(a, ~uint64_t(0)); // literal_range
  });
  return all;
}

static WrongKernels wrongParts() {
  WrongKernels all;
  all.add("no shape of no tiles", [] {
    std::vector<Tile<F32, 1>> none;
    auto a = concat(none, 0); // no_tiles
  });
  all.add("join of none", [] {
    std::vector<Tile<F32, 1>> none;
    auto a = join(none); // no_tiles
  });
  all.add("concat of three", [] {
    auto a = zeros<F32>(2, 4), b = zeros<F32>(2, 5);
    auto c = concat({a, a, b}, 0); // concat_c3
  });
  all.add("join of two shapes", [] {
    auto a = zeros<F32>(4), b = zeros<F32>(5);
    auto c = join(a, b); // join_c1
  });
  all.add("split into too many", [] {
    auto a = zeros<F32>(8, 2);
    auto parts = split<3>(a); // split_count
  });
  all.add("zeros of four dimensions", [] {
    auto a = zeros<F32>({2, 0, 4, 8}); // tile_size
  });
  all.add("carry of another shape", [] {
    auto a = zeros<F32>(4, 8), carry = zeros<F32>(2, 1);
    auto [t, next] = cumulativeSumFrom(carry, a, axis(1)); // broadcast
  });
  all.add("carry of the tile's own shape", [] {
    auto a = zeros<F32>(4, 8);
    auto [t, next] = cumulativeSumFrom(a, a, axis(1)); // carry_shape
  });
  all.add("axis of a carried scan", [] {
    auto a = zeros<F32>(4), carry = zeros<F32>(1);
    auto [t, next] = cumulativeSumFrom(carry, a, axis(1)); // axis
  });
  all.add("mask of a histogram", [] {
    auto a = zeros<I32>(8);
    auto h = histogram(a, 4, ones<Bool>(7)); // histogram_c2
  });
  return all;
}

WrongKernels wrongShapes() {
  return joined({wrongSizes(), wrongProducts(), wrongIndices(), wrongParts()});
}

} // namespace tilewright::test
