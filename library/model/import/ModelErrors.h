//===- ModelErrors.h - What went wrong with a model -------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELERRORS_H
#define TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELERRORS_H

#include "mlir/IR/Diagnostics.h"
#include "tilewright/support/Diagnostic.h"
#include "tilewright/support/Status.h"
#include <mutex>

namespace tilewright {

/// Collects the errors of a context, of whatever thread.
class ModelErrors {
public:
  /// `model` is what messages call the model: a file's path. Errors go to
  /// `diagnostics` as data, too, if that is not null.
  ModelErrors(mlir::MLIRContext &context, std::string model,
              std::vector<Diagnostic> *diagnostics);

  /// What went wrong, at its location in the model's file if that is known.
  [[nodiscard]] Status failure(const std::string &stage) const;
  /// Whether there has been an error.
  [[nodiscard]] bool any() const { return !text.empty(); }
  /// What is wrong with the file's text.
  [[nodiscard]] Status malformed() const;

private:
  void append(mlir::Diagnostic &diagnostic);

  std::string model;
  std::mutex mutex;
  std::string text;
  std::vector<Diagnostic> *diagnostics;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_IMPORT_MODELERRORS_H
