// Loops whose loads reach shared memory: iterations ahead, by copies or through
// registers.
#include "KernelText.h"

#include <catch2/catch.hpp>
#include <random>

using namespace tilewright::kerneltest;
using std::to_string;

// Sums of products of these stay multiples of 1/4 below 256.
static const Input kExact = {
    .values = {1, 0, -2, 0.5, 1, -1, 2, 0, -0.5, 1, 0}};

namespace {
/// A loop that adds products of tiles of `a` [m, k] and `b` [k, n].
struct Loop {
  std::string type = "f16";
  int64_t m = 32, n = 32, k = 16;
  /// Elements along the depth: tiles are padded where they do not divide it.
  int64_t depth = 64;
  /// More columns of a view than it needs: what divides its rows.
  int64_t more = 0;
  bool transposesLhs = false, transposesRhs = false;
  /// Whether the number of iterations is an argument.
  bool isDynamic = false;
  std::string precision = "ieee";
};
} // namespace

static bool isInteger(const Loop &loop) { return loop.type == "i8"; }

static int64_t stepsOf(const Loop &loop) {
  return (loop.depth + loop.k - 1) / loop.k;
}

static Value operand(KernelText &k, const Loop &loop, bool isLhs) {
  const bool isTransposed = isLhs ? loop.transposesLhs : loop.transposesRhs;
  const bool isDepthFirst = isLhs == isTransposed;
  const int64_t other = isLhs ? loop.m : loop.n;
  Value view = k.argument(
      "!tile.view<?x?x" + loop.type + ">",
      {.dims = isDepthFirst
                   ? std::vector<int64_t>{loop.depth, other + loop.more}
                   : std::vector<int64_t>{other, loop.depth + loop.more},
       .low = -100,
       .high = 100,
       .values = isInteger(loop) ? std::vector<double>{} : kExact.values},
      loop.more % 8 == 0 && other % 8 == 0 && loop.depth % 8 == 0
          ? "tile.dim_divisible = array<i64: 8, 8>"
          : "");
  return view;
}

static Value loaded(KernelText &k, const Loop &loop, const Value &view,
                    bool isLhs, const std::string &step) {
  const bool isTransposed = isLhs ? loop.transposesLhs : loop.transposesRhs;
  const bool isDepthFirst = isLhs == isTransposed;
  const int64_t other = isLhs ? loop.m : loop.n;
  const std::string at =
      isDepthFirst ? "[" + step + ", %c0]" : "[%c0, " + step + "]";
  const TileType matrix = isLhs ? tile(loop.type, {loop.m, loop.k})
                                : tile(loop.type, {loop.k, loop.n});
  const TileType read = isDepthFirst ? tile(loop.type, {loop.k, other})
                                     : tile(loop.type, {other, loop.k});
  Value tile = k.op("tile.load $0" + at + " pad " +
                        (isInteger(loop) ? "0" : "0.0") + " : %0 -> %r",
                    {view}, read);
  return isTransposed
             ? k.op("tile.transpose $0 [1, 0] : %0 -> %r", {tile}, matrix)
             : tile;
}

static TileType resultOf(const Loop &loop) {
  const char *sums = isInteger(loop)      ? "i32"
                     : loop.type == "f64" ? "f64"
                                          : "f32";
  return tile(sums, {loop.m, loop.n});
}

static std::string begin(const std::string &name, const std::string &steps,
                         const Value &init, const std::string &carried) {
  return name + " = scf.for %i" + carried + " = %c0 to " + steps +
         " step %c1 iter_args(%" + carried + " = " + init.name + ") -> (" +
         init.type.str() + ") {";
}

static std::string end(const Value &value) {
  return "scf.yield " + value.name + " : " + value.type.str() + "\n}";
}

static Value steps(KernelText &k, const Loop &loop) {
  if (loop.isDynamic)
    return k.argument("index", {.scalar = stepsOf(loop)});
  return k.op("arith.constant " + to_string(stepsOf(loop)) + " : index", {},
              scalar("index"));
}

static Value dot(KernelText &k, const Value &lhs, const Value &rhs,
                 const std::string &acc, const TileType &type,
                 const std::string &precision = "ieee") {
  const std::string traits =
      precision == "ieee" ? "" : " precision " + precision;
  return k.op("tile.dot $0, $1, " + acc + traits + " : %0, %1 -> %r",
              {lhs, rhs}, type);
}

static void check(const Loop &loop) {
  KernelText k;
  Value a = operand(k, loop, true), b = operand(k, loop, false);
  Value zero = k.constant(isInteger(loop) ? "0" : "0.0", resultOf(loop));
  k.line(begin("%sum", steps(k, loop).name, zero, "s"));
  Value x = loaded(k, loop, a, true, "%is");
  Value y = loaded(k, loop, b, false, "%is");
  k.line(end(dot(k, x, y, "%s", resultOf(loop), loop.precision)));
  k.store({"%sum", resultOf(loop)});
  k.check();
}

TEST_CASE("pipeline: all transpositions and types") {
  for (const char *type : {"f16", "bf16", "f32"})
    for (bool lhs : {false, true})
      for (bool rhs : {false, true})
        check({.type = type, .transposesLhs = lhs, .transposesRhs = rhs});
}

// Operands that are rounded, split or converted behind the copies, and bytes
// that threads transpose.
TEST_CASE("pipeline: number types of matrix instructions, all transpositions") {
  const std::pair<const char *, const char *> types[] = {
      {"f32", "tf32"}, {"f32", "bf16x3"},    {"f64", "ieee"},
      {"i8", "ieee"},  {"f8E4M3FN", "ieee"}, {"f8E5M2", "fast"},
  };
  for (auto [type, precision] : types)
    for (bool lhs : {false, true})
      for (bool rhs : {false, true})
        check({.type = type,
               .k = 32,
               .depth = 112,
               .transposesLhs = lhs,
               .transposesRhs = rhs,
               .precision = precision});
}

TEST_CASE("pipeline: no iteration, few, and a number that is an argument") {
  for (int64_t steps = 0; steps <= 6; ++steps)
    for (bool isDynamic : {false, true})
      check({.depth = 16 * steps, .isDynamic = isDynamic});
}

// Rows that begin at multiples of 16, 8, 4 and 2 bytes; tiles beyond the view.
TEST_CASE("pipeline: rows that cp.async copies in parts, or not at all") {
  for (int64_t more : {0, 8, 4, 2, 1})
    for (int64_t depth : {48, 56, 40, 33})
      check({.depth = depth, .more = more, .transposesRhs = more % 4 == 0});
}

TEST_CASE("pipeline: random loops") {
  std::mt19937_64 random(7);
  auto one = [&](std::initializer_list<int64_t> of) {
    return of.begin()[random() % of.size()];
  };
  for (int i = 0; i < 30; ++i) {
    const int64_t k = one({8, 16, 32});
    check({.type = random() % 3 ? "f16" : "f32",
           .m = one({16, 32, 48, 64}),
           .n = one({8, 16, 32, 40}),
           .k = k,
           .depth = k * one({1, 2, 3, 5}) - one({0, 0, 3}),
           .more = one({0, 0, 8, 5}),
           .transposesLhs = random() % 2 == 0,
           .transposesRhs = random() % 2 == 0,
           .isDynamic = random() % 2 == 0});
  }
}

// One load, and an operand that does not change.
TEST_CASE("pipeline: a product with a constant") {
  const Loop loop;
  KernelText k;
  Value a = operand(k, loop, true);
  Value half = k.constant("0.5", tile("f16", {loop.k, loop.n}));
  Value zero = k.constant("0.0", resultOf(loop));
  k.line(begin("%sum", "%c3", zero, "s"));
  k.line(
      end(dot(k, loaded(k, loop, a, true, "%is"), half, "%s", resultOf(loop))));
  k.store({"%sum", resultOf(loop)});
  k.check();
}

// Three loads, two products.
TEST_CASE("pipeline: two products share an operand") {
  const Loop loop;
  KernelText k;
  Value a = operand(k, loop, true), b = operand(k, loop, false);
  Value c = operand(k, loop, false);
  Value zero = k.constant("0.0", resultOf(loop));
  k.line(begin("%sum", "%c3", zero, "s"));
  Value x = loaded(k, loop, a, true, "%is");
  Value y = loaded(k, loop, b, false, "%is");
  Value z = loaded(k, loop, c, false, "%is");
  Value first = dot(k, x, y, "%s", resultOf(loop));
  k.line(end(dot(k, x, z, first.name, resultOf(loop))));
  k.store({"%sum", resultOf(loop)});
  k.check();
}

// The other operand is copied; this one has a second use.
TEST_CASE("pipeline: an operand also feeds arithmetic") {
  const Loop loop{.n = 16};
  KernelText k;
  Value a = operand(k, loop, true), b = operand(k, loop, false);
  Value zero = k.constant("0.0", resultOf(loop));
  k.line(begin("%sum", "%c3", zero, "s"));
  Value x = loaded(k, loop, a, true, "%is");
  Value y = loaded(k, loop, b, false, "%is");
  Value product = dot(k, x, y, "%s", resultOf(loop));
  Value wide = k.op("arith.extf $0 : %0 to %r", {x}, resultOf(loop));
  k.line(end(k.op("arith.addf $0, $1 : %r", {product, wide}, product.type)));
  k.store({"%sum", resultOf(loop)});
  k.check();
}

// The rings of the inner loop are filled again in each iteration of the outer.
TEST_CASE("pipeline: nested loops") {
  const Loop loop;
  for (bool reusesSum : {false, true}) {
    KernelText k;
    Value a = operand(k, loop, true), b = operand(k, loop, false);
    Value zero = k.constant("0.0", resultOf(loop));
    k.line(begin("%sum", "%c2", zero, "s"));
    Value inner{"%inner", resultOf(loop)};
    k.line(begin(inner.name, steps(k, loop).name,
                 reusesSum ? Value{"%s", zero.type} : zero, "t"));
    Value x = loaded(k, loop, a, true, "%it");
    Value y = loaded(k, loop, b, false, "%it");
    k.line(end(dot(k, x, y, "%t", resultOf(loop))));
    Value other = loaded(k, loop, a, true, "%is");
    Value more = loaded(k, loop, b, false, "%c0");
    Value sum = k.op("arith.addf $0, %s : %r", {inner}, inner.type);
    k.line(end(dot(k, other, more, sum.name, resultOf(loop))));
    k.store({"%sum", resultOf(loop)});
    k.check();
  }
}

TEST_CASE("pipeline: a product in a branch") {
  const Loop loop;
  KernelText k;
  Value a = operand(k, loop, true), b = operand(k, loop, false);
  Value zero = k.constant("0.0", resultOf(loop));
  k.line(begin("%sum", "%c3", zero, "s"));
  Value x = loaded(k, loop, a, true, "%is");
  k.line("%isOne = arith.cmpi eq, %is, %c1 : index\n%branch = scf.if %isOne -> "
         "(" +
         zero.type.str() + ") {");
  Value y = loaded(k, loop, b, false, "%is");
  k.line(end(dot(k, x, y, "%s", resultOf(loop))) +
         " else {\nscf.yield %s : " + zero.type.str() + "\n}");
  k.line(end({"%branch", zero.type}));
  k.store({"%sum", resultOf(loop)});
  k.check();
}

// What the loop writes it may load: nothing starts early.
TEST_CASE("pipeline: a loop that writes what it loads") {
  const Loop loop{.m = 16, .n = 16};
  KernelText k;
  Value a = operand(k, loop, true), b = operand(k, loop, false);
  Value zero = k.constant("0.0", resultOf(loop));
  k.line(begin("%sum", "%c3", zero, "s"));
  Value x = loaded(k, loop, a, true, "%is");
  Value y = loaded(k, loop, b, false, "%is");
  Value product = dot(k, x, y, "%s", resultOf(loop));
  k.line("%next = arith.addi %is, %c1 : index");
  Value one = k.constant("1.0", tile("f16", {16, 16}));
  k.effect("tile.store $0, $1[%c0, %next] : %0, %1", {one, a});
  k.line(end(product));
  k.store({"%sum", resultOf(loop)});
  k.check();
}
