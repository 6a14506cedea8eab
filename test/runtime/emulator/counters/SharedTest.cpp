// Accesses to shared memory: 32 banks of 4 bytes, one word of each a pass.
#include "test/runtime/emulator/counters/Counted.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

/// `operation` at the array + tid * `stride` bytes.
static Counters access(unsigned stride, const std::string &operation) {
  return at(count("mad.lo.u32 %r1, %thread, " + std::to_string(stride) +
                  ", %tile;\n" + operation + " // here"),
            "// here");
}

TEST_CASE("counters: passes of shared memory by stride",
          "[emulator][counters]") {
  struct Case {
    unsigned stride;
    uint64_t passes;
  };
  auto [stride, passes] = GENERATE(
      // One word of each bank.
      Case{4, 1},
      // All lanes read one word.
      Case{0, 1},
      // Every other bank, two words of each.
      Case{8, 2},
      // Lanes l and l + 8 want different words of one bank.
      Case{16, 4},
      // All words in one bank.
      Case{128, 32},
      // A row is a word longer than there are banks.
      Case{132, 1},
      // 3 and 32 have no common factor.
      Case{12, 1},
      // Banks 0, 24, 16 and 8, each 8 times.
      Case{96, 8});
  Counters counters = access(stride, "ld.shared.b32 %r2, [%r1];");
  CHECK(counters.sharedRequests == 1);
  CHECK(counters.wavefronts == passes);
  CHECK(counters.idealWavefronts == 1);
  CHECK(counters.on(DataPath::sharedRead) == 128);
  CHECK(counters.globalRequests == 0);
}

TEST_CASE("counters: passes of wide accesses", "[emulator][counters]") {
  struct Case {
    std::string operation;
    unsigned stride;
    uint64_t passes, ideal;
  };
  const std::string load8 = "ld.shared.b64 %rd1, [%r1];";
  const std::string load16 = "ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r1];";
  auto [operation, stride, passes, ideal] = GENERATE_COPY(
      // Half a warp at a time fills the 32 banks.
      Case{load8, 8, 2, 2},
      // A half's 16 lanes want the same 2 words.
      Case{load8, 0, 2, 2},
      // A half's lanes are 4 words apart: 2 words of each bank that they use.
      Case{load8, 16, 4, 2},
      // All 16 lanes of a half in banks 0 and 1.
      Case{load8, 128, 32, 2},
      // A quarter of the warp at a time.
      Case{load16, 16, 4, 4}, Case{load16, 0, 4, 4},
      // The 8 lanes of a quarter in banks 0 to 3.
      Case{load16, 128, 32, 4},
      // Rows of 144 bytes begin 4 banks further each.
      Case{load16, 144, 4, 4},
      Case{"st.shared.v2.b32 [%r1], {%thread, %thread};", 8, 2, 2},
      // Bytes: four lanes share a word.
      Case{"st.shared.u8 [%r1], %h1;", 1, 1, 1},
      // Lanes 64 apart would share; 2 bytes at 128 do not.
      Case{"ld.shared.b16 %h1, [%r1];", 128, 32, 1});
  Counters counters = access(stride, operation);
  INFO(operation << " stride " << stride);
  CHECK(counters.sharedRequests == 1);
  CHECK(counters.wavefronts == passes);
  CHECK(counters.idealWavefronts == ideal);
}

TEST_CASE("counters: parts of a warp without lanes take no pass",
          "[emulator][counters]") {
  // Lanes 0 to 9: a quarter and two lanes of the next.
  KernelCounters kernel = count(R"(
mad.lo.u32 %r1, %thread, 16, %tile;
setp.lt.u32 %p1, %thread, 10;
@%p1 ld.shared.v4.b32 {%r2, %r3, %r4, %r5}, [%r1];  // here
)");
  CHECK(at(kernel, "// here").wavefronts == 2);
  CHECK(at(kernel, "// here").on(DataPath::sharedRead) == 160);
}

TEST_CASE("counters: ldmatrix reads eight rows a pass, if they are apart",
          "[emulator][counters]") {
  auto load = [](unsigned stride, const std::string &operation) {
    return access(stride,
                  "ldmatrix.sync.aligned.m8n8." + operation + ", [%r1];");
  };
  const std::string four = "x4.shared.b16 {%r2, %r3, %r4, %r5}";
  // Rows of 16 bytes one behind another.
  CHECK(load(16, four).wavefronts == 4);
  CHECK(load(16, four).on(DataPath::sharedRead) == 512);
  // Rows of 128 bytes: eight rows begin at bank 0.
  CHECK(load(128, four).wavefronts == 32);
  CHECK(load(128, four).idealWavefronts == 4);
  // Of x1, lanes 0 to 7 give the rows.
  Counters one = load(128, "x1.shared.b16 {%r2}");
  CHECK(one.wavefronts == 8);
  CHECK(one.idealWavefronts == 1);
  CHECK(one.on(DataPath::sharedRead) == 128);
  CHECK(one.threads == 32);
}
