//===- DotPrecision.cpp - The precision of a kernel's products ------------===//
#include "library/compiler/DotPrecision.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "mlir/Pass/PassManager.h"
#include "tileir/ir/Precision.h"
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
  StatusOr<Precision> precision = runtime::parseF32Precision(
      tile::stringifyDotPrecision(tile::leastF32Precision(module)));
  return precision.ok() ? *precision : Precision::ieee;
}

} // namespace tilewright
