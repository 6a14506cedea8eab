//===- PluginPasses.cpp - Passes of plug-ins in a pipeline ----------------===//
#include "library/compiler/PluginPasses.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "tilewright/mlir/Tile.h"

using namespace mlir;

namespace tilewright {

//===--- One pass ---------------------------------------------------------===//

/// The name of the only kernel; none if there are others.
static std::string onlyKernel(ModuleOp module) {
  auto kernels = module.getOps<tile::KernelOp>();
  return llvm::hasSingleElement(kernels) ? (*kernels.begin()).getSymName().str()
                                         : "";
}

namespace {
class PluginPass : public PassWrapper<PluginPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PluginPass)
  explicit PluginPass(const Registry::NamedPass &added) : added(&added) {}

  StringRef getArgument() const override { return added->name; }
  StringRef getDescription() const override { return "A pass of a plug-in"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    if (std::unique_ptr<Pass> pass = added->create())
      pass->getDependentDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const std::string kernel = onlyKernel(module);
    OpPassManager passes(ModuleOp::getOperationName());
    if (!addTo(passes)) {
      module.emitError() << "pass '" << added->name
                         << "': expected one over modules or tile.kernel";
      return signalPassFailure();
    }
    if (failed(runPipeline(passes, module)))
      return signalPassFailure();
    if (onlyKernel(module) == kernel)
      return;
    module.emitError() << "pass '" << added->name
                       << "': expected it to leave the kernel '" << kernel
                       << "' alone in its module";
    signalPassFailure();
  }

private:
  bool addTo(OpPassManager &passes) const;
  const Registry::NamedPass *added;
};
} // namespace

/// False: it runs on ops of another kind.
bool PluginPass::addTo(OpPassManager &passes) const {
  std::unique_ptr<Pass> pass = added->create();
  if (!pass)
    return false;
  const StringRef module = ModuleOp::getOperationName();
  if (pass->getOpName() == tile::KernelOp::getOperationName())
    passes.addNestedPass<tile::KernelOp>(std::move(pass));
  else if (pass->getOpName().value_or(module) == module)
    passes.addPass(std::move(pass));
  else
    return false;
  return true;
}

std::unique_ptr<Pass> createPluginPass(const Registry::NamedPass &added) {
  return std::make_unique<PluginPass>(added);
}

void addPluginPasses(OpPassManager &passes, const Plugins *plugins) {
  if (!plugins)
    return;
  for (const Registry::NamedPass &added : plugins->registry().passes())
    passes.addPass(createPluginPass(added));
}

//===--- Passes by name ---------------------------------------------------===//

StringRef takePass(StringRef &text) {
  size_t depth = 0, end = 0;
  for (; end < text.size(); ++end) {
    if (depth == 0 && StringRef("(),").contains(text[end]))
      break;
    depth += text[end] == '{';
    depth -= text[end] == '}';
  }
  StringRef element = text.take_front(end);
  text = text.drop_front(end);
  return element;
}

/// Adds a pass, with its options.
static Status addPass(StringRef pass, const Plugins *plugins,
                      OpPassManager &passes) {
  const StringRef name = pass.split('{').first;
  const bool isRegistered =
      PassInfo::lookup(name) || PassPipelineInfo::lookup(name);
  const Registry::NamedPass *added =
      plugins ? plugins->registry().findPass(name) : nullptr;
  const std::string what = "cannot go on with the pass '" + pass.str() + "': ";
  if (!added && !isRegistered)
    return Status::invalidInput(
        what + "there is none; one of a plug-in needs the plug-in");
  if (added && isRegistered)
    return Status::invalidInput(
        what + "there are two, one of a plug-in and one of Tilewright");
  const StringRef module = ModuleOp::getOperationName();
  if (added && passes.getOpName().value_or(module) != module)
    return Status::invalidInput(what + "expected it over '" + module.str() +
                                "', found it over '" +
                                passes.getOpName()->str() + "'");
  if (added) {
    passes.addPass(createPluginPass(*added));
    return {};
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (failed(parsePassPipeline(pass, passes, stream)))
    return Status::invalidInput(what + problem);
  return {};
}

/// Adds the passes at the start of `text`, up to a closing parenthesis.
static Status addPasses(StringRef &text, const Plugins *plugins,
                        OpPassManager &passes) {
  while (!text.empty() && !text.starts_with(")")) {
    const StringRef element = takePass(text);
    if (!text.consume_front("(")) {
      TILEWRIGHT_RETURN_IF_ERROR(addPass(element, plugins, passes));
    } else {
      TILEWRIGHT_RETURN_IF_ERROR(
          addPasses(text, plugins, passes.nest(element)));
      if (!text.consume_front(")"))
        return Status::invalidInput("a ')' is missing in the list of passes");
    }
    text.consume_front(",");
  }
  return {};
}

Status parsePasses(const std::string &text, const Plugins *plugins,
                   OpPassManager &passes) {
  StringRef rest = text;
  TILEWRIGHT_RETURN_IF_ERROR(addPasses(rest, plugins, passes));
  return rest.empty()
             ? Status()
             : Status::invalidInput("a '(' is missing in the list of passes");
}

} // namespace tilewright
