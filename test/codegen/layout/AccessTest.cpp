#include "codegen/layout/Access.h"
#include "codegen/layout/BankConflicts.h"
#include "codegen/layout/Families.h"
#include "codegen/layout/Text.h"
#include "test/codegen/layout/Layouts.h"
#include <catch2/catch.hpp>
#include <set>

using namespace tilewright;
using namespace tilewright::layout;
using namespace tilewright::layout::test;

static HardwareIndex atThread(const Layout &layout, int64_t reg, Bits thread) {
  HardwareIndex index;
  index[HardwareDim::reg] = reg;
  for (HardwareDim hardwareDim :
       {HardwareDim::lane, HardwareDim::warp, HardwareDim::block}) {
    index[hardwareDim] = thread & lowBits(layout.bits(hardwareDim));
    thread >>= layout.bits(hardwareDim);
  }
  return index;
}

static unsigned threadBits(const Layout &layout) {
  return layout.map().inBits() - layout.bits(HardwareDim::reg);
}

/// Wavefronts by the rule in words: phases of consecutive lanes; in each, the
/// bank with the most different words counts.
static unsigned slowWavefronts(const std::vector<int64_t> &addresses,
                               int64_t bytes) {
  size_t phase = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  unsigned total = 0;
  for (size_t first = 0; first < addresses.size(); first += phase) {
    std::map<int64_t, std::set<int64_t>> wordsOfBank;
    for (size_t i = first; i < std::min(first + phase, addresses.size()); ++i)
      for (int64_t byte = 0; byte < bytes; ++byte) {
        int64_t word = (addresses[i] + byte) / 4;
        wordsOfBank[word % 32].insert(word);
      }
    size_t worst = 0;
    for (auto &[bank, words] : wordsOfBank)
      worst = std::max(worst, words.size());
    total += worst;
  }
  return total;
}

TEST_CASE("bank conflicts by algebra and by counting") {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    unsigned bytes = 1u << random() % 5;
    LinearMap lanes(5, 14);
    for (unsigned bit = 0; bit < 5; ++bit)
      lanes.setColumn(bit, (random() % 3 ? Bits(1) << random() % 14
                                         : random() % (1 << 14)) &
                               ~Bits(bytes - 1));
    int64_t base = random() % (1 << 14) & ~int64_t(bytes - 1);
    std::vector<int64_t> addresses;
    for (Bits lane = 0; lane < 32; ++lane)
      addresses.push_back(int64_t(lanes.apply(lane)) ^ base);
    INFO("case " << i << ", " << bytes << " bytes");
    REQUIRE(wavefronts(lanes, bytes) == slowWavefronts(addresses, bytes));
    REQUIRE(countWavefronts(addresses, bytes) ==
            slowWavefronts(addresses, bytes));
  }
}

TEST_CASE("bank conflicts of known accesses") {
  LinearMap rows(5, 12), vectors(5, 12), words(5, 12);
  for (unsigned bit = 0; bit < 5; ++bit) {
    rows.setColumn(bit, Bits(128) << bit);   // A column of f32.
    vectors.setColumn(bit, Bits(16) << bit); // 16 bytes a lane, dense.
    words.setColumn(bit, Bits(2) << bit);    // f16, dense: pairs share words.
  }
  CHECK(wavefronts(rows, 4) == 32);
  CHECK(wavefronts(vectors, 16) == 4);
  CHECK(wavefronts(words, 2) == 1);
  CHECK(wavefronts(LinearMap(5, 12), 4) == 1); // One word for all lanes.
}

/// The widest static vector by trying: each aligned run of `elements` offsets
/// is in registers of one thread, the same registers in the same order in all.
template <typename Offset>
static bool isVector(const Layout &layout, int64_t elements, Offset offset) {
  std::map<std::vector<int64_t>, int> orders;
  for (Bits thread = 0; thread < Bits(1) << threadBits(layout); ++thread) {
    std::map<int64_t, std::map<int64_t, int64_t>>
        runs; // run -> location -> reg
    for (int64_t reg = 0; reg < layout.items(); ++reg) {
      int64_t at = offset(layout.apply(atThread(layout, reg, thread)));
      runs[at / elements].try_emplace(at % elements, reg);
    }
    for (auto &[run, offsets] : runs) {
      if (int64_t(offsets.size()) != elements)
        return false;
      std::vector<int64_t> order;
      for (auto &[offset, reg] : offsets)
        order.push_back(reg);
      ++orders[order];
    }
  }
  for (auto &[order, times] : orders)
    if (times != 1 << threadBits(layout))
      return false;
  return true;
}

TEST_CASE("vector accesses are contiguous, and as wide as can be") {
  size_t tried = 0;
  std::mt19937 random(11);
  for (const Named &each : registerLayouts()) {
    const Layout &layout = each.layout;
    if (layout.rank() == 0 || layout.map().inBits() > 11 || random() % 4)
      continue;
    for (unsigned fastest = 0; fastest < layout.rank(); ++fastest) {
      Dims order = {fastest};
      for (unsigned dim = 0; dim < layout.rank(); ++dim)
        if (dim != fastest)
          order.append(dim);
      // Memory in which only `fastest` is contiguous: far rows.
      auto offset = [&](const Dims &at) {
        int64_t result = at[fastest], stride = 1 << 20;
        for (unsigned dim = 0; dim < layout.rank(); ++dim)
          if (dim != fastest) {
            result += at[dim] * stride;
            stride <<= 10;
          }
        return result;
      };
      VectorAccess access = vectorAccess(layout, order, 16, 16);
      INFO(each.name << " along " << fastest << ": " << access.elements);
      REQUIRE(isVector(layout, access.elements, offset));
      bool canGrow =
          access.elements < 8 && access.elements < layout.cell(fastest);
      REQUIRE_FALSE((canGrow && isVector(layout, 2 * access.elements, offset)));
      // Each owned register once, runs in order.
      std::set<int32_t> moved(access.registers.begin(), access.registers.end());
      std::vector<int32_t> copies = registerCopies(layout);
      REQUIRE(moved.size() == access.registers.size());
      REQUIRE(moved == std::set<int32_t>(copies.begin(), copies.end()));
      for (Bits thread : {Bits(0), lowBits(threadBits(layout))})
        for (size_t i = 0; i < access.registers.size(); ++i) {
          auto at = [&](size_t j) {
            return offset(
                layout.apply(atThread(layout, access.registers[j], thread)));
          };
          size_t first = i / access.elements * access.elements;
          REQUIRE(at(i) == at(first) + int64_t(i - first));
          REQUIRE(at(first) % access.elements == 0);
        }
      ++tried;
    }
  }
  CHECK(tried > 200);
}

TEST_CASE("alignment and the element's bits bound a vector") {
  Layout layout = *coalesced({{64, 64}, 16, 4, {}, 128});
  CHECK(vectorAccess(layout, {1, 0}, 16, 16).elements == 8);
  CHECK(vectorAccess(layout, {1, 0}, 16, 8).elements == 4);
  CHECK(vectorAccess(layout, {1, 0}, 16, 2).elements == 1);
  CHECK(vectorAccess(layout, {1, 0}, 32, 16).elements == 4);
  CHECK(vectorAccess(layout, {1, 0}, 64, 16).elements == 2);
  CHECK(vectorAccess(layout, {0, 1}, 16, 16).elements == 1);
  CHECK(vectorAccess(layout, {1, 0}, 4, 16).elements == 8);
}

TEST_CASE("copies of registers are found") {
  LayoutBuilder builder(Kind::registers, {2}, {3});
  builder.add(HardwareDim::reg, 0, 1);
  builder.addFree(HardwareDim::reg);
  builder.add(HardwareDim::reg, 0, 1);
  builder.add(HardwareDim::lane, 0, 0);
  Layout layout = builder.build();
  std::vector<int32_t> copies = registerCopies(layout);
  REQUIRE(copies.size() == 24);
  for (size_t reg = 0; reg < copies.size(); ++reg) {
    CHECK(layout.apply(inRegister(copies[reg], 1)) ==
          layout.apply(inRegister(reg, 1)));
    CHECK(copies[copies[reg]] == copies[reg]);
  }
  CHECK(std::set<int32_t>(copies.begin(), copies.end()).size() == 6);
}

/// Checks an access against the two layouts, element by element.
static void checkShared(const Layout &registers, const Layout &memory,
                        const SharedAccess &access, unsigned elementBits) {
  std::set<int32_t> seen;
  bool right = true;
  int64_t waves = 0;
  Bits warps =
      Bits(1) << threadBits(registers) >> registers.bits(HardwareDim::lane);
  for (size_t i = 0; i < access.instructions.size(); ++i)
    for (Bits warp = 0; warp < warps; ++warp) {
      std::vector<int64_t> addresses;
      for (int64_t lane = 0; lane < registers.size(HardwareDim::lane); ++lane) {
        Bits thread = warp << registers.bits(HardwareDim::lane) | Bits(lane);
        int64_t offset = (int64_t(access.threadOffset.apply(thread)) ^
                          access.instructions[i].xorOffset) +
                         access.instructions[i].addOffset;
        addresses.push_back(offset * elementBits / 8);
        for (unsigned j = 0; j < access.elements; ++j) {
          int32_t reg = access.registers[i * access.elements + j];
          if (reg < 0)
            continue;
          HardwareIndex index = atThread(registers, reg, thread);
          right &=
              memory.apply(inMemory(offset + j, index[HardwareDim::block])) ==
              registers.apply(index);
          seen.insert(reg);
        }
      }
      unsigned each =
          slowWavefronts(addresses, access.elements * elementBits / 8);
      right &= each == access.wavefrontsEach;
      waves += warp == 0 ? each : 0;
    }
  REQUIRE(right);
  REQUIRE(waves == access.wavefronts);
  std::vector<int32_t> copies = registerCopies(registers);
  for (int32_t reg : copies) // Registers beyond the memory are left out.
    if (registers.coverage(reg, memory.shape()) != Coverage::never)
      REQUIRE(seen.count(reg) == 1);
}

TEST_CASE("shared accesses find their elements; wavefronts are exact") {
  size_t good = 0, rejected = 0;
  std::mt19937 random(13);
  std::vector<Named> memories = memoryLayouts();
  for (const Named &each : registerLayouts()) {
    if (each.layout.map().inBits() > 12 || random() % 3)
      continue;
    for (const Named &memory : memories) {
      if (!(memory.layout.shape() == each.layout.shape()))
        continue;
      for (unsigned bits : {8u, 16u, 32u, 64u}) {
        StatusOr<SharedAccess> access =
            sharedAccess(each.layout, memory.layout, bits);
        INFO(each.name << " in " << memory.name << ", " << bits
                       << " bits: " << access.status().message());
        if (!access) {
          ++rejected;
          REQUIRE(access.status().message().find("repeats") !=
                  std::string::npos);
          continue;
        }
        ++good;
        checkShared(each.layout, memory.layout, *access, bits);
      }
    }
  }
  INFO(good << " good, " << rejected << " rejected");
  CHECK(good > 500);
}

TEST_CASE("shared memory swizzled for 128 bytes has no conflicts where dense "
          "memory has") {
  // Each lane takes 16 bytes of a row of 128: 8 rows at once.
  Layout rows = *blocked({{32, 64}, {1, 8}, {32, 1}, {1, 1}, {1, 0}});
  StatusOr<SharedAccess> plain = sharedAccess(rows, *dense({32, 64}), 16);
  StatusOr<SharedAccess> swizzle =
      sharedAccess(rows, *swizzled({32, 64}, 16, Swizzle::b128), 16);
  REQUIRE(plain.ok());
  REQUIRE(swizzle.ok());
  CHECK(plain->elements == 8);
  CHECK(plain->wavefrontsEach == 32);
  CHECK(swizzle->elements == 8);
  CHECK(swizzle->wavefrontsEach == 4);
  CHECK(swizzle->wavefronts == 4 * int64_t(swizzle->instructions.size()));
}

TEST_CASE("each block has its part of a tile in its own memory") {
  Layout registers = *parse("registers cell=16x32 register=(0,1),(0,2) "
                            "lane=(0,4),(0,8),(0,16),(1,0),(2,0) warp=(4,0) "
                            "block=(8,0)");
  Layout memory = *parse("memory cell=16x32 offset=(0,1),(0,2),(0,4),(0,8),"
                         "(0,16),(1,0),(2,0),(4,0) block=(8,0)");
  StatusOr<SharedAccess> access = sharedAccess(registers, memory, 32);
  INFO(access.status().message());
  REQUIRE(access.ok());
  CHECK(access->elements == 4);
  checkShared(registers, memory, *access, 32);
  // The other half of the rows is in the other block.
  Layout other = *parse("memory cell=16x32 offset=(0,1),(0,2),(0,4),(0,8),"
                        "(1,0),(2,0),(4,0),(8,0) block=(0,16)");
  CHECK(sharedAccess(registers, other, 32).status().message() ==
        "shared access: a block's registers hold elements that lie in another "
        "block's memory");
  // Each block's memory may also hold the whole tile.
  Layout whole = *parse("row-major 16x32");
  StatusOr<SharedAccess> all = sharedAccess(registers, whole, 32);
  REQUIRE(all.ok());
  checkShared(registers, whole, *all, 32);
}

TEST_CASE("registers beyond the memory take no part") {
  Layout registers = *parse("registers cell=32 repeats=4 "
                            "lane=(1),(2),(4),(8),(16)");
  Layout memory = *parse("row-major 96");
  StatusOr<SharedAccess> access = sharedAccess(registers, memory, 32);
  REQUIRE(access.ok());
  CHECK(access->registers == std::vector<int32_t>{0, 1, 2});
  checkShared(registers, memory, *access, 32);
}

TEST_CASE("shared accesses reject what is no XOR") {
  Layout registers = *coalesced({{128}, 32, 4, {}, 128});
  CHECK(sharedAccess(registers, *dense({96}), 32).status().message() ==
        "shared access: the memory's shape 96 cuts through the registers of "
        "128");
  Layout transposed = *dense({96, 40}, {0, 1});
  Layout wide = *blocked({{128, 64}, {1, 1}, {32, 1}, {1, 4}, {1, 0}});
  CHECK_FALSE(sharedAccess(wide, transposed, 32).ok());
}
