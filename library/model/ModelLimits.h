//===- ModelLimits.h - When a model is given up -----------------*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_MODEL_MODELLIMITS_H
#define TILEWRIGHT_LIBRARY_MODEL_MODELLIMITS_H

#include "tilewright/codegen/CompilationControl.h"
#include "tilewright/compiler/CompileModel.h"

namespace tilewright {

/// The time that a model may take, from when this is made, and its caller's
/// wish to give it up. Safe from many threads.
class ModelLimits {
public:
  ModelLimits(const std::filesystem::path &model,
              const CompileModelOptions &options)
      : model(model.string()), limit(options.timeLimit), stop(options.stop) {}

  /// For a part of the work, which may have limits of its own: no longer than
  /// is left.
  [[nodiscard]] CompilationControl
  control(Budget own = {std::nullopt, std::nullopt, std::nullopt}) const;
  /// Why a control that was stopped ended the model; `kernel` may be empty. It
  /// takes the place of what is in `diagnostics`, if that is not null.
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

#endif // TILEWRIGHT_LIBRARY_MODEL_MODELLIMITS_H
