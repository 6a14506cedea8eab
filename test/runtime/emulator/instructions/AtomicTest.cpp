// Atomic operations and reductions: PTX sections 9.7.13.5 and 9.7.13.6.
#include "test/runtime/emulator/instructions/Kernel.h"
#include "test/runtime/emulator/instructions/Probe.h"
#include "test/runtime/emulator/instructions/Reals.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace instructions;

namespace {

/// Where the cell is that an operation works on.
struct Space {
  std::string name;   // as instructions write it
  std::string window; // of generic addresses
  [[nodiscard]] bool isShared() const {
    return name.starts_with("shared") || window == "shared";
  }
};
const std::vector<Space> spaces = {{"global", ""},      {"shared", ""},
                                   {"shared::cta", ""}, {"shared::cluster", ""},
                                   {"", "global"},      {"", "shared"}};

/// Sets %cell to the thread's cell of 32 bytes.
std::string cellText(const Space &space) {
  std::string text = ".reg .u64 %cell, %off;\n";
  if (!space.isShared())
    return text + "add.u64 %cell, %base, 0;\n" +
           (space.name.empty() ? "cvta.global.u64 %cell, %cell;\n" : "");
  text += ".shared .align 32 .b8 cells[8192];\nmov.u64 %cell, cells;\n"
          "mul.wide.u32 %off, %thread, 32;\nadd.u64 %cell, %cell, %off;\n";
  return text + (space.name.empty() ? "cvta.shared.u64 %cell, %cell;\n" : "");
}

std::string dotted(const std::string &text) {
  return text.empty() ? "" : "." + text;
}

/// `{$s1, $s2}`, or `$s1`.
std::string list(const std::string &prefix, unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(first + i);
  return count == 1 ? text : "{" + text + "}";
}

/// The new value of a cell, of its old one and the operands.
template <class T> using Operation = std::function<T(T, T, T)>;

struct Form {
  /// The text between the opcode and the space: `.relaxed.gpu`.
  std::string order;
  /// `add.noftz`.
  std::string op;
  std::string type;
  unsigned width = 1;
  bool isCas = false;
  /// Before the type: `.L2::cache_hint`.
  std::string hint = {};
};

/// A cell with the old values, the operation, the cell afterwards.
template <class T>
Probe atomic(const Form &form, const Space &space, bool returns,
             const Operation<T> &operation) {
  unsigned width = form.width;
  Probe probe;
  Operand type = operandOf<T>();
  std::string ss = dotted(space.name);
  std::string bits = ".b" + std::to_string(type.registerBits);
  std::string vector = width > 1 ? ".v" + std::to_string(width) : "";
  // Element by element: vectors of 8 have no load.
  std::string put, get;
  for (unsigned i = 0; i < width; ++i) {
    std::string at =
        "[%cell+" + std::to_string(i * type.registerBits / 8) + "]";
    put += "st" + ss + bits + " " + at + ", $s" + std::to_string(i) + "; ";
    unsigned result = (returns ? width : 0) + i;
    get += "; ld" + ss + bits + " $d" + std::to_string(result) + ", " + at;
  }
  std::string name = (returns ? "atom" : "red") + form.order + ss + "." +
                     form.op + form.hint + vector + "." + form.type;
  std::string operands = (returns ? list("$d", 0, width) + ", " : "") +
                         "[%cell], " + list("$s", width, width) +
                         (form.isCas ? ", $s2" : "") +
                         (form.hint.empty() ? "" : ", %policy");
  probe.text = put + name + " " + operands + get;
  probe.setup = cellText(space);
  if (!form.hint.empty())
    probe.setup += ".reg .b64 %policy;\n"
                   "createpolicy.fractional.L2::evict_last.b64 %policy;\n";
  probe.sources.assign((form.isCas ? 3 : 2) * width, type);
  probe.results.assign((returns ? 2 : 1) * width, type);
  probe.takesImmediates = false;
  probe.reference = [=](const Bits *sources, Expected *results) {
    for (unsigned i = 0; i < width; ++i) {
      T old = fromBits<T>(sources[i]);
      T value = operation(old, fromBits<T>(sources[width + i]),
                          form.isCas ? fromBits<T>(sources[2]) : old);
      if (returns)
        results[i] = expectedOf(old);
      results[(returns ? width : 0) + i] = expectedOf(value);
    }
  };
  probe.lanes = 512;
  return probe;
}

template <class T>
void checkBoth(const Form &form, const Space &space,
               const Operation<T> &operation) {
  run(atomic<T>(form, space, true, operation));
  run(atomic<T>(form, space, false, operation));
}

template <class T> void checkBits(const std::string &type, const Space &space) {
  checkBoth<T>({"", "and", type}, space, [](T a, T b, T) { return T(a & b); });
  checkBoth<T>({"", "or", type}, space, [](T a, T b, T) { return T(a | b); });
  checkBoth<T>({"", "xor", type}, space, [](T a, T b, T) { return T(a ^ b); });
}
template <class T>
void checkExchange(const std::string &type, const Space &space) {
  run(atomic<T>({"", "exch", type}, space, true, [](T, T b, T) { return b; }));
}
template <class T> void checkCas(const std::string &type, const Space &space) {
  Probe cas = atomic<T>({"", "cas", type, 1, true}, space, true,
                        [](T a, T b, T c) { return a == b ? c : a; });
  // What is expected is what is there in every other lane.
  Random random(hashOf(cas.text));
  std::vector<Bits> edges = edgesOf(cas.sources[0]);
  cas.samples.resize(2);
  for (unsigned i = 0; i < 512; ++i) {
    Bits old = sampleOf(cas.sources[0], edges, random);
    cas.samples[0].push_back(old);
    cas.samples[1].push_back(
        random() % 2 ? old : sampleOf(cas.sources[0], edges, random));
  }
  run(cas);
}
template <class T>
void checkNumbers(const std::string &type, const Space &space) {
  using U = std::make_unsigned_t<T>;
  if (type != "s64")
    checkBoth<T>({"", "add", type}, space,
                 [](T a, T b, T) { return T(U(a) + U(b)); });
  checkBoth<T>({"", "min", type}, space,
               [](T a, T b, T) { return a < b ? a : b; });
  checkBoth<T>({"", "max", type}, space,
               [](T a, T b, T) { return a > b ? a : b; });
}

} // namespace

TEST_CASE("atom, red of integers", "[9.7.13.5]") {
  for (const Space &space : spaces) {
    checkBits<uint32_t>("b32", space);
    checkBits<uint64_t>("b64", space);
    checkExchange<uint32_t>("b32", space);
    checkExchange<uint64_t>("b64", space);
    checkExchange<Bits>("b128", space);
    checkCas<uint16_t>("b16", space);
    checkCas<uint32_t>("b32", space);
    checkCas<uint64_t>("b64", space);
    checkCas<Bits>("b128", space);
    checkNumbers<uint32_t>("u32", space);
    checkNumbers<int32_t>("s32", space);
    checkNumbers<uint64_t>("u64", space);
    checkNumbers<int64_t>("s64", space);
    checkBoth<uint32_t>(
        {"", "inc", "u32"}, space,
        [](uint32_t a, uint32_t b, uint32_t) { return a >= b ? 0 : a + 1; });
    checkBoth<uint32_t>({"", "dec", "u32"}, space,
                        [](uint32_t a, uint32_t b, uint32_t) {
                          return a == 0 || a > b ? b : a - 1;
                        });
  }
}

//===--- Floats -----------------------------------------------------------===//

namespace {
enum class FloatOp { add, min, max };

template <class T> T combined(FloatOp op, T a, T b) {
  if (op == FloatOp::add) {
    Bits bits = rounded(sum(real(a), real(b)),
                        std::is_same_v<T, Half> ? f16Format : bf16Format,
                        Mode::nearestEven);
    return {uint16_t(bits)};
  }
  return extremum(a, b, op == FloatOp::min, false);
}
template <class T, class T2> T2 onPairs(FloatOp op, T2 a, T2 b) {
  uint32_t low = combined(op, T{uint16_t(a.bits)}, T{uint16_t(b.bits)}).bits;
  uint32_t high =
      combined(op, T{uint16_t(a.bits >> 16)}, T{uint16_t(b.bits >> 16)}).bits;
  return {high << 16 | low};
}

template <class T, class T2>
void checkSmall(const std::string &type, const Space &space) {
  checkBoth<T>({"", "add.noftz", type}, space,
               [](T a, T b, T) { return combined(FloatOp::add, a, b); });
  checkBoth<T2>({"", "add.noftz", type + "x2"}, space, [](T2 a, T2 b, T2) {
    return onPairs<T, T2>(FloatOp::add, a, b);
  });
  if (space.isShared())
    return;
  struct Named {
    const char *name;
    FloatOp op;
  };
  for (Named each : {Named{"add", FloatOp::add}, Named{"min", FloatOp::min},
                     Named{"max", FloatOp::max}}) {
    FloatOp op = each.op;
    std::string name = std::string(each.name) + ".noftz";
    for (unsigned width : {2u, 4u, 8u})
      checkBoth<T>({"", name, type, width}, space,
                   [=](T a, T b, T) { return combined(op, a, b); });
    for (unsigned width : {2u, 4u})
      checkBoth<T2>({"", name, type + "x2", width}, space,
                    [=](T2 a, T2 b, T2) { return onPairs<T, T2>(op, a, b); });
  }
}
} // namespace

TEST_CASE("atom, red of floats", "[9.7.13.5]") {
  for (const Space &space : spaces) {
    // f32 in global memory flushes subnormals, in shared memory it does not.
    bool flushes = !space.isShared();
    auto sum32 = [=](float a, float b, float) {
      return flushes ? flushed(add(Mode::nearestEven, flushed(a), flushed(b)))
                     : add(Mode::nearestEven, a, b);
    };
    checkBoth<float>({"", "add", "f32"}, space, sum32);
    checkBoth<double>({"", "add", "f64"}, space,
                      [](double a, double b, double) {
                        return add(Mode::nearestEven, a, b);
                      });
    if (!space.isShared())
      for (unsigned width : {2u, 4u})
        checkBoth<float>({"", "add", "f32", width}, space, sum32);
    checkSmall<Half, Half2>("f16", space);
    checkSmall<BFloat, BFloat2>("bf16", space);
  }
}

//===--- Modifiers --------------------------------------------------------===//

namespace {
/// The operation with each order and scope, and with a hint.
template <class T> void checkOrders(Form form, const Operation<T> &operation) {
  Space global{"global", ""};
  bool isRed = form.op != "exch" && !form.isCas;
  for (const char *order : {"", ".relaxed", ".acquire", ".release", ".acq_rel"})
    for (const char *scope : {"", ".cta", ".cluster", ".gpu", ".sys"}) {
      form.order = std::string(order) + scope;
      run(atomic<T>(form, global, true, operation));
      bool isRedOrder = *order == 0 || order == std::string(".relaxed") ||
                        order == std::string(".release");
      if (isRed && isRedOrder)
        run(atomic<T>(form, global, false, operation));
    }
  if (form.isCas)
    return;
  form.order = ".relaxed.gpu";
  form.hint = ".L2::cache_hint";
  run(atomic<T>(form, global, true, operation));
  if (isRed)
    run(atomic<T>(form, global, false, operation));
}
} // namespace

TEST_CASE("atom, red with order, scope and hints", "[9.7.13.5]") {
  using U = uint32_t;
  checkOrders<U>({"", "and", "b32"}, [](U a, U b, U) { return a & b; });
  checkOrders<U>({"", "exch", "b32"}, [](U, U b, U) { return b; });
  checkOrders<Bits>({"", "exch", "b128"}, [](Bits, Bits b, Bits) { return b; });
  checkOrders<U>({"", "cas", "b32", 1, true},
                 [](U a, U b, U c) { return a == b ? c : a; });
  checkOrders<U>({"", "add", "u32"}, [](U a, U b, U) { return a + b; });
  checkOrders<U>({"", "max", "u32"}, [](U a, U b, U) { return a > b ? a : b; });
  checkOrders<U>({"", "inc", "u32"},
                 [](U a, U b, U) { return a >= b ? 0 : a + 1; });
  auto sum = [](float a, float b, float) {
    return flushed(add(Mode::nearestEven, flushed(a), flushed(b)));
  };
  checkOrders<float>({"", "add", "f32"}, sum);
  checkOrders<float>({"", "add", "f32", 2}, sum);
  auto small = [](Half a, Half b, Half) {
    return combined(FloatOp::add, a, b);
  };
  checkOrders<Half>({"", "add.noftz", "f16"}, small);
  checkOrders<Half>({"", "add.noftz", "f16", 4}, small);
}

//===--- Many threads, one cell -------------------------------------------===//

TEST_CASE("Threads of all blocks add to one cell", "[9.7.13.5]") {
  // The old values of an addition of 1 are all different.
  constexpr uint32_t count = 6 * 70;
  for (const char *opcode :
       {"atom.global.add.u32 %r3, [%a], 1;", "atom.add.u32 %r3, [%a], 1;",
        "atom.global.inc.u32 %r3, [%a], 1000;"}) {
    std::vector<uint32_t> data(1 + count);
    runKernel(".reg .u32 %r<4>; .reg .u64 %a, %b;\n"
              "ld.param.u64 %a, [data];\n"
              "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x;\n"
              "mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n" +
                  std::string(opcode) +
                  "\nmad.wide.u32 %b, %r0, 4, %a;\n"
                  "st.global.u32 [%b+4], %r3;\n",
              data, {6, 70}, "atom");
    CHECK(data[0] == count);
    std::vector<bool> seen(count);
    for (uint32_t i = 0; i < count; ++i) {
      REQUIRE(data[1 + i] < count);
      CHECK(!seen[data[1 + i]]);
      seen[data[1 + i]] = true;
    }
  }
}

TEST_CASE("Lanes of a warp reduce to one cell", "[9.7.13.6]") {
  // 70 threads of 4 blocks, each with its number.
  std::vector<uint32_t> data = {0, 1000, 0, 0, 0xFFFFFFFF, 0};
  runKernel(".reg .u32 %r<6>; .reg .u64 %a;\n"
            ".shared .align 4 .u32 sum; .reg .pred %p;\n"
            "ld.param.u64 %a, [data];\n"
            "mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x;\n"
            "mov.u32 %r2, %tid.x; mad.lo.u32 %r0, %r0, %r1, %r2;\n"
            "setp.eq.u32 %p, %r2, 0;\n"
            "@%p st.shared.u32 [sum], 0;\n"
            "bar.sync 0;\n"
            "red.global.add.u32 [%a], %r0;\n"
            "red.global.min.u32 [%a+4], %r0;\n"
            "red.global.max.u32 [%a+8], %r0;\n"
            "red.shared.add.u32 [sum], %r2;\n"
            "red.global.xor.b32 [%a+12], %r0;\n"
            "red.global.and.b32 [%a+16], %r0;\n"
            "bar.sync 0;\n"
            "ld.shared.u32 %r3, [sum];\n"
            "@%p red.global.add.u32 [%a+20], %r3;\n",
            data, {4, 70}, "red");
  uint32_t differences = 0, both = ~0u;
  for (uint32_t i = 0; i < 280; ++i) {
    differences ^= i;
    both &= i;
  }
  CHECK(data[0] == 279 * 280 / 2);
  CHECK(data[1] == 0);
  CHECK(data[2] == 279);
  CHECK(data[3] == differences);
  CHECK(data[4] == both);
  CHECK(data[5] == 4 * 69 * 70 / 2);
}

TEST_CASE("A lock made of cas lets each thread in", "[9.7.13.5]") {
  std::vector<uint32_t> data(2);
  runKernel(".reg .u32 %r<4>; .reg .u64 %a; .reg .pred %p;\n"
            "ld.param.u64 %a, [data];\n"
            "TRY:\n"
            "atom.global.acquire.gpu.cas.b32 %r0, [%a], 0, 1;\n"
            "setp.ne.u32 %p, %r0, 0;\n"
            "@%p bra TRY;\n"
            "ld.volatile.global.u32 %r1, [%a+4];\n"
            "add.u32 %r1, %r1, 1;\n"
            "st.volatile.global.u32 [%a+4], %r1;\n"
            "atom.global.release.gpu.exch.b32 %r0, [%a], 0;\n",
            data, {3, 64}, "atom");
  CHECK(data[0] == 0);
  CHECK(data[1] == 3 * 64);
}
