// What went wrong in code that reports to a context.
#pragma once

#include "tileir/diagnostics/DiagnosticData.h"

namespace tilewright::verify {

/// The first error of a context while it lives.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (text.empty() &&
              diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
            text = withNotes(diagnostic);
        }) {}
  std::string text;

private:
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright::verify
