//===- ModelLimits.cpp - When a model is given up -------------------------===//
#include "library/model/session/ModelLimits.h"

#include "library/compiler/Diagnostics.h"
#include <algorithm>

namespace tilewright {

std::chrono::milliseconds ModelLimits::left() const {
  auto used = std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  return std::max(*limit - used, std::chrono::milliseconds(0));
}

CompilationControl ModelLimits::control(Budget own) const {
  if (limit)
    own.time = std::min(own.time.value_or(*limit), left());
  return CompilationControl(own, stop);
}

Status ModelLimits::failure(const Stop &why, std::string_view kernel,
                            std::vector<Diagnostic> *diagnostics) const {
  const bool isOver = why.reason == Stop::Reason::time && limit &&
                      left() == std::chrono::milliseconds(0);
  Diagnostic diagnostic;
  diagnostic.code = codeOf(why.reason);
  diagnostic.where.file = model;
  diagnostic.message = describe(why, kernel);
  if (isOver)
    diagnostic.message =
        "not compiled within the time limit of " +
        std::to_string(limit->count()) + " ms; ended in " + why.where +
        (kernel.empty() ? "" : " of kernel '" + std::string(kernel) + "'");
  const StatusCode code = why.reason == Stop::Reason::cancelled
                              ? StatusCode::cancelled
                              : StatusCode::resourceExhausted;
  Status failure(code, model + ": " + diagnostic.message);
  // What was found after the stop is not true.
  if (diagnostics)
    *diagnostics = {std::move(diagnostic)};
  return failure;
}

} // namespace tilewright
