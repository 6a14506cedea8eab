//===- DotPrecision.cpp - The precision of a kernel's products ------------===//
#include "library/compiler/DotPrecision.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "mlir/Pass/PassManager.h"
#include "tileir/transforms/Passes.h"

using namespace mlir;

namespace tilewright {

using runtime::Precision;

Status setDotPrecision(ModuleOp module, Precision precision) {
  if (precision == Precision::ieee)
    return {};
  DiagnosticCollector errors(module.getContext(), nullptr);
  PassManager passes(module.getContext());
  passes.addPass(tile::createSetDotPrecision(
      {.precision = std::string(runtime::precisionName(precision))}));
  if (failed(passes.run(module)))
    return Status::invalidInput(errors.text());
  return {};
}

Precision leastPrecision(ModuleOp module) {
  // The least exact first.
  static constexpr Precision order[] = {Precision::tf32, Precision::bf16x3,
                                        Precision::tf32x3, Precision::bf16x6};
  llvm::SmallDenseSet<tile::DotPrecision> found;
  module->walk([&](Operation *op) {
    // Of tile.dot, and of what it becomes at the scheduled level.
    if (auto precision = op->getAttrOfType<tile::DotPrecisionAttr>("precision"))
      found.insert(precision.getValue());
  });
  for (Precision precision : order)
    if (std::optional<tile::DotPrecision> each =
            tile::symbolizeDotPrecision(runtime::precisionName(precision));
        each && found.contains(*each))
      return precision;
  return Precision::ieee;
}

} // namespace tilewright
