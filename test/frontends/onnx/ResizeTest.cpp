// The elements that Resize reads, against exact rational arithmetic.
#include "Models.h"

#include "graph/analysis/Evaluator.h"
#include "graph/build/ResizePosition.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/DeviceRegistry.h"
#include "tilewright/runtime/Model.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <unistd.h>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::build;
using namespace tilewright::onnx;
using namespace tilewright::onnx::test;

static const std::vector<std::string> coordinates = {
    "asymmetric", "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel",
    "align_corners"};
static const std::vector<std::string> roundings = {
    "floor", "ceil", "round_prefer_floor", "round_prefer_ceil"};

/// The same, as they are in the builder.
static const ResizeCoordinates builtCoordinates[] = {
    ResizeCoordinates::Asymmetric, ResizeCoordinates::HalfPixel,
    ResizeCoordinates::HalfPixelFromMiddle,
    ResizeCoordinates::HalfPixelUnlessOne, ResizeCoordinates::AlignCorners};
static const ResizeRounding builtRoundings[] = {
    ResizeRounding::Floor, ResizeRounding::Ceil, ResizeRounding::HalfDown,
    ResizeRounding::HalfUp};

namespace {

/// A rational number, not in lowest terms; the denominator is positive.
struct Fraction {
  __int128 n, d = 1;

  Fraction operator+(Fraction o) const { return {n * o.d + o.n * d, d * o.d}; }
  Fraction operator-(Fraction o) const { return {n * o.d - o.n * d, d * o.d}; }
  Fraction operator*(Fraction o) const { return {n * o.n, d * o.d}; }
  Fraction operator/(Fraction o) const {
    return o.n > 0 ? Fraction{n * o.d, d * o.n} : Fraction{-n * o.d, -d * o.n};
  }
  bool operator==(Fraction o) const { return n * o.d == o.n * d; }
  int64_t floor() const { return int64_t(n / d - (n % d < 0)); }
};

/// The text of ONNX's specification, as code.
Fraction positionOf(const std::string &mode, Fraction scale, int64_t in,
                    int64_t out, int64_t i) {
  Fraction length = scale * Fraction{in}, one = {1}, half = {1, 2};
  if (mode == "asymmetric")
    return Fraction{i} / scale;
  if (mode == "align_corners")
    return length == one ? Fraction{0}
                         : Fraction{i} * Fraction{in - 1} / (length - one);
  if (mode == "pytorch_half_pixel" && out == 1)
    return {0};
  Fraction offset = {0};
  if (mode == "half_pixel_symmetric") {
    Fraction adjustment = Fraction{out} / length, center = {in, 2};
    offset = center * (one - adjustment);
  }
  return offset + (Fraction{i} + half) / scale - half;
}

int64_t nearestOf(const std::string &rounding, Fraction x, int64_t in) {
  Fraction below = {x.floor()}, rest = x - below;
  bool isHalf = rest == Fraction{1, 2}, isMore = 2 * rest.n > rest.d;
  bool up = false;
  if (rounding == "ceil")
    up = rest.n > 0;
  else if (rounding == "round_prefer_floor")
    up = isMore;
  else if (rounding == "round_prefer_ceil")
    up = isMore || isHalf;
  return std::clamp<int64_t>(int64_t(below.n) + up, 0, in - 1);
}

/// The three numbers of a position whose symbols have these values.
struct Numbers {
  int64_t slope, offset, divisor;

  int64_t floor(int64_t i) const {
    return llvm::divideFloorSigned(slope * i + offset, divisor);
  }
};

int64_t valueOf(const Sizes &z, Expr e, ArrayRef<int64_t> dimensions) {
  SmallVector<AffineExpr> values(z.symbols.count(),
                                 getAffineConstantExpr(0, e.getContext()));
  for (auto [i, value] : llvm::enumerate(values)) {
    if (!e.isFunctionOfSymbol(i))
      continue;
    auto symbol = getAffineSymbolExpr(i, e.getContext());
    Expr inner = z.symbols.positivePartOf(cast<AffineSymbolExpr>(symbol));
    value = getAffineConstantExpr(
        inner ? std::max<int64_t>(0, valueOf(z, inner, dimensions))
              : dimensions[i],
        e.getContext());
  }
  return *constantOf(e.replaceSymbols(values));
}

/// Compares every element of a result of this size along one axis, with all
/// roundings. `position` has symbols of the values `dimensions`.
struct Comparison {
  Sizes &z;
  ResizeAxis axis;
  Fraction scale;

  void all(int64_t in, int64_t out, ArrayRef<int64_t> dimensions = {}) const {
    for (const auto &[c, coordinate] : llvm::enumerate(coordinates)) {
      ResizePosition exact = resizePosition(z, builtCoordinates[c], axis);
      auto numbers = [&](const ResizePosition &p) {
        return Numbers{valueOf(z, p.slope, dimensions),
                       valueOf(z, p.offset, dimensions),
                       valueOf(z, p.divisor, dimensions)};
      };
      const Numbers split = numbers(reduced(exact));
      std::vector<Numbers> nearest;
      for (ResizeRounding rounding : builtRoundings)
        nearest.push_back(numbers(nearestPosition(z, rounding, axis, exact)));
      for (int64_t i = 0; i < out; ++i) {
        Fraction x = positionOf(coordinate, scale, in, out, i);
        bool same =
            x == Fraction{split.slope * i + split.offset, split.divisor};
        for (size_t r = 0; r < roundings.size(); ++r)
          same &= std::clamp<int64_t>(nearest[r].floor(i), 0, in - 1) ==
                  nearestOf(roundings[r], x, in);
        if (!same) {
          CAPTURE(coordinate, in, out, i);
          FAIL("another element");
        }
      }
    }
  }
};

struct Fixture {
  MLIRContext context{MLIRContext::Threading::DISABLED};
  Sizes z{&context};
};

/// Floats that are exact ratios, decimals that are not, and others.
std::vector<float> someScales() {
  std::vector<float> scales;
  for (int eighths = 1; eighths <= 40; ++eighths)
    scales.push_back(float(eighths) / 8);
  for (int tenths = 1; tenths <= 40; ++tenths)
    scales.push_back(float(tenths) / 10);
  for (int divisor = 3; divisor <= 22; ++divisor) {
    scales.push_back(1 / float(divisor));
    scales.push_back(float(divisor + 1) / float(divisor));
  }
  std::mt19937 random(3);
  std::uniform_real_distribution<float> between(0.05f, 4);
  while (scales.size() < 200)
    scales.push_back(between(random));
  return scales;
}

} // namespace

TEST_CASE_METHOD(Fixture, "resize: static sizes give the exact elements") {
  for (int64_t in = 1; in <= 64; ++in)
    for (int64_t out = 1; out <= 64; ++out) {
      ResizeAxis axis = {z.constant(in), z.constant(out)};
      setScaleOfSizes(z, axis);
      Comparison{z, axis, {out, in}}.all(in, out);
    }
}

TEST_CASE_METHOD(Fixture, "resize: dynamic sizes give the exact elements") {
  ResizeAxis axis = {z.symbols.dimension("N"), z.symbols.dimension("M")};
  setScaleOfSizes(z, axis);
  for (int64_t in = 1; in <= 64; ++in)
    for (int64_t out = 1; out <= 64; ++out)
      Comparison{z, axis, {out, in}}.all(in, out, {in, out});
}

TEST_CASE_METHOD(Fixture, "resize: scales are the numbers that they are") {
  size_t count = 0;
  for (float scale : someScales()) {
    Sizes z(&context); // has a symbol for each maximum
    Expr n = z.symbols.dimension("N");
    auto [numerator, denominator] = *ratioOf(scale);
    REQUIRE(double(numerator) / double(denominator) == scale);
    for (int64_t in : {1, 2, 5, 7, 10, 16, 33, 64})
      // Every fifth time with a dynamic size, too.
      for (bool isDynamic : {false, true}) {
        if (isDynamic && count++ % 5)
          continue;
        ResizeAxis axis = {isDynamic ? n : z.constant(in), {}};
        axis.numerator = z.constant(numerator);
        axis.denominator = z.constant(denominator);
        axis.out = z.floorDiv(z.mul(axis.in, numerator), denominator);
        auto out = int64_t(std::floor(double(in) * scale));
        CAPTURE(scale);
        REQUIRE(valueOf(z, axis.out, {in}) == out);
        Comparison{z, axis, {numerator, denominator}}.all(in, out, {in});
      }
  }
}

TEST_CASE_METHOD(Fixture, "resize: a float is a ratio") {
  CHECK(*ratioOf(1.5) == std::pair<int64_t, int64_t>(3, 2));
  CHECK(*ratioOf(0x1p60) == std::pair<int64_t, int64_t>(int64_t(1) << 60, 1));
  CHECK(*ratioOf(0.1f) ==
        std::pair<int64_t, int64_t>(13421773, int64_t(1) << 27));
  CHECK_FALSE(ratioOf(0x1p62));
  CHECK_FALSE(ratioOf(1e-30));
  CHECK_FALSE(ratioOf(INFINITY));
}

/// One Resize of `x`, by `sizes`, for each mode and rounding: y0, y1, ...
static void addAllModes(ModelMaker &maker, const std::string &x,
                        const std::string &sizes, size_t &count) {
  for (const std::string &coordinate : coordinates)
    for (const std::string &rounding : roundings) {
      std::string y = "y" + std::to_string(count++);
      maker.output(y)
          .node("Resize", {x, "", "", sizes}, {y})
          .set("coordinate_transformation_mode", coordinate.c_str())
          .set("nearest_mode", rounding.c_str());
    }
}

/// The element that output `y` of `addAllModes` has at `i`, of an x that holds
/// its indices.
static float expectedOf(size_t y, int64_t in, int64_t out, int64_t i) {
  Fraction x =
      positionOf(coordinates[y / roundings.size()], {out, in}, in, out, i);
  return float(nearestOf(roundings[y % roundings.size()], x, in));
}

TEST_CASE("resize: what is written for static sizes reads these elements") {
  std::mt19937 random(5);
  std::uniform_int_distribution<int64_t> size(1, 64);
  std::vector<std::pair<int64_t, int64_t>> cases = {
      {20, 6}, {26, 64}, {64, 26}, {7, 10}, {1, 1}, {3, 64}, {9, 3}, {5, 10}};
  while (cases.size() < 40)
    cases.emplace_back(size(random), size(random));
  ModelMaker maker;
  maker.input("unused", {1});
  size_t outputs = 0;
  for (size_t k = 0; k < cases.size(); ++k) {
    auto [in, out] = cases[k];
    std::vector<float> indices(in);
    for (int64_t i = 0; i < in; ++i)
      indices[i] = float(i);
    std::string x = "x" + std::to_string(k), sizes = "s" + std::to_string(k);
    maker.floats(x, {in}, indices).integers(sizes, {out});
    addAllModes(maker, x, sizes, outputs);
  }
  Imported ir(maker);
  Sizes sizes(&ir.context);
  graph::Evaluator evaluator(
      sizes, [](Value) { return Expr(); }, /*budget=*/1 << 24);
  for (size_t y = 0; y < outputs; ++y) {
    auto [in, out] = cases[y / 20];
    for (int64_t i = 0; i < out; ++i) {
      auto found = evaluator.element(ir.result(y), {i});
      REQUIRE(found);
      auto value = cast<FloatAttr>(found->constant).getValueAsDouble();
      if (value != expectedOf(y % 20, in, out, i)) {
        CAPTURE(y % 20, in, out, i);
        FAIL("another element");
      }
    }
  }
}

TEST_CASE("resize: a model of dynamic sizes reads these elements") {
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "tilewright-resize-XXXXXX");
  REQUIRE(::mkdtemp(name.data()));
  const fs::path folder = name;
  size_t outputs = 0;
  ModelMaker maker;
  maker.input("x", {-1}).input("t", {-2}).node("Shape", {"t"}, {"s"});
  addAllModes(maker, "x", "s", outputs);
  std::ofstream(folder / "m.onnx", std::ios::binary) << maker.bytes();
  auto compiled = compileModel(folder / "m.onnx", folder / "m.twp", {});
  INFO(compiled.status().message());
  REQUIRE(compiled.ok());
  auto model =
      runtime::Model::load(*runtime::openDevice("cpu", {1}), folder / "m.twp");
  REQUIRE(model.ok());
  auto session = *(*model)->createSession();
  auto indices = [&](int64_t count) {
    auto tensor = *runtime::HostTensor::allocate(runtime::DType::F32, {count});
    auto data = tensor.as<float>();
    for (int64_t i = 0; i < count; ++i)
      data[i] = float(i);
    return tensor;
  };
  for (int64_t in = 1; in <= 64; ++in)
    for (int64_t out = 1; out <= 64; ++out) {
      REQUIRE(session->setInput("x", indices(in)).ok());
      REQUIRE(session->setInput("t", indices(out)).ok());
      REQUIRE(session->run().ok());
      for (size_t y = 0; y < outputs; ++y) {
        auto found = session->output("y" + std::to_string(y));
        REQUIRE(found.ok());
        auto values = std::as_const(*found).as<float>();
        REQUIRE(values.size() == size_t(out));
        for (int64_t i = 0; i < out; ++i)
          if (values[i] != expectedOf(y, in, out, i)) {
            CAPTURE(y, in, out, i);
            FAIL("another element");
          }
      }
    }
  fs::remove_all(folder);
}
