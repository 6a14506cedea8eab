//===- DiagnosticCollector.h - Errors as text -------------------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_DIAGNOSTICCOLLECTOR_H
#define TILEWRIGHT_CODEGEN_PIPELINE_DIAGNOSTICCOLLECTOR_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewright {

/// Collects this thread's errors in place of printing them.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context)
      : thread(llvm::get_threadid()),
        handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (llvm::get_threadid() != thread)
            return mlir::failure();
          if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            append(diagnostic);
          return mlir::success();
        }) {}
  const std::string &text() const { return message; }

private:
  void append(mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(message);
    if (!message.empty())
      stream << "\n";
    stream << diagnostic.getLocation() << ": " << diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      // The op as text, which MLIR adds, may be pages long.
      if (!llvm::StringRef(note.str()).starts_with("see current operation"))
        stream << "\n" << note.getLocation() << ": note: " << note.str();
  }
  uint64_t thread;
  std::string message;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_DIAGNOSTICCOLLECTOR_H
