//===- PassPrinter.h - The IR after passes ----------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PASSPRINTER_H
#define TILEWRIGHT_CODEGEN_PASSPRINTER_H

#include "tilewright/support/Export.h"
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace mlir {
class MLIRContext;
class Operation;
} // namespace mlir

namespace tilewright {

/// The op as text for people: large constants are left out.
TILEWRIGHT_API std::string printForPeople(mlir::Operation *op);

/// Which passes' results are printed.
struct PassPrintOptions {
  /// By name: "canonicalize", "assign-layouts".
  std::set<std::string> after;
  /// After each pass that changed its op.
  bool afterChange = false;
  /// Takes each text: a line that says which pass it was and on what, and the
  /// op. Called on the thread that runs the pass.
  std::function<void(std::string_view)> sink;

  [[nodiscard]] bool wanted() const { return afterChange || !after.empty(); }
};

/// Prints what passes in `context` leave, whichever pass manager runs them, as
/// long as this lives; does nothing where nothing is wanted. The context must
/// have no other handler of actions, and its passes must run on one thread at a
/// time: it makes the context's own do so.
class TILEWRIGHT_API PassPrinter {
public:
  PassPrinter(mlir::MLIRContext &context, const PassPrintOptions &options);
  ~PassPrinter();
  PassPrinter(const PassPrinter &) = delete;
  PassPrinter &operator=(const PassPrinter &) = delete;

  /// The passes that ran, each once, in the order of their first run.
  [[nodiscard]] const std::vector<std::string> &passes() const { return ran; }

private:
  mlir::MLIRContext &context;
  const PassPrintOptions &options;
  std::vector<std::string> ran;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PASSPRINTER_H
