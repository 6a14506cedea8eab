//===- VerifyKernels.h - Evidence of passes and kernels ---------*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYKERNELS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYKERNELS_H

#include "verify/validate/KernelCheck.h"
#include <nlohmann/json.hpp>

namespace tilewright::tool {

[[nodiscard]] nlohmann::ordered_json
toJson(const std::vector<verify::PassEvidence> &passes);
/// A summary behind `title`, then a line for each pass that changed something.
void print(const std::vector<verify::PassEvidence> &passes,
           const std::string &title);

[[nodiscard]] nlohmann::ordered_json
toJson(const std::vector<verify::KernelEvidence> &kernels);
/// A summary behind `title`, a line for each kernel, and why passes are
/// unchecked.
void print(const std::vector<verify::KernelEvidence> &kernels,
           const std::string &title);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYKERNELS_H
