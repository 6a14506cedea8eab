// Random kernels, most of them wrong: a build always returns, with a module
// that verifies or with one error.
#include "Run.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::authoring;

namespace tilewright::test {

namespace {
/// Writes one kernel, from values made in it, in bodies that have ended and in
/// kernels before it.
class Author {
public:
  explicit Author(uint32_t seed) : random(seed) {}

  void write(View<F32, 2> x, Index n) {
    // Some of those that are left are of the kernel before.
    if (pick(12))
      tiles.clear(), rows.clear(), indices.clear();
    indices.push_back(n);
    tiles.push_back(x.load({0, 0}, {size(), size()}));
    rows.push_back(iota<I32>(size()));
    for (int left = 3 + pick(12); left > 0; --left)
      operation(x, 0);
    x.store({index(), index()}, tile());
  }

private:
  int pick(int count) { return int(random() % uint32_t(count)); }
  /// Mostly one that fits.
  int64_t size() {
    static const int64_t odd[] = {1, 2, 8, 0, -3, 1 << 13, int64_t(1) << 40};
    return pick(40) ? 4 : odd[pick(7)];
  }
  int coordinate() { return pick(40) ? pick(2) : pick(5) - 2; }
  template <class V> V &any(std::vector<V> &values) {
    if (values.empty() || !pick(200))
      values.emplace_back();
    size_t count = values.size();
    // Mostly the latest ones.
    return values[pick(4) ? count - 1 -
                                size_t(pick(int(std::min<size_t>(count, 3))))
                          : size_t(pick(int(count)))];
  }
  Tile<F32, 2> tile() { return any(tiles); }
  Tile<I32, 1> row() { return any(rows); }
  Index index() { return any(indices); }

  void operation(View<F32, 2> x, int depth) {
    if (depth < 3 && !pick(4))
      return body(x, depth + 1);
    if (pick(3) == 0)
      return onRows();
    switch (pick(14)) {
    case 0:
      return tiles.push_back(tile() + tile());
    case 1:
      return tiles.push_back(exp(tile()) * pick(9));
    case 2:
      return tiles.push_back(sum(tile(), axis(coordinate())));
    case 3:
      return tiles.push_back(transpose(tile(), {coordinate(), coordinate()}));
    case 4:
      return tiles.push_back(reshape<2>(tile(), {size(), size()}));
    case 5:
      return tiles.push_back(
          slice(tile(), {coordinate(), coordinate()}, {size(), size()}));
    case 6:
      return tiles.push_back(concat(tile(), tile(), coordinate()));
    case 7:
      return tiles.push_back(dot(tile(), tile(), tile()));
    case 8:
      return tiles.push_back(where(tile() < tile(), tile(), 0.0));
    case 9:
      return tiles.push_back(
          squeeze(expand(tile(), coordinate()), coordinate()));
    case 10:
      return tiles.push_back(x.load({index(), index()}, {size(), size()}));
    case 11:
      return x.store({index(), index()}, tile());
    case 12:
      return tiles.push_back(sort(tile(), axis(coordinate())));
    default:
      return tiles.push_back(broadcast(tile(), {size(), size()}));
    }
  }

  void onRows() {
    switch (pick(8)) {
    case 0:
      return rows.push_back(row() / pick(5));
    case 1:
      return rows.push_back(cumulativeSum(row(), axis(coordinate())));
    case 2:
      return rows.push_back(histogram(row(), size()));
    case 3:
      return rows.push_back(gather(row(), row(), coordinate()));
    case 4:
      return indices.push_back(index() % (pick(9) + 1) + pick(3));
    case 5:
      return indices.push_back(
          cast<IndexElement>(extract(row(), {coordinate()})));
    case 6:
      return tiles.push_back(cast<F32>(expand(row(), coordinate())));
    default:
      (void)program(index());
      return;
    }
  }

  /// Mostly forgets the values made in the body.
  void body(View<F32, 2> x, int depth) {
    size_t counts[] = {tiles.size(), rows.size(), indices.size()};
    auto result = bodyOf(x, depth);
    if (pick(12)) {
      tiles.resize(std::min(counts[0], tiles.size()));
      rows.resize(std::min(counts[1], rows.size()));
      indices.resize(std::min(counts[2], indices.size()));
    }
    if (result)
      tiles.push_back(*result);
  }
  std::optional<Tile<F32, 2>> bodyOf(View<F32, 2> x, int depth) {
    switch (pick(5)) {
    case 0:
      loop(Range(0, index(), pick(40) ? 1 : 0), [&](Index i) {
        indices.push_back(i);
        operation(x, depth);
      });
      return {};
    case 1:
      return loop(index(), tile(), [&](Index i, Tile<F32, 2> t) {
        tiles.push_back(t);
        operation(x, depth);
        return tile();
      });
    case 2:
      when(
          index() < pick(9), [&] { operation(x, depth); },
          [&] { operation(x, depth); });
      return {};
    case 3:
      return reduce(tile(), axis(coordinate()),
                    [&](Scalar<F32> a, Scalar<F32> b) {
                      if (!pick(9))
                        operation(x, depth);
                      return pick(9) ? a + b : a * cast<F32>(index());
                    });
    default:
      return loopWhile(
          tile(), [&](Tile<F32, 2> t) { return max(t) < float(pick(9)); },
          [&](Tile<F32, 2> t) { return pick(4) ? t + 1 : tile(); });
    }
  }

  std::mt19937 random;
  std::vector<Tile<F32, 2>> tiles;
  std::vector<Tile<I32, 1>> rows;
  std::vector<Index> indices;
};
} // namespace

TEST_CASE("random kernels build, or give one error") {
  int good = 0, bad = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    Author author(seed);
    for (int number = 0; number < 12; ++number) {
      INFO("seed " << seed << ", kernel " << number);
      Kernel k =
          kernel("k", [&](View<F32, 2> x, Index n) { author.write(x, n); });
      std::vector<Diagnostic> diagnostics;
      auto built = k.build({}, {.checkBounds = number % 2 == 1}, &diagnostics);
      CHECK(diagnostics.size() == (built.ok() ? 0 : 1));
      if (built.ok())
        CHECK(verifies(built->module.code));
      else
        CHECK(diagnostics[0].where.line > 0);
      ++(built.ok() ? good : bad);
    }
  }
  // Neither kind is rare.
  CHECK(good > 40);
  CHECK(bad > 60);
}

} // namespace tilewright::test
