#include "tilewright/codegen/PassPrinter.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include <algorithm>
#include <utility>

using namespace mlir;

namespace tilewright {

std::string printForPeople(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(32);
  flags.elideLargeResourceString(32);
  op->print(stream, flags);
  return text;
}

/// "// after assign-layouts on tile.kernel @k".
static std::string headingOf(const std::string &pass, Operation *op) {
  std::string text =
      "// after " + pass + " on " + op->getName().getStringRef().str();
  if (auto name =
          op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    text += " @" + name.str();
  return text + "\n";
}

PassPrinter::PassPrinter(MLIRContext &context, const PassPrintOptions &options)
    : context(context), options(options) {
  if (!options.wanted())
    return;
  context.disableMultithreading();
  context.registerActionHandler(
      [this, last = std::string()](function_ref<void()> run,
                                   const tracing::Action &action) mutable {
        const auto *execution = dyn_cast<PassExecutionAction>(&action);
        // The adaptor that runs the passes of nested ops has no argument.
        if (!execution || execution->getPass().getArgument().empty())
          return run();
        std::string pass = execution->getPass().getArgument().str();
        Operation *op = execution->getOp();
        std::optional<OperationFingerPrint> before;
        if (this->options.afterChange)
          before.emplace(op);
        last.clear();
        run();
        // What runs a pass of its own name, as for those of plug-ins, is not
        // shown itself.
        if (std::exchange(last, pass) == pass)
          return;
        if (this->options.after.contains(pass) ||
            (before && *before != OperationFingerPrint(op)))
          this->options.sink(headingOf(pass, op) + printForPeople(op) + "\n");
        if (std::ranges::find(ran, pass) == ran.end())
          ran.push_back(std::move(pass));
      });
}

PassPrinter::~PassPrinter() { context.registerActionHandler(nullptr); }

} // namespace tilewright
