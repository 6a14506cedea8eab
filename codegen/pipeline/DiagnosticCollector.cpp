//===- DiagnosticCollector.cpp - Errors as text and as data ---------------===//
#include "codegen/pipeline/DiagnosticCollector.h"

#include "llvm/Support/Threading.h"

using namespace mlir;

namespace tilewright {

DiagnosticCollector::DiagnosticCollector(MLIRContext *context,
                                         std::vector<Diagnostic> *diagnostics)
    : thread(llvm::get_threadid()), diagnostics(diagnostics),
      handler(context, [this](mlir::Diagnostic &diagnostic) {
        if (llvm::get_threadid() != thread)
          return failure();
        if (this->diagnostics)
          this->diagnostics->push_back(toDiagnostic(diagnostic));
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          append(diagnostic);
        return success();
      }) {}

void DiagnosticCollector::append(mlir::Diagnostic &diagnostic) {
  message += (message.empty() ? "" : "\n") + withNotes(diagnostic);
}

} // namespace tilewright
