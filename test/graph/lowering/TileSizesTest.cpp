#include "graph/lowering/TileSizes.h"

#include "graph/analysis/Access.h"
#include "graph/pipeline/Pipelines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace mlir;
using namespace tilewright::graph;

namespace {
using Sizes = std::vector<int64_t>;

/// How one group is tiled: its tile, and the steps of its root's plain loops.
struct GroupTiling {
  Sizes tile, steps;
  friend bool operator==(const GroupTiling &, const GroupTiling &) = default;
  friend std::ostream &operator<<(std::ostream &out, const GroupTiling &cut) {
    for (int64_t size : cut.tile)
      out << size << " ";
    out << "in steps of";
    for (int64_t size : cut.steps)
      out << " " << size;
    return out;
  }
};

struct Fixture {
  Fixture() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, tensor::TensorDialect>();
  }

  /// The only group of `result = op` on tensors of these types. `sizes`: the
  /// open sizes of the result, %rows or %columns.
  Group group(const std::string &op, const std::string &lhs,
              const std::string &rhs, const std::string &result,
              const std::string &sizes = "") {
    const bool isInteger = result.ends_with("i32");
    const std::string zero = isInteger ? "0 : i32" : "0.0 : f32";
    std::string code = "func.func @f(%a: tensor<" + lhs + ">, %b: tensor<" +
                       rhs + ">) -> tensor<" + result +
                       "> {\n"
                       "  %zero = arith.constant " +
                       zero +
                       "\n"
                       "  %c0 = arith.constant 0 : index\n"
                       "  %rows = tensor.dim %a, %c0 : tensor<" +
                       lhs +
                       ">\n"
                       "  %c1 = arith.constant 1 : index\n"
                       "  %columns = tensor.dim %b, %c1 : tensor<" +
                       rhs +
                       ">\n"
                       "  %e = tensor.empty(" +
                       sizes + ") : tensor<" + result +
                       ">\n"
                       "  %f = linalg.fill ins(%zero : " +
                       zero.substr(zero.size() - 3) + ") outs(%e : tensor<" +
                       result + ">) -> tensor<" + result + ">\n  %y = linalg." +
                       op + " ins(%a, %b : tensor<" + lhs + ">, tensor<" + rhs +
                       ">) outs(%f : tensor<" + result + ">) -> tensor<" +
                       result + ">\n  return %y : tensor<" + result + ">\n}\n";
    INFO(code);
    module = parseSourceString<ModuleOp>(code, ParserConfig(&context));
    REQUIRE(module);
    FailureOr<func::FuncOp> func = groupGraph(*module);
    REQUIRE(succeeded(func));
    std::vector<Group> groups = groupsOf(*func);
    REQUIRE(groups.size() == 1);
    return groups.front();
  }

  Group gemm(int64_t m, int64_t n, int64_t k) {
    auto text = [](int64_t size) {
      return ShapedType::isDynamic(size) ? "?" : std::to_string(size);
    };
    auto matrix = [&](int64_t rows, int64_t columns) {
      return text(rows) + "x" + text(columns) + "xf32";
    };
    return group("matmul", matrix(m, k), matrix(k, n), matrix(m, n),
                 ShapedType::isDynamic(m)   ? "%rows"
                 : ShapedType::isDynamic(n) ? "%columns"
                                            : "");
  }

  GroupTiling cut(const Group &group, const TileLimits &limits) {
    TileSizes sizes;
    sizes.tile = chooseTile(group, limits);
    chooseSteps(group, limits, sizes);
    GroupTiling result;
    result.tile.assign(sizes.tile.begin(), sizes.tile.end());
    for (unsigned loop : steppedLoops(group, group.root))
      result.steps.push_back(sizes.steps[group.root][loop]);
    return result;
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
};
} // namespace

TEST_CASE_METHOD(Fixture, "products of matrices are cut for a core's caches") {
  TileLimits two = TileLimits::cpu(2);
  CHECK(cut(gemm(1024, 1024, 1024), two) == GroupTiling{{256, 64}, {256}});
  // Blocks of rows, with little waste at the end.
  CHECK(cut(gemm(600, 1024, 64), two) == GroupTiling{{200, 64}, {64}});
  // A row of one and a half tiles is not split.
  CHECK(cut(gemm(512, 96, 64), two) == GroupTiling{{256, 96}, {64}});
  CHECK(cut(gemm(512, 112, 64), two) == GroupTiling{{256, 56}, {64}});
  // Few rows: long pieces of the right side's.
  CHECK(cut(gemm(12, 4096, 512), two) == GroupTiling{{12, 1024}, {256}});
  // Shorter where several passes read them.
  CHECK(cut(gemm(16, 4096, 512), two) == GroupTiling{{16, 512}, {256}});
  // What caches do not hold is read row by row.
  CHECK(cut(gemm(12, 4096, 1024), two) == GroupTiling{{12, 1024}, {128}});
  CHECK(cut(gemm(4, 4096, 1024), two) == GroupTiling{{4, 1024}, {16}});
  CHECK(cut(gemm(64, 4096, 1024), two) == GroupTiling{{64, 256}, {256}});
  // A single row reads the right side once, row by row.
  CHECK(cut(gemm(1, 4096, 1024), two) == GroupTiling{{1, 1024}, {16}});
}

TEST_CASE_METHOD(Fixture, "programs keep all threads busy to the end") {
  // One program for each of two threads.
  CHECK(cut(gemm(256, 128, 64), TileLimits::cpu(2)) ==
        GroupTiling{{256, 64}, {64}});
  // Five programs would leave one thread waiting while the other does its
  // third.
  CHECK(cut(gemm(256, 320, 64), TileLimits::cpu(2)) ==
        GroupTiling{{128, 64}, {64}});
  // Seven of eight slots would waste an eighth of the time.
  CHECK(cut(gemm(256, 448, 64), TileLimits::cpu(2)) ==
        GroupTiling{{128, 64}, {64}});
  // A row is shared, too, when it is long.
  CHECK(cut(gemm(1, 1000, 1024), TileLimits::cpu(2)) ==
        GroupTiling{{1, 500}, {16}});
  CHECK(cut(gemm(1, 500, 64), TileLimits::cpu(2)) ==
        GroupTiling{{1, 500}, {16}});
  // For many threads, down to half a million multiplications a program: less
  // does not pay for waking a thread.
  CHECK(cut(gemm(256, 320, 64), TileLimits::cpu(64)) ==
        GroupTiling{{128, 64}, {64}});
}

TEST_CASE_METHOD(Fixture, "threads share the matrix of few rows") {
  // A step of a recurrent network: 32 Ki elements of the matrix a program.
  CHECK(cut(gemm(1, 1024, 256), TileLimits::cpu(2)) ==
        GroupTiling{{1, 512}, {16}});
  CHECK(cut(gemm(1, 1024, 256), TileLimits::cpu(64)) ==
        GroupTiling{{1, 128}, {16}});
  // Each of them serves all rows.
  CHECK(cut(gemm(8, 1024, 256), TileLimits::cpu(64)) ==
        GroupTiling{{8, 128}, {256}});
  // More elements of a byte, in longer steps.
  auto bytes = group("matmul", "1x768xi8", "768x3072xi8", "1x3072xi32");
  CHECK(cut(bytes, TileLimits::cpu(64)) == GroupTiling{{1, 128}, {64}});
  // Many rows are bound by their multiplications.
  CHECK(cut(gemm(64, 256, 256), TileLimits::cpu(64)) ==
        GroupTiling{{32, 64}, {256}});
}

TEST_CASE_METHOD(Fixture, "what is open may be short") {
  constexpr int64_t open = ShapedType::kDynamic;
  // Columns are as wide as for the rows of a tile.
  CHECK(cut(gemm(open, 1024, 256), TileLimits::cpu(2)) ==
        GroupTiling{{32, 512}, {256}});
  CHECK(cut(gemm(open, 1024, 1024), TileLimits::cpu(64)) ==
        GroupTiling{{32, 128}, {256}});
  // There may be one tile of columns: threads share rows where these are long.
  CHECK(cut(gemm(256, open, 64), TileLimits::cpu(2)) ==
        GroupTiling{{256, 64}, {64}});
  CHECK(cut(gemm(256, open, 4096), TileLimits::cpu(2)) ==
        GroupTiling{{128, 64}, {256}});
}

TEST_CASE_METHOD(Fixture, "few rows of a matrix of bytes are on few pages") {
  auto stepOf = [&](const std::string &rows, int64_t columns) {
    const std::string n = std::to_string(columns);
    return cut(group("matmul", rows + "x512xi8", "512x" + n + "xi8",
                     rows + "x" + n + "xi32", rows == "?" ? "%rows" : ""),
               TileLimits::cpu(2))
        .steps.back();
  };
  CHECK(stepOf("?", 4096) == 32);
  CHECK(stepOf("?", 1024) == 64);
  CHECK(stepOf("?", 128) == 256);
  // Of a known number of rows many steps would write accumulators more often.
  CHECK(stepOf("64", 4096) == 256);
}

TEST_CASE_METHOD(Fixture, "a step over open rows reads few of them") {
  const std::string code = R"(
    func.func @f(%x: tensor<?x384xf32>) -> tensor<f32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<f32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
      %y = linalg.reduce {arith.maximumf} ins(%x : tensor<?x384xf32>)
          outs(%f : tensor<f32>) dimensions = [0, 1]
      return %y : tensor<f32>
    })";
  module = parseSourceString<ModuleOp>(code, ParserConfig(&context));
  REQUIRE(module);
  FailureOr<func::FuncOp> func = groupGraph(*module);
  REQUIRE(succeeded(func));
  // Its first group reduces parts of the rows, whose number is unknown.
  const Group group = groupsOf(*func).front();
  CHECK(cut(group, TileLimits::cpu(2)).steps == Sizes{1, 384});
}

TEST_CASE_METHOD(Fixture, "windows as columns span several lines") {
  Group conv = group("conv_2d_nchw_fchw", "1x64x16x16xf32", "512x64x3x3xf32",
                     "1x512x14x14xf32");
  CHECK(isMatrixProduct(conv.root));
  // 98 columns; the right side is put in order once for 256 rows.
  CHECK(cut(conv, TileLimits::cpu(2)) == GroupTiling{{1, 256, 7, 14}, {64}});
}

TEST_CASE_METHOD(Fixture, "steps of windows leave caches what is read again") {
  auto convolution = [&](int64_t channels, int64_t filters, int64_t window,
                         int64_t size) {
    auto tensor = [](const std::vector<int64_t> &shape) {
      std::string text;
      for (int64_t dim : shape)
        text += std::to_string(dim) + "x";
      return text + "f32";
    };
    int64_t input = size + window - 1;
    return group("conv_2d_nchw_fchw", tensor({1, channels, input, input}),
                 tensor({filters, channels, window, window}),
                 tensor({1, filters, size, size}));
  };
  TileLimits one = TileLimits::cpu(1);
  // Few columns: 9 * 256 rows by 64 are 144 Ki elements.
  CHECK(cut(convolution(256, 256, 3, 7), one).steps == Sizes{64});
  // Few rows: 112 columns by 72; more would not stay in the first cache.
  CHECK(cut(convolution(144, 32, 3, 28), one).steps == Sizes{72});
  // One point reads whole lines.
  CHECK(cut(convolution(256, 256, 1, 28), one).steps == Sizes{256});
}

TEST_CASE_METHOD(Fixture, "a depthwise convolution multiplies no matrices") {
  Group group = this->group("depthwise_conv_2d_nchw_chw", "1x64x58x58xf32",
                            "64x3x3xf32", "1x64x56x56xf32");
  CHECK(isContraction(group.root));
  CHECK_FALSE(isMatrixProduct(group.root));
  CHECK(isWindowReduction(cast<linalg::GenericOp>(group.root)));
  CHECK(cut(group, TileLimits::cpu(2)) == GroupTiling{{1, 1, 28, 56}, {}});
}

TEST_CASE_METHOD(Fixture, "large windows stay loops") {
  Group group = this->group("depthwise_conv_2d_nchw_chw", "1x64x64x64xf32",
                            "64x9x9xf32", "1x64x56x56xf32");
  CHECK_FALSE(isWindowReduction(cast<linalg::GenericOp>(group.root)));
}
