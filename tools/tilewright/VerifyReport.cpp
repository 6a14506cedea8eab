//===- VerifyReport.cpp - Counterexamples as text, JSON and files ---------===//
#include "tools/tilewright/VerifyReport.h"

#include "support/Format.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/RunReport.h"
#include "tools/tilewright/TensorFile.h"
#include "tools/tilewright/Usage.h"

namespace tilewright::tool {

using runtime::HostTensor;
using verify::Counterexample;
using verify::Port;

nlohmann::ordered_json toJson(const Counterexample &found) {
  nlohmann::ordered_json object = {{"kind", verify::kindName(found.kind)}};
  if (!found.output.empty())
    object["output"] = found.output;
  if (found.index)
    object["index"] = *found.index;
  object["before"] = found.before;
  object["after"] = found.after;
  return object;
}

std::string describe(const Counterexample &found) {
  if (found.output.empty())
    return format("{}: {}", {verify::kindName(found.kind), found.after});
  const std::string where =
      found.output + (found.index ? runtime::printShape(*found.index)
                                  : std::string(" has the shape"));
  return format("{}: {} = {}, found {}", {verify::kindName(found.kind), where,
                                          found.before, found.after});
}

StatusOr<verify::GivenInputs>
readInputs(const std::vector<std::string> &options) {
  verify::GivenInputs inputs;
  for (const auto &[name, file] : parseAssignments(options, "--input")) {
    TILEWRIGHT_RETURN_IF_ERROR(requireFile(file));
    TILEWRIGHT_ASSIGN_OR_RETURN(inputs[name], readTensor(file));
  }
  return inputs;
}

Status writeTensors(const std::vector<HostTensor> &tensors,
                    const std::vector<Port> &ports,
                    const std::filesystem::path &directory) {
  std::vector<ModelOutput> outputs;
  for (size_t i = 0; i < tensors.size(); ++i)
    outputs.push_back({ports[i].name, tensors[i]});
  return writeOutputs(outputs, directory);
}

Status writeCounterexample(const Counterexample &found,
                           const verify::Signature &signature,
                           const std::filesystem::path &directory) {
  TILEWRIGHT_RETURN_IF_ERROR(
      writeTensors(found.inputs, signature.inputs, directory / "in"));
  TILEWRIGHT_RETURN_IF_ERROR(writeTensors(
      found.beforeOutputs, signature.outputs, directory / "before"));
  return writeTensors(found.afterOutputs, signature.outputs,
                      directory / "after");
}

} // namespace tilewright::tool
