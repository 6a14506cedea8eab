//===- ModelErrors.cpp - What went wrong with a model ---------------------===//
#include "library/model/import/ModelErrors.h"

#include "tileir/diagnostics/DiagnosticData.h"

using namespace mlir;

namespace tilewright {

ModelErrors::ModelErrors(MLIRContext &context, std::string model,
                         std::vector<Diagnostic> *diagnostics)
    : model(std::move(model)), diagnostics(diagnostics),
      handler(&context, [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          append(diagnostic);
        return success();
      }) {}

void ModelErrors::append(mlir::Diagnostic &diagnostic) {
  std::lock_guard<std::mutex> lock(mutex);
  if (diagnostics) {
    Diagnostic &entry = diagnostics->emplace_back(toDiagnostic(diagnostic));
    // A frontend's node has a name instead of a line.
    if (entry.where.file.empty())
      entry.message = locationPrefix(diagnostic.getLocation()) + entry.message;
  }
  text += (text.empty() ? "" : "\n") + withNotes(diagnostic);
}

Status ModelErrors::failure(const std::string &stage) const {
  if (StringRef(text).starts_with(model + ":"))
    return Status::unsupported(text);
  return Status::unsupported(model + ": " + stage +
                             (text.empty() ? "" : ": " + text));
}

Status ModelErrors::malformed() const {
  return Status::invalidInput(
      StringRef(text).starts_with(model + ":") ? text : model + ": " + text);
}

} // namespace tilewright
