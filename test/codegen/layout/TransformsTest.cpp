#include "codegen/layout/Transforms.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Text.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::layout;
using namespace tilewright::layout::test;

/// Whether every item of the result has, in every thread, the element of its
/// source register: the coordinate that `toOperand` returns. -1 must be padding
/// beyond `shape`, the tile's extents.
template <typename Map>
static std::string wrong(const Transformed &result, const Layout &operand,
                         const Dims &shape, Map toOperand) {
  std::string problem;
  if (int64_t(result.source.size()) != result.layout.items())
    return "a source for each register";
  if (!result.layout.covers(shape))
    return "the result does not cover its tile";
  for (HardwareDim hardwareDim :
       {HardwareDim::lane, HardwareDim::warp, HardwareDim::block})
    if (result.layout.bits(hardwareDim) != operand.bits(hardwareDim))
      return "threads";
  forEachIndex(result.layout, [&](HardwareIndex index) {
    bool inside = result.layout.inRange(index, shape);
    Dims at = result.layout.apply(index);
    int32_t source = result.source[index[result.layout.itemDim()]];
    if (source < 0) {
      if (inside)
        problem = "an element without a source";
      return;
    }
    index[operand.itemDim()] = source;
    if (inside && !(operand.apply(index) == toOperand(at)))
      problem = "another element";
  });
  return problem;
}

static std::vector<Named> sample(size_t step) {
  std::vector<Named> all = registerLayouts(), result;
  for (size_t i = 0; i < all.size(); i += step)
    if (all[i].layout.map().inBits() <= 12)
      result.push_back(all[i]);
  std::mt19937 random(19);
  for (int i = 0; i < 60; ++i) {
    Dims cellBits = {int64_t(random() % 4), int64_t(random() % 4)};
    Dims repeats = {int64_t(1 + random() % 4), int64_t(1 + random() % 3)};
    result.push_back(
        {"random", randomRegisters(random, cellBits, repeats, 2, 1)});
  }
  return result;
}

/// Rejected since the layout's repeats are dealt to warps.
static bool isDealt(const Status &status, const Layout &layout) {
  return !layout.repeats().isLocal() &&
         status.message().find("dealt to warps") != std::string::npos;
}

TEST_CASE("normalize and shrinkCell keep each element in its thread") {
  for (const Named &each : sample(3)) {
    INFO(each.name);
    auto same = [](const Dims &at) { return at; };
    Transformed normal = normalize(each.layout);
    REQUIRE(wrong(normal, each.layout, each.layout.shape(), same) == "");
    if (each.layout.repeats().isLocal())
      for (int64_t repeat : normal.layout.repeats().counts())
        REQUIRE(repeat % 2 == 1);
    Dims smaller = each.layout.cellBits();
    for (int64_t &bits : smaller)
      bits -= bits > 0;
    StatusOr<Transformed> shrunk = shrinkCell(each.layout, smaller);
    if (!shrunk) {
      REQUIRE((shrunk.status().message().find("not held by registers alone") !=
                   std::string::npos ||
               isDealt(shrunk.status(), each.layout)));
      continue;
    }
    REQUIRE(shrunk->layout.cellBits() == smaller);
    REQUIRE(wrong(*shrunk, each.layout, each.layout.shape(), same) == "");
  }
}

TEST_CASE("offsets in memory are not renumbered") {
  // Row-major with 2 of 6 rows in a cell would count columns in between.
  Layout memory = *parse("memory cell=1x4 repeats=6x3 offset=(0,1),(0,2)");
  CHECK(normalize(memory).layout == memory);
  CHECK(normalize(*parse("memory cell=4 repeats=6 offset=(1),(2)")).layout ==
        *parse("memory cell=8 repeats=3 offset=(1),(2),(4)"));
  CHECK(reshape(*parse("column-major 2x2"), {2, 2}, {4}).ok());
  CHECK(reshape(*parse("column-major 3x3"), {3, 3}, {9}).status().message() ==
        "reshape: 3x3 to 9 is not expressible with this layout: offset 1 would "
        "have to become offset 3: memory cannot be renumbered");
}

TEST_CASE("permute keeps all indices") {
  for (const Named &each : sample(2)) {
    Dims order = rowMajorOrder(each.layout.rank());
    std::rotate(order.begin(), order.begin() + order.rank() / 2, order.end());
    Layout result = permute(each.layout, order);
    bool right = true;
    forEachIndex(each.layout, [&](const HardwareIndex &index) {
      Dims before = each.layout.apply(index), after = result.apply(index);
      for (unsigned dim = 0; dim < order.rank(); ++dim)
        right &= after[dim] == before[order[dim]];
    });
    INFO(each.name);
    REQUIRE(right);
    Dims back = order;
    for (unsigned dim = 0; dim < order.rank(); ++dim)
      back[order[dim]] = dim;
    REQUIRE(permute(result, back) == each.layout);
  }
}

TEST_CASE("slices hold the results of reductions") {
  for (const Named &each : sample(2))
    for (unsigned dim = 0; dim < each.layout.rank(); ++dim) {
      StatusOr<Transformed> kept = collapse(each.layout, dim);
      StatusOr<Transformed> gone = slice(each.layout, dim);
      REQUIRE(kept.ok());
      REQUIRE(gone.ok());
      Dims shape = each.layout.shape();
      shape[dim] = 1;
      REQUIRE(kept->layout.shape() == shape);
      shape.erase(dim);
      REQUIRE(gone->layout.shape() == shape);
      // No thread has two copies of an element.
      REQUIRE(kept->layout.map(HardwareDim::reg).isInjective());
      REQUIRE(gone->source == kept->source);
      std::vector<int32_t> holder = collapsedRegister(each.layout, dim);
      bool right = true;
      forEachIndex(each.layout, [&](HardwareIndex index) {
        Dims at = each.layout.apply(index);
        at[dim] = 0;
        int32_t target = holder[index[HardwareDim::reg]];
        HardwareIndex there = index;
        there[HardwareDim::reg] = target;
        right &= kept->layout.apply(there) == at;
        at.erase(dim);
        right &= gone->layout.apply(there) == at;
        right &= holder[kept->source[target]] == target;
      });
      INFO(each.name << " dim " << dim);
      REQUIRE(right);
    }
}

TEST_CASE("broadcast, expandDims and join put elements in more registers") {
  for (const Named &each : sample(9)) {
    unsigned rank = each.layout.rank();
    for (unsigned dim = 0; dim <= rank; ++dim) {
      StatusOr<Layout> expanded = expandDims(each.layout, dim);
      REQUIRE(expanded.ok());
      forEachIndex(each.layout, [&](const HardwareIndex &index) {
        Dims at = each.layout.apply(index);
        at.insert(dim, 0);
        if (!(expanded->apply(index) == at))
          FAIL(each.name);
      });
      for (int64_t extent : {1, 2, 3, 6}) {
        StatusOr<Transformed> wide = broadcast(*expanded, dim, extent);
        INFO(each.name << " dim " << dim << " to " << extent);
        if (!wide && !expanded->repeats().isLocal() && !isPowerOfTwo(extent)) {
          REQUIRE(isDealt(wide.status(), *expanded));
          continue;
        }
        REQUIRE(wide.ok());
        REQUIRE(wide->layout.shape()[dim] == extent);
        REQUIRE(wrong(*wide, *expanded, wide->layout.shape(), [&](Dims at) {
                  at[dim] = 0;
                  return at;
                }) == "");
      }
    }
    StatusOr<Transformed> joined = join(each.layout, 2);
    REQUIRE(joined.ok());
    bool right = true;
    forEachIndex(joined->layout, [&](HardwareIndex index) {
      Dims at = joined->layout.apply(index);
      int64_t reg = index[HardwareDim::reg];
      right &= at[rank] == joined->operand[reg];
      at.erase(rank);
      index[HardwareDim::reg] = joined->source[reg];
      right &= each.layout.apply(index) == at;
    });
    REQUIRE(right);
    for (int64_t part : {0, 1}) {
      StatusOr<Transformed> half = split(joined->layout, part);
      INFO(each.name << ": " << half.status().message());
      REQUIRE(half.ok());
      REQUIRE(wrong(*half, joined->layout, each.layout.shape(), [&](Dims at) {
                at.append(part);
                return at;
              }) == "");
    }
  }
}

/// Factorizations of `count` into up to 3 extents.
static std::vector<Dims> shapesOf(int64_t count) {
  std::vector<Dims> result = {{count}, {1, count}, {count, 1}};
  for (int64_t a = 2; a < count; ++a) {
    if (count % a)
      continue;
    result.push_back({a, count / a});
    for (int64_t b = 2; b < count / a; ++b)
      if (count / a % b == 0)
        result.push_back({a, b, count / a / b});
  }
  return result;
}

TEST_CASE("reshapes keep row-major indices, or say that they cannot") {
  size_t good = 0, rejected = 0;
  for (const Named &each : sample(5)) {
    Dims shape = each.layout.shape();
    // Also a tile that the layout pads.
    for (bool padded : {false, true}) {
      if (padded && shape.rank())
        shape[0] -= shape[0] > 1;
      std::vector<Dims> shapes = shapesOf(shape.product());
      for (size_t i = 0; i < shapes.size(); i += 1 + shapes.size() / 12) {
        const Dims &newShape = shapes[i];
        StatusOr<Transformed> result = reshape(each.layout, shape, newShape);
        INFO(each.name << ": " << shape.text() << " to " << newShape.text()
                       << " " << result.status().message());
        if (!result) {
          ++rejected;
          REQUIRE((result.status().message().find("not expressible") !=
                       std::string::npos ||
                   isDealt(result.status(), each.layout)));
          continue;
        }
        ++good;
        REQUIRE(wrong(*result, each.layout, newShape, [&](const Dims &at) {
                  return delinearize(linearIndex(at, newShape), shape);
                }) == "");
      }
    }
  }
  CHECK(good > 300);
  CHECK(rejected > 100);
}

TEST_CASE("known reshapes") {
  Layout tile = *parse("coalesced shape=96x80 f32 warps=4");
  CHECK(reshape(tile, {96, 80}, {3, 32, 80}).ok());
  CHECK(reshape(tile, {96, 80}, {3, 32, 5, 16}).ok());
  CHECK(reshape(tile, {96, 80}, {96, 1, 80}).ok());
  CHECK(reshape(tile, {96, 80}, {6, 16, 80}).ok());
  CHECK(reshape(tile, {96, 80}, {1, 96, 80})->layout.shape() ==
        Dims{1, 96, 80});
  // Row 1 begins in the middle of a cell of 7680 = 512 * 15.
  CHECK_FALSE(reshape(tile, {96, 80}, {7680}).ok());
  // Padding in the middle of the index, or in a dimension of extent 1.
  Layout padded = *parse("registers cell=4x8 register=(0,1),(2,0) "
                         "lane=(0,2),(0,4),(1,0)");
  CHECK(reshape(padded, {4, 7}, {28}).status().message() ==
        "reshape: 4x7 to 28 is not expressible with this layout: dimension 1 "
        "of extent 7 is padded to 8");
  CHECK(reshape(padded, {3, 8}, {24}).ok());
  CHECK(reshape(padded, {1, 8}, {8}).status().message() ==
        "reshape: 1x8 to 8 is not expressible with this layout: coordinate bit "
        "0 of dimension 0 is not held by registers alone");
  CHECK(reshape(*parse("registers cell=4x8 register=(1,0),(2,0) "
                       "lane=(0,1),(0,2),(0,4)"),
                {1, 8}, {8})
            ->layout == *parse("registers cell=8 lane=(1),(2),(4)"));
  Layout powers = *parse("coalesced shape=64x32 f32 warps=4");
  StatusOr<Transformed> flat = reshape(powers, {64, 32}, {2048});
  REQUIRE(flat.ok());
  CHECK(flat->layout.cellBits() == Dims{11});
  // Memory is reshaped where offsets keep their locations.
  CHECK(reshape(*parse("row-major 96x80"), {96, 80}, {7680}).ok());
  CHECK_FALSE(reshape(*parse("column-major 96x80"), {96, 80}, {7680}).ok());
}

TEST_CASE("concat counts the repeats of its parts") {
  Layout a = *parse("registers cell=4x4 repeats=2x3 register=(0,1),(0,2) "
                    "lane=(1,0),(2,0)");
  Layout b = *parse("registers cell=4x4 repeats=2x2 register=(0,1),(0,2) "
                    "lane=(1,0),(2,0)");
  Layout parts[] = {a, b, a};
  StatusOr<Transformed> whole = concat(parts, 1);
  REQUIRE(whole.ok());
  CHECK(whole->layout.shape() == Dims{8, 32});
  int64_t starts[] = {0, 12, 20};
  forEachIndex(whole->layout, [&](HardwareIndex index) {
    Dims at = whole->layout.apply(index);
    int32_t operand = whole->operand[index[HardwareDim::reg]];
    index[HardwareDim::reg] = whole->source[index[HardwareDim::reg]];
    at[1] -= starts[operand];
    REQUIRE(parts[operand].apply(index) == at);
  });
  CHECK(concat(parts, 0).status().message() ==
        "concat: the layouts differ in more than the repeats of dimension 0");
}

TEST_CASE("extract keeps registers of the part") {
  size_t good = 0, rejected = 0;
  std::mt19937 random(29);
  for (const Named &each : sample(3)) {
    unsigned rank = each.layout.rank();
    for (int i = 0; i < 6; ++i) {
      Dims offsets(rank, 0), sizes(rank, 1), steps(rank, 1);
      for (unsigned dim = 0; dim < rank; ++dim) {
        int64_t extent = each.layout.shape()[dim];
        if (random() % 2) {
          sizes[dim] = extent; // All of it.
          continue;
        }
        steps[dim] = random() % 2 ? 1 : 1 + random() % 2;
        int64_t quarter = std::max<int64_t>(1, extent / 4);
        offsets[dim] = std::min<int64_t>(extent - 1, random() % 4 * quarter);
        int64_t most = (extent - 1 - offsets[dim]) / steps[dim] + 1;
        sizes[dim] = 1 + random() % most;
      }
      StatusOr<Transformed> part = extract(each.layout, offsets, sizes, steps);
      INFO(each.name << " offsets " << offsets.text() << " sizes "
                     << sizes.text() << " steps " << steps.text() << " "
                     << part.status().message());
      if (!part) {
        ++rejected;
        REQUIRE((part.status().message().find("registers alone") !=
                     std::string::npos ||
                 isDealt(part.status(), each.layout)));
        continue;
      }
      ++good;
      REQUIRE(wrong(*part, each.layout, sizes, [&](Dims at) {
                for (unsigned dim = 0; dim < rank; ++dim)
                  at[dim] = offsets[dim] + at[dim] * steps[dim];
                return at;
              }) == "");
    }
  }
  CHECK(good > 200);
  CHECK(rejected > 100);
}
