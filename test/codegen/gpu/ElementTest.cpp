// Ops that work element by element, for each type of element: each compiles
// for every target, and ptxas takes it.
#include "test/codegen/kernels/KernelText.h"
#include "test/ptxas/Ptxas.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using tilewright::KernelImage;
using tilewright::StatusOr;
namespace schedule = tilewright::schedule;
namespace target = tilewright::target;
namespace test = tilewright::test;

namespace {
const char *const kReals[] = {"f64",      "f32",    "f16",      "bf16",
                              "f8E4M3FN", "f8E5M2", "f4E2M1FN", "f8E8M0FNU"};
const char *const kIntegers[] = {"i1",  "i4",  "i8",   "i16",
                                 "i32", "i64", "index"};

enum class Class { Real, Integer, Wide };

struct ElementOp {
  Class of;
  const char *op, *text, *result;
};

constexpr ElementOp kOps[] = {
#define ELEMENT_OP(of, op, text, result) {Class::of, op, text, result},
#include "Elements.inc"
};

/// Two registers a thread, some of them beyond the tile.
constexpr int64_t kSize = 48;

std::string compiled(const KernelText &k, const target::GpuTarget &target) {
  INFO(k.str());
  CAPTURE(target.name);
  schedule::GpuSchedule schedule;
  schedule.warps = 1;
  StatusOr<KernelImage> image = compileForGpu(k.str(), target, schedule);
  if (!image.ok()) {
    FAIL_CHECK(image.status().message());
    return "";
  }
  CHECK(test::errorOfOneIn(3, image->code, target.name) == "");
  return image->code;
}

void checkAllTargets(const KernelText &k) {
  for (const target::GpuTarget &target : target::gpuTargets())
    compiled(k, target);
}

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

int occurrences(const std::string &text, const std::string &part) {
  int found = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++found;
  return found;
}

/// All ops of a class on one type.
KernelText opsOn(const std::string &element, std::initializer_list<Class> of) {
  KernelText k;
  TileType type = tile(element, {kSize});
  Value x = k.load(type), y = k.load(type);
  Value c = k.op("arith.cmpi ult, $0, $1 : %0",
                 {k.load(type.of("i8")), k.load(type.of("i8"))}, type.of("i1"));
  k.store(k.op("arith.select $0, $1, $2 : %0, %r", {c, x, y}, type));
  for (const ElementOp &op : kOps) {
    if (std::find(of.begin(), of.end(), op.of) == of.end())
      continue;
    k.store(k.op(std::string(op.op) + " " + op.text, {x, y},
                 *op.result ? type.of(op.result) : type));
  }
  return k;
}
} // namespace

TEST_CASE("elements: arithmetic of floats") {
  for (const char *element : kReals)
    checkAllTargets(opsOn(element, {Class::Real}));
}

TEST_CASE("elements: arithmetic of integers") {
  for (std::string element : kIntegers)
    checkAllTargets(element == "i1" || element == "index"
                        ? opsOn(element, {Class::Integer})
                        : opsOn(element, {Class::Integer, Class::Wide}));
}

TEST_CASE("elements: ops of several results") {
  for (const char *element : {"f64", "f32", "f16", "bf16", "f8E5M2"}) {
    KernelText k;
    TileType type = tile(element, {kSize});
    for (const Value &part :
         k.ops("math.sincos $0 : %r", {k.load(type)}, {type, type}))
      k.store(part);
    k.store(k.op("math.fpowi $0, $1 : %0, %1",
                 {k.load(type), k.load(type.of("i32"))}, type));
    checkAllTargets(k);
  }
  for (const char *element : {"i4", "i8", "i16", "i32", "i64"}) {
    KernelText k;
    TileType type = tile(element, {kSize});
    Value x = k.load(type), y = k.load(type);
    for (const char *op : {"arith.mulsi_extended", "arith.mului_extended"})
      for (const Value &part :
           k.ops(std::string(op) + " $0, $1 : %r", {x, y}, {type, type}))
        k.store(part);
    for (const Value &part : k.ops("arith.addui_extended $0, $1 : %0, tensor<" +
                                       std::to_string(kSize) + "xi1>",
                                   {x, y}, {type, type.of("i1")}))
      k.store(part);
    checkAllTargets(k);
  }
  KernelText k;
  TileType type = tile("i32", {kSize});
  std::vector<Value> words;
  for (int i = 0; i < 6; ++i)
    words.push_back(k.load(type));
  for (const Value &part : k.ops("tile.philox $0, $1, $2, $3 key $4, $5 : %r",
                                 words, {type, type, type, type}))
    k.store(part);
  checkAllTargets(k);
}

//===--- Conversions ------------------------------------------------------===//

namespace {
const char *const kRoundings[] = {"nearest_even", "nearest_away", "toward_zero",
                                  "down", "up"};

std::vector<std::string> allElements() {
  std::vector<std::string> all(std::begin(kReals), std::end(kReals));
  all.insert(all.end(), std::begin(kIntegers), std::end(kIntegers));
  return all;
}

/// The casts of arith that there are between two types.
std::vector<std::string> castsOf(const std::string &from,
                                 const std::string &to) {
  bool isIndexed = from == "index" || to == "index";
  bool toWider = widthOf(from) < widthOf(to);
  if (isFloat(from) && isFloat(to)) {
    if (widthOf(from) == widthOf(to))
      return {"arith.bitcast $0"};
    return {toWider ? "arith.extf $0" : "arith.truncf $0"};
  }
  if (isIndexed)
    return isFloat(from) || isFloat(to) || from == to
               ? std::vector<std::string>{}
               : std::vector<std::string>{"arith.index_cast $0",
                                          "arith.index_castui $0"};
  std::vector<std::string> casts;
  if (isFloat(from))
    casts = {"arith.fptosi $0", "arith.fptoui $0"};
  else if (isFloat(to))
    casts = {"arith.sitofp $0", "arith.uitofp $0"};
  else if (widthOf(from) != widthOf(to))
    return toWider
               ? std::vector<std::string>{"arith.extsi $0", "arith.extui $0"}
               : std::vector<std::string>{"arith.trunci $0"};
  if (widthOf(from) == widthOf(to))
    casts.push_back("arith.bitcast $0");
  return casts;
}
} // namespace

TEST_CASE("elements: conversions of all types to all") {
  // Each pair with another rounding for each target.
  int turn = 0;
  for (const std::string &from : allElements())
    for (const target::GpuTarget &target : target::gpuTargets()) {
      KernelText k;
      Value x = k.load(tile(from, {kSize}));
      for (const std::string &to : allElements()) {
        for (const std::string &cast : castsOf(from, to))
          k.store(k.op(cast + " : %0 to %r", {x}, x.type.of(to)));
        if (to == "i1")
          continue;
        std::string rounding = kRoundings[turn++ % 5];
        for (const char *range : {"", " saturate"})
          k.store(k.op("tile.convert $0 rounding " + rounding + range +
                           (isFloat(from) || turn % 2 ? "" : " from_unsigned") +
                           (isFloat(to) || turn % 3 ? "" : " to_unsigned") +
                           " : %0 -> %r",
                       {x}, x.type.of(to)));
      }
      compiled(k, target);
    }
}

TEST_CASE("elements: a signed i1 is -1 or 0") {
  // LLVM makes 1 of one that comes from another block on its way to bf16, where
  // the target converts to bf16.
  for (const target::GpuTarget &target : target::gpuTargets()) {
    KernelText k;
    Value view = k.argument("!tile.view<?xi1>", {.dims = {2}});
    Value x =
        k.op("tile.load $0[%c0] pad true : %0 -> %r", {view}, tile("i1", {2}));
    for (const std::string &to : allElements())
      if (isFloat(to))
        k.store(k.op("arith.sitofp $0 : %0 to %r", {x}, x.type.of(to)));
    schedule::GpuSchedule schedule;
    StatusOr<KernelImage> image = compileForGpu(k.str(), target, schedule);
    REQUIRE(image.ok());
    for (uint64_t seed : {1, 2, 3})
      CHECK(compareOnEmulator(k.str(), *image, k.inputs, {}, seed).error == "");
  }
}

TEST_CASE("elements: scaled conversions") {
  for (const char *from : kReals) {
    KernelText k;
    Value x = k.load(tile(from, {kSize}));
    Value scale = k.load(x.type.of("f8E8M0FNU"));
    for (const char *to : kReals)
      if (int widths = widthOf(from) - widthOf(to))
        k.store(k.op(std::string("arith.scaling_") +
                         (widths < 0 ? "extf" : "truncf") +
                         " $0, $1 : %0, %1 to %r",
                     {x, scale}, x.type.of(to)));
    checkAllTargets(k);
  }
}

TEST_CASE("elements: stochastic rounding") {
  for (const char *from : kReals) {
    KernelText k;
    Value x = k.load(tile(from, {kSize})), r = k.load(tile("i32", {kSize}));
    for (const char *to : kReals)
      k.store(k.op("tile.convert $0 rounding stochastic random $1 : %0 -> %r",
                   {x, r}, x.type.of(to)));
    checkAllTargets(k);
  }
}

//===--- Memory -----------------------------------------------------------===//

TEST_CASE("elements: in memory, constants, reductions, shared memory") {
  for (const std::string &element : allElements()) {
    if (element == "index")
      continue;
    KernelText k;
    TileType type = tile(element, {6, 40});
    Value x = k.load(type);
    std::string numbers;
    for (int i = 0; i < 240; ++i)
      numbers += (i % 40 ? ", "
                  : i    ? "], ["
                         : "[[") +
                 std::string(element == "i1"    ? (i % 3 ? "true" : "false")
                             : isFloat(element) ? (i % 3 ? "1.0" : "2.0")
                                                : std::to_string(i % 7));
    Value data = k.constant(numbers + "]]", type);
    Value c =
        k.op("arith.cmpi ult, $0, $1 : %0",
             {k.load(type.of("i8")), k.load(type.of("i8"))}, type.of("i1"));
    Value y = k.op("arith.select $0, $1, $2 : %0, %r", {c, x, data}, type);
    // Columns to rows: through shared memory.
    k.store(k.op("tile.transpose $0 [1, 0] : %0 -> %r", {y},
                 tile(element, {40, 6})));
    std::string op = isFloat(element) ? "arith.maximumf" : "arith.addi";
    k.store(k.op("tile.reduce $0 axis 1 {\n^bb0(%p: " + element + ", %q: " +
                     element + "):\n%s = " + op + " %p, %q : " + element +
                     "\ntile.yield %s : " + element + "\n} : %0 -> %r",
                 {y}, tile(element, {6})));
    Value pointer = k.argument("!tile.ptr<" + element + ">");
    Value at = k.op("tile.iota : %r", {}, tile("i32", {kSize}));
    Value pointers = k.op("tile.offset $0, $1 : %0, %1", {pointer, at},
                          tile("!tile.ptr<" + element + ">", {kSize}));
    Value loaded =
        k.op("tile.load_ptr $0 : %0", {pointers}, tile(element, {kSize}));
    k.effect("tile.store_ptr $0, $1 : %1", {loaded, pointers});
    checkAllTargets(k);
  }
}

//===--- What the instructions are ----------------------------------------===//

TEST_CASE("elements: halves by instructions of halves, two at a time") {
  const target::GpuTarget &sm90 = *target::findGpuTarget("sm_90a");
  for (std::string element : {"f16", "bf16"}) {
    KernelText k;
    Value x = k.load(tile(element, {64})), y = k.load(tile(element, {64}));
    Value z = k.op("arith.addf $0, $1 : %r", {x, y}, x.type);
    z = k.op("arith.mulf $0, $1 : %r", {z, y}, x.type);
    z = k.op("math.fma $0, $1, $0 : %r", {z, x}, x.type);
    k.store(k.op("arith.maximumf $0, $1 : %r", {z, y}, x.type));
    Value wide = k.load(tile("f32", {64}));
    k.store(k.op("tile.convert $0 : %0 -> %r", {wide}, x.type));
    std::string ptx = compiled(k, sm90);
    CHECK(contains(ptx, "add.rn." + element + "x2"));
    CHECK(contains(ptx, "mul.rn." + element + "x2"));
    CHECK(contains(ptx, "fma.rn." + element + "x2"));
    CHECK(contains(ptx, "max.NaN." + element + "x2"));
    CHECK(contains(ptx, "cvt.rn." + element));
    CHECK_FALSE(contains(ptx, ".ftz"));
    CHECK_FALSE(contains(ptx, "add.rn.f32"));
    CHECK_FALSE(contains(ptx, "mul.rn.f32"));
    // Before sm_90 there is no sum of bf16: a product with 1 and a sum.
    if (element == "bf16")
      CHECK(contains(compiled(k, *target::findGpuTarget("sm_80")),
                     "fma.rn.bf16x2"));
  }
}

TEST_CASE("elements: f8 by cvt where the target has it, two at a time") {
  for (const target::GpuTarget &target : target::gpuTargets())
    for (std::string element : {"f8E4M3FN", "f8E5M2"}) {
      std::string pair = element == "f8E5M2" ? "e5m2x2" : "e4m3x2";
      KernelText k;
      Value x = k.load(tile("f32", {128}));
      k.store(
          k.op("tile.convert $0 saturate : %0 -> %r", {x}, x.type.of(element)));
      Value y = k.load(x.type.of(element));
      k.store(k.op("tile.convert $0 : %0 -> %r", {y}, x.type.of("f16")));
      // Without `saturate` too, but no other rounding.
      k.store(k.op("arith.truncf $0 : %0 to %r", {x}, x.type.of(element)));
      k.store(
          k.op("arith.truncf $0 downward : %0 to %r", {x}, x.type.of(element)));
      std::string ptx = compiled(k, target);
      CAPTURE(target.name, element);
      int to = occurrences(ptx, "cvt.rn.satfinite." + pair + ".f32");
      int from = occurrences(ptx, "cvt.rn.f16x2." + pair);
      CHECK(to == (target.convertsFloat8 ? 2 : 0));
      CHECK(from == (target.convertsFloat8 ? 2 : 0));
    }
}

TEST_CASE("elements: equal constants lie in memory once") {
  KernelText k;
  TileType type = tile("i32", {4});
  Value x = k.load(type);
  for (int i = 0; i < 2; ++i)
    k.store(k.op("arith.addi $0, $1 : %r",
                 {x, k.constant("[1, 5, 2, 7]", type)}, type));
  Value row = k.constant("[[1, 5, 2, 7]]", tile("i32", {1, 4}));
  k.store(
      k.op("tile.transpose $0 [1, 0] : %0 -> %r", {row}, tile("i32", {4, 1})));
  std::string ptx = compiled(k, *target::findGpuTarget("sm_90a"));
  size_t first = ptx.find(".global .align 16");
  REQUIRE(first != std::string::npos);
  CHECK_FALSE(contains(ptx.substr(first + 1), ".global .align 16"));
}

TEST_CASE("elements: constants as memory holds them") {
  struct Case {
    const char *element, *numbers, *data;
  };
  const Case cases[] = {
      {"i32", "[1, -1]", "b8 k_data0[8] = {1, 0, 0, 0, 255, 255, 255, 255}"},
      {"i1", "[true, false]", "b8 k_data0[2] = {1}"},
      {"i4", "[-2, 7]", "b8 k_data0[2] = {254, 7}"},
      {"f8E5M2", "[1.0, -1.0]", "b8 k_data0[2] = {60, 188}"},
      {"f4E2M1FN", "[1.0, 6.0]", "b8 k_data0[2] = {2, 7}"},
      {"bf16", "[1.0, 2.0]", "b8 k_data0[4] = {128, 63, 0, 64}"}};
  for (const Case &c : cases) {
    KernelText k;
    k.store(k.constant(c.numbers, tile(c.element, {2})));
    std::string ptx = compiled(k, *target::findGpuTarget("sm_80"));
    INFO(ptx);
    CHECK(contains(ptx, c.data));
  }
}

TEST_CASE("elements: a remainder is exact") {
  // LLVM expands frem to a quotient, truncated, and a product subtracted.
  KernelText k;
  Value x = k.load(tile("f32", {64})), y = k.load(tile("f32", {64}));
  k.store(k.op("arith.remf $0, $1 : %r", {x, y}, x.type));
  std::string ptx = compiled(k, *target::findGpuTarget("sm_90a"));
  CHECK_FALSE(contains(ptx, "div.rn.f32"));
  CHECK(contains(ptx, "rem.u64"));
}
