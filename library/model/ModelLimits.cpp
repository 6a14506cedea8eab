//===- ModelLimits.cpp - When a model is given up -------------------------===//
#include "library/model/ModelLimits.h"

#include "library/compiler/Findings.h"
#include <algorithm>

namespace tilewright {

std::chrono::milliseconds ModelLimits::left() const {
  auto used = std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - start);
  return std::max(*limit - used, std::chrono::milliseconds(0));
}

Watch ModelLimits::watch(Budget own) const {
  if (limit)
    own.time = std::min(own.time.value_or(*limit), left());
  return Watch(own, stop);
}

Status ModelLimits::failure(const Stop &why, std::string_view kernel,
                            std::vector<Diagnostic> *findings) const {
  const bool isOver = why.reason == Stop::Reason::time && limit &&
                      left() == std::chrono::milliseconds(0);
  Diagnostic finding;
  finding.code = codeOf(why.reason);
  finding.where.file = model;
  finding.message = describe(why, kernel);
  if (isOver)
    finding.message =
        "not compiled within the time limit of " +
        std::to_string(limit->count()) + " ms; ended in " + why.where +
        (kernel.empty() ? "" : " of kernel '" + std::string(kernel) + "'");
  const StatusCode code = why.reason == Stop::Reason::cancelled
                              ? StatusCode::cancelled
                              : StatusCode::resourceExhausted;
  Status failure(code, model + ": " + finding.message);
  // What was found after the stop is not true.
  if (findings)
    *findings = {std::move(finding)};
  return failure;
}

} // namespace tilewright
