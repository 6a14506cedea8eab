// A plug-in of each kind: a pass that makes x + x a product, a GPU that is not
// among Tilewright's own, an importer of files that hold one number, and a
// frontend of graphs in MLIR behind a title.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "tilewright/mlir/Registry.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;
using namespace tilewright;

namespace {
struct DoubleByProduct
    : PassWrapper<DoubleByProduct, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DoubleByProduct)
  StringRef getArgument() const override { return "double-by-product"; }

  void runOnOperation() override {
    getOperation().walk([](arith::AddFOp sum) {
      if (sum.getLhs() != sum.getRhs())
        return;
      OpBuilder builder(sum);
      auto two = arith::ConstantOp::create(
          builder, sum.getLoc(),
          DenseElementsAttr::get(cast<ShapedType>(sum.getType()),
                                 builder.getF32FloatAttr(2).getValue()));
      Value product =
          arith::MulFOp::create(builder, sum.getLoc(), sum.getLhs(), two);
      sum.replaceAllUsesWith(product);
      sum.erase();
    });
  }
};
} // namespace

/// "7\n" becomes a kernel that stores 7.
static StatusOr<TileModule> importNumber(std::string_view bytes) {
  std::string digits(bytes.substr(0, bytes.find('\n')));
  if (digits.empty() ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return Status::invalidInput("expected a number, found '" + digits + "'");
  return TileModule{"tile.kernel @number(%A: !tile.view<8xi32>) {\n"
                    "  %c0 = arith.constant 0 : index\n"
                    "  %n = arith.constant dense<" +
                        digits +
                        "> : tensor<8xi32>\n"
                        "  tile.store %n, %A[%c0] : tensor<8xi32>, "
                        "!tile.view<8xi32>\n}",
                    "number"};
}

namespace {
class TitledGraphs : public frontend::Frontend {
public:
  std::string_view name() const override { return "a titled graph"; }
  std::vector<std::string> extensions() const override {
    return {".titled", ".mlir"};
  }
  bool recognizes(std::string_view bytes) const override {
    return bytes.starts_with("title ");
  }
  bool takesShapes() const override { return true; }

  StatusOr<frontend::ImportedModel>
  import(MLIRContext &context, const ModelSource &source,
         const frontend::ImportOptions &options) const override {
    std::string_view bytes = source.bytes();
    size_t end = bytes.find('\n');
    if (!recognizes(bytes) || end == std::string_view::npos)
      return Status::invalidInput(source.path().string() +
                                  ":1: expected a title");
    frontend::ImportedModel imported;
    imported.name = bytes.substr(6, end - 6);
    for (const auto &[name, shape] : options.inputShapes)
      imported.metadata["shape." + name] = std::to_string(shape.size());
    imported.module = parseSourceString<ModuleOp>(
        std::string(bytes.substr(end + 1)), &context, source.path().string());
    if (!imported.module)
      return Status::invalidInput("the context knows why");
    imported.nodeCount = 77;
    imported.isForeign = true;
    return imported;
  }
};
} // namespace

TILEWRIGHT_PLUGIN(registry) {
  registry.addPass("double-by-product",
                   [] { return std::make_unique<DoubleByProduct>(); });
  // Jetson AGX Orin, as the CUDA C++ Programming Guide has it.
  registry.addTarget({"sm_87", 8, 7, 74, 164 * 1024, 48, 16, false});
  // There is none of this name.
  registry.addTarget({"sm_999", 99, 9, 90, 164 * 1024, 48, 16, false});
  registry.addImporter(".number", importNumber);
  registry.addFrontend(std::make_unique<TitledGraphs>());
  return Status();
}
