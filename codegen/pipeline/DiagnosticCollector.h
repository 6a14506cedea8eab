//===- DiagnosticCollector.h - Errors as text and as data -------*- C++ -*-===//
#ifndef TILEWRIGHT_CODEGEN_PIPELINE_DIAGNOSTICCOLLECTOR_H
#define TILEWRIGHT_CODEGEN_PIPELINE_DIAGNOSTICCOLLECTOR_H

#include "tileir/diagnostics/DiagnosticData.h"

namespace tilewright {

/// Collects this thread's diagnostics instead of printing them.
class DiagnosticCollector {
public:
  /// Diagnostics go to `diagnostics` as data, too, if that is not null.
  explicit DiagnosticCollector(mlir::MLIRContext *context,
                               std::vector<Diagnostic> *diagnostics = nullptr);
  /// The errors.
  const std::string &text() const { return message; }

private:
  void append(mlir::Diagnostic &diagnostic);
  uint64_t thread;
  std::string message;
  std::vector<Diagnostic> *diagnostics;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright

#endif // TILEWRIGHT_CODEGEN_PIPELINE_DIAGNOSTICCOLLECTOR_H
