// Accesses to global memory. A warp of 32 lanes that load 4 bytes each needs
// 128 bytes, which are 4 sectors of 32 bytes if they are contiguous.
#include "runtime/emulator/counters/Transactions.h"
#include "test/runtime/emulator/counters/Counted.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

/// Loads `type` at the buffer + `offset` + tid * `stride` bytes.
static Counters load(unsigned stride, unsigned offset = 0,
                     const std::string &operation = "ld.global.b32 %r2") {
  return at(count("mad.lo.u32 %r1, %thread, " + std::to_string(stride) + ", " +
                  std::to_string(offset) +
                  ";\n"
                  "cvt.u64.u32 %rd1, %r1;\n"
                  "add.u64 %rd1, %rd1, %data;\n" +
                  operation + ", [%rd1]; // here"),
            "// here");
}

TEST_CASE("counters: sectors of global memory", "[emulator][counters]") {
  struct Case {
    unsigned stride, offset;
    uint64_t sectors, ideal;
  };
  auto [stride, offset, sectors, ideal] = GENERATE(
      // Neighbours.
      Case{4, 0, 4, 4},
      // Every other word: twice the sectors for the same bytes.
      Case{8, 0, 8, 4},
      // A sector for each lane.
      Case{128, 0, 32, 4},
      // 128 bytes that begin 4 before a sector does.
      Case{4, 28, 5, 4},
      // Down from the end is as good as up.
      Case{4, 64, 4, 4},
      // All lanes load one word.
      Case{0, 0, 1, 1},
      // Each word is wanted by one lane, 12 bytes behind the one before:
      // 376 bytes from the first to the end of the last.
      Case{12, 0, 12, 4});
  Counters counters = load(stride, offset);
  CHECK(counters.warps == 1);
  CHECK(counters.threads == 32);
  CHECK(counters.globalRequests == 1);
  CHECK(counters.sectors == sectors);
  CHECK(counters.idealSectors == ideal);
  CHECK(counters.on(DataPath::globalRead) == 128);
  CHECK(counters.sharedRequests == 0);
}

TEST_CASE("counters: sectors of pieces that overlap", "[emulator][counters]") {
  auto sectors = [](std::vector<Piece> pieces) {
    SectorCount count = countSectors(pieces);
    return std::pair(count.touched, count.ideal);
  };
  CHECK(sectors({}) == std::pair(0u, 0u));
  CHECK(sectors({{31, 2}}) == std::pair(2u, 1u));
  // Sectors 0 and 1, then 1 and 2: 72 different bytes.
  CHECK(sectors({{0, 48}, {40, 32}}) == std::pair(3u, 3u));
  CHECK(sectors({{40, 32}, {0, 48}}) == std::pair(3u, 3u));
  // One inside the other.
  CHECK(sectors({{0, 256}, {64, 8}, {250, 6}}) == std::pair(8u, 8u));
  CHECK(sectors({{5, 0}, {64, 1}}) == std::pair(1u, 1u));
}

TEST_CASE("counters: widths of global loads", "[emulator][counters]") {
  // 16 bytes a lane: 512 bytes.
  Counters wide = load(16, 0, "ld.global.v4.b32 {%r2, %r3, %r4, %r5}");
  CHECK(wide.globalRequests == 1);
  CHECK(wide.sectors == 16);
  CHECK(wide.idealSectors == 16);
  CHECK(wide.on(DataPath::globalRead) == 512);
  // A byte a lane: one sector.
  Counters narrow = load(1, 0, "ld.global.u8 %h1");
  CHECK(narrow.sectors == 1);
  CHECK(narrow.on(DataPath::globalRead) == 32);
  // Two of 8 bytes, 32 bytes apart: half of each sector.
  Counters pairs = load(32, 0, "ld.global.v2.b64 {%rd2, %rd3}");
  CHECK(pairs.sectors == 32);
  CHECK(pairs.idealSectors == 16);
  CHECK(pairs.on(DataPath::globalRead) == 512);
}

TEST_CASE("counters: lanes whose guard does not hold load nothing",
          "[emulator][counters]") {
  KernelCounters kernel = count(R"(
mul.wide.u32 %rd1, %thread, 4;
add.u64 %rd1, %rd1, %data;
setp.lt.u32 %p1, %thread, 16;
setp.gt.u32 %p2, %thread, 99;
@%p1 st.global.b32 [%rd1], 1;   // half
@%p2 st.global.b32 [%rd1], 1;   // none
)");
  Counters half = at(kernel, "// half");
  CHECK(half.warps == 1);
  CHECK(half.threads == 16);
  CHECK(half.sectors == 2);
  CHECK(half.on(DataPath::globalWritten) == 64);
  // It was issued, for no lane.
  Counters none = at(kernel, "// none");
  CHECK(none.warps == 1);
  CHECK(none.threads == 0);
  CHECK(none.globalRequests == 0);
  CHECK(none.on(DataPath::globalWritten) == 0);
}

TEST_CASE("counters: atomics and reductions", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
mul.wide.u32 %rd1, %thread, 4;
add.u64 %rd1, %rd1, %data;
red.global.add.u32 [%data], 1;          // one
atom.global.add.u32 %r1, [%rd1], 1;     // each
atom.shared.add.u32 %r1, [%tile], 1;    // shared
)");
  Counters one = at(kernel, "// one");
  CHECK(one.globalRequests == 1);
  CHECK(one.sectors == 1);
  CHECK(one.on(DataPath::globalAtomic) == 128);
  CHECK(one.on(DataPath::globalRead) == 0);
  CHECK(at(kernel, "// each").sectors == 4);
  Counters shared = at(kernel, "// shared");
  CHECK(shared.wavefronts == 1);
  CHECK(shared.on(DataPath::sharedAtomic) == 128);
  CHECK(shared.on(DataPath::globalAtomic) == 0);
}

TEST_CASE("counters: a load may write the register of its address",
          "[emulator][counters]") {
  KernelCounters kernel = count(R"(
mul.wide.u32 %rd1, %thread, 8;
add.u64 %rd1, %rd1, %data;
ld.global.b64 %rd1, [%rd1];     // here
)");
  CHECK(at(kernel, "// here").sectors == 8);
}

TEST_CASE("counters: generic addresses count where they lie",
          "[emulator][counters]") {
  // Lanes below 8 write to global memory, the others to shared memory.
  KernelCounters kernel = count(R"(
cvt.u64.u32 %rd1, %tile;
cvta.shared.u64 %rd1, %rd1;
setp.lt.u32 %p1, %thread, 8;
selp.b64 %rd2, %data, %rd1, %p1;
mul.wide.u32 %rd3, %thread, 4;
add.u64 %rd2, %rd2, %rd3;
st.b32 [%rd2], %thread;            // here
)");
  Counters counters = at(kernel, "// here");
  CHECK(counters.on(DataPath::globalWritten) == 32);
  CHECK(counters.on(DataPath::sharedWritten) == 96);
  CHECK(counters.sectors == 1);
  CHECK(counters.wavefronts == 1);
  CHECK(classAt(kernel, "// here") == InstructionClass::generic);
}

TEST_CASE("counters: local memory and parameters", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
.local .align 8 .b8 own[64];
st.local.b64 [own+8], %data;    // store
ld.local.b32 %r1, [own+8];      // load
ld.param.u64 %rd1, [data];      // parameter
)");
  CHECK(at(kernel, "// store").on(DataPath::localWritten) == 256);
  CHECK(at(kernel, "// load").on(DataPath::localRead) == 128);
  CHECK(at(kernel, "// parameter").on(DataPath::constantRead) == 256);
  CHECK(kernel.total().globalRequests == 0);
}
