#include "test/codegen/layout/Layouts.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Text.h"
#include "codegen/layout/Transforms.h"
#include <catch2/catch.hpp>

namespace tilewright::layout::test {

/// All ways to write 2^bits as a product over `rank` dimensions.
static std::vector<Dims> splits(unsigned bits, unsigned rank) {
  if (rank == 0)
    return bits ? std::vector<Dims>{} : std::vector<Dims>{{}};
  std::vector<Dims> result;
  for (unsigned first = 0; first <= bits; ++first)
    for (Dims rest : splits(bits - first, rank - 1)) {
      rest.insert(0, int64_t(1) << first);
      result.push_back(rest);
    }
  return result;
}

static void add(std::vector<Named> &list, const std::string &name,
                const StatusOr<Layout> &layout) {
  INFO(name << ": " << layout.status().message());
  REQUIRE(layout.ok());
  list.push_back({name, *layout});
}

static void addBlocked(std::vector<Named> &list, size_t step) {
  std::vector<Dims> shapes = {{},      {1},       {64},     {7},
                              {96},    {16, 32},  {7, 24},  {96, 80},
                              {1, 48}, {4, 6, 8}, {3, 5, 2}};
  for (const Dims &shape : shapes) {
    unsigned rank = shape.rank();
    Dims order = rowMajorOrder(rank);
    std::sort(order.begin(), order.end());
    do {
      for (unsigned vector : {0u, 1u, 2u})
        for (unsigned warpBits : {0u, 2u}) {
          auto vectors = splits(rank ? vector : 0, rank);
          auto lanes = splits(5, rank), warps = splits(warpBits, rank);
          for (size_t i = 0; i < vectors.size(); ++i)
            for (size_t j = i % step; j < lanes.size(); j += step)
              for (size_t k = j % step; k < warps.size(); k += step) {
                BlockedParameters p{shape, vectors[i], lanes[j], warps[k],
                                    order};
                add(list,
                    "blocked shape=" + shape.text() + " per-thread=" +
                        vectors[i].text() + " lanes=" + lanes[j].text() +
                        " warps=" + warps[k].text(),
                    blocked(p));
              }
        }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

/// Repeats dealt to warps, as many of them as there are.
static void addDealt(std::vector<Named> &list) {
  for (Dims shape : {Dims{}, Dims{1000}, Dims{7}, Dims{96, 48}, Dims{80, 80},
                     Dims{48, 80}, Dims{64, 192}, Dims{3, 33, 5}, Dims{1, 1}})
    for (unsigned bits : {16u, 32u})
      for (int64_t warps : {3, 4, 6, 7, 12})
        for (Dealing dealing :
             {Dealing::none, Dealing::separable, Dealing::any})
          add(list,
              "dealt shape=" + shape.text() + " bits " + std::to_string(bits) +
                  " warps=" + std::to_string(warps) + " dealing " +
                  std::to_string(int(dealing)),
              coalesced({shape, bits, warps, {}, 128, dealing}));
  for (Dims shape : {Dims{128, 128}, Dims{96, 80}, Dims{1, 64}, Dims{7, 9},
                     Dims{3, 33, 5}, Dims{16, 4, 4}})
    for (int64_t warps : {3, 6, 5})
      add(list,
          "accumulator shape=" + shape.text() +
              " warps=" + std::to_string(warps),
          accumulator(shape, warps));
  for (Operand operand : {Operand::a, Operand::b, Operand::c})
    for (Dims warps : {Dims{3, 1}, Dims{2, 3}, Dims{6, 1}})
      add(list,
          "mma " + std::to_string(int(operand)) + " warps=" + warps.text(),
          tileFragment(*mmaFragment(mmaShapes()[0], operand), operand, {96, 40},
                       warps));
  // Slices, whose digits become copies.
  for (size_t i = 0, size = list.size(); i < size; ++i)
    for (unsigned dim = 0; dim < list[i].layout.rank(); ++dim)
      if (!list[i].layout.repeats().isPlain()) {
        Named of = list[i];
        add(list, "slice " + std::to_string(dim) + " of " + of.name,
            StatusOr<Layout>(slice(of.layout, dim)->layout));
      }
}

static std::vector<Named> makeRegisterLayouts(size_t step) {
  std::vector<Named> list;
  addBlocked(list, step);
  for (size_t i = 0, size = list.size(); i < size; i += 5)
    for (unsigned dim = 0; dim < list[i].layout.rank(); ++dim) {
      Named of = list[i];
      StatusOr<Transformed> sliced = slice(of.layout, dim);
      REQUIRE(sliced.ok());
      list.push_back(
          {"slice " + std::to_string(dim) + " of " + of.name, sliced->layout});
    }
  for (Dims shape :
       {Dims{}, Dims{1000}, Dims{7}, Dims{96, 80}, Dims{128, 64}, Dims{7, 9},
        Dims{3, 33, 5}, Dims{1, 1}, Dims{65}, Dims{2, 3, 4, 5}})
    for (unsigned bits : {8u, 16u, 32u})
      for (int64_t warps : {1, 4})
        add(list,
            "coalesced shape=" + shape.text() + " bits " +
                std::to_string(bits) + " warps=" + std::to_string(warps),
            coalesced({shape, bits, warps, {}, 128}));
  for (Dims shape : {Dims{128, 128}, Dims{96, 80}, Dims{1, 64}, Dims{7, 9},
                     Dims{3, 33, 5}, Dims{16, 4, 4}})
    for (int64_t warps : {1, 4})
      add(list,
          "accumulator shape=" + shape.text() +
              " warps=" + std::to_string(warps),
          accumulator(shape, warps));
  addDealt(list);
  for (const MmaShape &shape : mmaShapes())
    for (Operand operand : {Operand::a, Operand::b, Operand::c}) {
      std::string name = "mma k" + std::to_string(shape.k) + " " +
                         std::to_string(int(operand));
      StatusOr<Layout> one = mmaFragment(shape, operand);
      add(list, name, one);
      add(list, name + " tiled", tileFragment(*one, operand, {48, 32}, {2, 2}));
    }
  for (int64_t n : {8, 24, 64, 96, 128})
    add(list, "wgmma d " + std::to_string(n),
        wgmmaFragment(n, 16, 16, Operand::c));
  for (unsigned bits : {8u, 16u, 32u})
    add(list, "wgmma a " + std::to_string(bits),
        wgmmaFragment(64, 256 / bits, bits, Operand::a));
  for (int64_t count : {1, 2, 4})
    for (bool transposed : {false, true})
      add(list, "ldmatrix " + std::to_string(count),
          ldmatrixFragment(count, transposed));
  return list;
}

const std::vector<Named> &registerLayouts(size_t step) {
  static std::map<size_t, std::vector<Named>> cached;
  auto [found, isNew] = cached.try_emplace(step);
  if (isNew)
    found->second = makeRegisterLayouts(step);
  return found->second;
}

std::vector<Named> memoryLayouts() {
  std::vector<Named> list;
  for (Dims shape : {Dims{}, Dims{64}, Dims{7}, Dims{32, 64}, Dims{96, 80},
                     Dims{7, 9}, Dims{4, 6, 8}, Dims{3, 1, 4}, Dims{5, 1, 1}}) {
    Dims order = rowMajorOrder(shape.rank());
    std::sort(order.begin(), order.end());
    do
      add(list, "dense " + shape.text(), dense(shape, order));
    while (std::next_permutation(order.begin(), order.end()));
  }
  for (Swizzle swizzle : {Swizzle::b32, Swizzle::b64, Swizzle::b128})
    for (unsigned bits : {8u, 16u, 32u, 64u})
      for (int64_t rows : {1, 2, 8, 16, 24})
        for (int64_t spans : {1, 2, 3}) {
          bool fits = rows % 8 == 0 || spans == 1;
          int64_t columns = spans * int64_t(swizzle) * 8 / bits;
          if (fits)
            add(list,
                "swizzle " + std::to_string(int(swizzle)) + " " +
                    Dims{rows, columns}.text() + " bits " +
                    std::to_string(bits),
                swizzled({rows, columns}, bits, swizzle));
        }
  add(list, "tma 3d", tmaBox({2, 8, 64}, 16, Swizzle::b128));
  add(list, "tma plain", tmaBox({5, 24}, 16, Swizzle::none));
  return list;
}

Layout randomRegisters(std::mt19937 &random, const Dims &cellBits,
                       const Dims &repeats, unsigned laneBits,
                       unsigned warpBits) {
  unsigned outs = 0;
  for (int64_t bits : cellBits)
    outs += bits;
  unsigned threads = laneBits + warpBits;
  while (true) {
    // Enough registers that the columns can span the cell.
    unsigned regs = outs > threads ? outs - threads : 0;
    regs += random() % 3;
    LinearMap map(regs + threads, outs);
    for (unsigned i = 0; i < map.inBits(); ++i) {
      unsigned style = random() % 8;
      Bits column = style == 0           ? 0
                    : style <= 5 && outs ? Bits(1) << random() % outs
                                         : random() & lowBits(outs);
      map.setColumn(i, column);
    }
    HardwareIndex bits;
    bits[HardwareDim::reg] = regs;
    bits[HardwareDim::lane] = laneBits;
    bits[HardwareDim::warp] = warpBits;
    StatusOr<Layout> layout =
        Layout::create(Kind::registers, cellBits, bits, map, repeats);
    if (layout)
      return *layout;
  }
}

Layout parsed(const std::string &text) {
  StatusOr<Layout> layout = parse(text);
  INFO(layout.status().message());
  REQUIRE(layout.ok());
  return *layout;
}

ConversionPlan planned(const std::string &from, const std::string &to,
                       const ConversionOptions &options) {
  StatusOr<ConversionPlan> plan =
      planConversion(parsed(from), parsed(to), options);
  INFO(plan.status().message());
  REQUIRE(plan.ok());
  return *plan;
}

void forEachIndex(const Layout &layout,
                  const std::function<void(const HardwareIndex &)> &visit) {
  HardwareDim item = layout.itemDim();
  for (int64_t block = 0; block < layout.size(HardwareDim::block); ++block)
    for (int64_t warp = 0; warp < layout.size(HardwareDim::warp); ++warp)
      for (int64_t lane = 0; lane < layout.size(HardwareDim::lane); ++lane)
        for (int64_t at = 0; at < layout.size(item); ++at) {
          HardwareIndex index;
          index[item] = at;
          index[HardwareDim::lane] = lane;
          index[HardwareDim::warp] = warp;
          index[HardwareDim::block] = block;
          visit(index);
        }
}

Dims applySlowly(const Layout &layout, const HardwareIndex &index) {
  std::vector<int64_t> at(layout.rank(), 0);
  for (HardwareDim hardwareDim : allHardwareDims)
    for (unsigned bit = 0; bit < layout.bits(hardwareDim); ++bit)
      if (index[hardwareDim] >> bit & 1) {
        uint64_t column = layout.map(hardwareDim).column(bit);
        for (unsigned dim = layout.rank(); dim-- > 0;) {
          at[dim] ^= int64_t(column % uint64_t(layout.cell(dim)));
          column /= uint64_t(layout.cell(dim));
        }
      }
  // The digits of the repeat's index, the fastest first; the slowest runs on.
  const Repeats &repeats = layout.repeats();
  int64_t round = index[layout.itemDim()] / layout.itemOfRound(1);
  int64_t part = index[HardwareDim::warp] >> layout.bits(HardwareDim::warp);
  int64_t repeat = round * repeats.parts() + part;
  for (size_t i = repeats.digits().rank(); i-- > 0;) {
    int64_t dim = repeats.digits()[i], count = repeats.digitCounts()[i];
    int64_t digit = i ? repeat % count : repeat;
    if (dim != Repeats::copies)
      at[dim] += digit * layout.cell(dim);
    repeat /= count;
  }
  return Dims(std::span<const int64_t>(at));
}

} // namespace tilewright::layout::test
