#include "graph/lowering/Passes.h"
#include "graph/lowering/Program.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tilewright::graph {

#define GEN_PASS_DEF_DEDUPLICATEKERNELS
#include "graph/lowering/Passes.h.inc"

/// The text of a kernel without its name: equal texts are equal kernels.
static std::string kernelText(tile::KernelOp kernel) {
  std::string name = kernel.getSymName().str(), text;
  kernel.setSymName("kernel");
  llvm::raw_string_ostream stream(text);
  kernel->print(stream, OpPrintingFlags().useLocalScope());
  kernel.setSymName(name);
  return text;
}

/// Keeps only the origins of existing kernels.
static void dropOrigins(ModuleOp module) {
  auto origins = module->getAttrOfType<DictionaryAttr>(kOriginsAttr);
  if (!origins)
    return;
  auto kept =
      llvm::filter_to_vector(origins.getValue(), [&](NamedAttribute of) {
        return bool(module.lookupSymbol(of.getName()));
      });
  module->setAttr(kOriginsAttr, DictionaryAttr::get(module.getContext(), kept));
}

namespace {
struct DeduplicateKernels : impl::DeduplicateKernelsBase<DeduplicateKernels> {
  void runOnOperation() override {
    SmallVector<ModuleOp> modules = kernelModules(getOperation());
    if (modules.empty())
      return;
    llvm::StringMap<FlatSymbolRefAttr> byText;
    DenseMap<StringAttr, FlatSymbolRefAttr> standsFor;
    for (auto kernel :
         llvm::make_early_inc_range(modules.front().getOps<tile::KernelOp>())) {
      StringAttr name = kernel.getSymNameAttr();
      SmallVector<tile::KernelOp> all;
      std::string text;
      for (ModuleOp module : modules)
        if (auto each = module.lookupSymbol<tile::KernelOp>(name)) {
          text += kernelText(each) + "\n";
          all.push_back(each);
        }
      auto [known, isNew] =
          byText.try_emplace(text, FlatSymbolRefAttr::get(name));
      standsFor[name] = known->second;
      if (isNew)
        continue;
      ++erasedCount;
      for (tile::KernelOp each : all)
        each.erase();
    }
    for (ModuleOp module : modules)
      dropOrigins(module);
    for (auto func : getOperation().getOps<func::FuncOp>())
      func.walk([&](LaunchOp launch) {
        if (auto kernel = standsFor.lookup(launch.getKernelAttr().getAttr()))
          launch.setKernelAttr(kernel);
      });
  }
};
} // namespace

} // namespace tilewright::graph
