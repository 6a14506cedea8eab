//===- ModelLimits.h - When a model is given up -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELLIMITS_H
#define TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELLIMITS_H

#include "tilewright/codegen/CompilationControl.h"
#include "tilewright/compiler/CompileModel.h"

namespace tilewright {

/// The time limit of a model, which starts when this is made, and its caller's
/// request to stop. Safe from many threads.
class ModelLimits {
public:
  ModelLimits(const std::filesystem::path &model,
              const CompileModelOptions &options)
      : model(model.string()), limit(options.timeLimit), stop(options.stop) {}

  /// For a part of the work, which may have its own limits, within the time
  /// that remains.
  [[nodiscard]] CompilationControl
  control(Budget own = {std::nullopt, std::nullopt, std::nullopt}) const;
  /// The failure for a stopped control that ended the model; `kernel` may be
  /// empty. It replaces the contents of `diagnostics`, if that is not null.
  Status failure(const Stop &why, std::string_view kernel,
                 std::vector<Diagnostic> *diagnostics) const;

private:
  [[nodiscard]] std::chrono::milliseconds left() const;

  std::string model;
  std::optional<std::chrono::milliseconds> limit;
  std::stop_token stop;
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

} // namespace tilewright

#endif // TILEWRIGHT_LIBRARY_MODEL_SESSION_MODELLIMITS_H
