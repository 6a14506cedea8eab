//===- VerifyReport.h - Counterexamples as text, JSON and files -*- C++ -*-===//
#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYREPORT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYREPORT_H

#include "tools/tilewright/Verify.h"
#include "verify/validate/GivenInputs.h"
#include "verify/validate/Search.h"
#include <filesystem>
#include <nlohmann/json.hpp>

namespace tilewright::tool {

[[nodiscard]] nlohmann::ordered_json
toJson(const verify::Counterexample &found);
/// One line.
[[nodiscard]] std::string describe(const verify::Counterexample &found);
/// The tensors as DIRECTORY/in, before, after/NAME.npy.
Status writeCounterexample(const verify::Counterexample &found,
                           const verify::Signature &signature,
                           const std::filesystem::path &directory);

/// The tensors of NAME=FILE options.
StatusOr<verify::GivenInputs>
readInputs(const std::vector<std::string> &options);

/// Tensors as DIRECTORY/NAME.npy, by the names of the ports; a folder without
/// any is made, too.
Status writeTensors(const std::vector<runtime::HostTensor> &tensors,
                    const std::vector<verify::Port> &ports,
                    const std::filesystem::path &directory);

} // namespace tilewright::tool

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_VERIFYREPORT_H
