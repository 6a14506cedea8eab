//===- UserKernels.cpp - Kernels that the user gives ----------------------===//
#include "library/model/import/UserKernels.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "graph/ir/Graph.h"
#include "library/compiler/DotPrecision.h"
#include "library/compiler/TunableModule.h"
#include "mlir/IR/Verifier.h"
#include "tileir/diagnostics/ParseText.h"

using namespace mlir;

namespace tilewright {

bool UserKernels::contains(StringRef name) {
  return llvm::any_of(imports, [&](const frontend::Replacement &import) {
    return import.kernel == name;
  });
}

/// A name that no other user's kernel and no fused kernel has; the latter begin
/// with k and a number.
std::string UserKernels::freeName(StringRef name) {
  StringRef digits = name.drop_front(name.starts_with("k"));
  bool isFusions =
      name.starts_with("k") && !digits.empty() && llvm::isDigit(digits.front());
  std::string free = isFusions ? "given_" + name.str() : name.str();
  for (unsigned i = 1; contains(free); ++i)
    free = name.str() + "_" + std::to_string(i);
  return free;
}

Status UserKernels::read(MLIRContext &context, const KernelReplacement &given,
                         runtime::Precision precision) {
  DiagnosticCollector errors(&context);
  // The parser requires a zero after the end, which a string has.
  OwningOpRef<ModuleOp> module =
      parseText(given.kernels.code, &context, given.kernels.name);
  if (!module)
    return Status::invalidInput(errors.text());
  StatusOr<tile::KernelOp> found = findKernel(*module, given.kernel);
  if (!found.ok())
    return found.status().prefixed(given.kernels.name);
  tile::KernelOp kernel = *found;
  for (tile::KernelOp other :
       llvm::make_early_inc_range(module->getOps<tile::KernelOp>()))
    if (other != kernel)
      other.erase();
  kernel.setSymName(freeName(kernel.getSymName()));
  TILEWRIGHT_RETURN_IF_ERROR(setDotPrecision(*module, precision));
  frontend::Replacement import{given.pattern, kernel.getSymName().str(), {}};
  llvm::append_range(import.arguments, kernel.getArgumentTypes().take_front(
                                           kernel.getNumLaunchArguments()));
  imports.push_back(std::move(import));
  modules.push_back(std::move(module));
  return Status();
}

Status UserKernels::read(MLIRContext &context,
                         const std::vector<KernelReplacement> &given,
                         runtime::Precision precision) {
  for (auto [i, each] : llvm::enumerate(given)) {
    // The same kernel for another pattern is compiled once.
    auto first = llvm::find_if(given, [&](const KernelReplacement &other) {
      return other.kernels.code == each.kernels.code &&
             other.kernel == each.kernel;
    });
    if (size_t(first - given.begin()) < i) {
      frontend::Replacement import = imports[size_t(first - given.begin())];
      import.pattern = each.pattern;
      imports.push_back(std::move(import));
      continue;
    }
    TILEWRIGHT_RETURN_IF_ERROR(read(context, each, precision));
  }
  return Status();
}

void UserKernels::moveInto(ModuleOp graph) {
  SymbolTable symbols(graph);
  for (OwningOpRef<ModuleOp> &module : modules) {
    ModuleOp given = module.release();
    given->setAttr(graph::kUserKernelsAttr, UnitAttr::get(given.getContext()));
    given.setSymName("given");
    symbols.insert(given);
  }
  modules.clear();
}

} // namespace tilewright
