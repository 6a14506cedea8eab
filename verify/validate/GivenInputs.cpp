#include "verify/validate/GivenInputs.h"

#include "support/Format.h"
#include <algorithm>

namespace tilewright::verify {

using runtime::DType;
using runtime::HostTensor;

static std::string inputsText(const Program &program) {
  std::string text;
  for (const Port &port : program.signature().inputs)
    text += (text.empty() ? "" : ", ") + portText(port);
  return text;
}

Status checkNames(const Program &program, const GivenInputs &given) {
  for (const auto &[name, tensor] : given)
    if (std::ranges::none_of(program.signature().inputs, [&](const Port &port) {
          return port.name == name;
        }))
      return Status::invalidInput(
          format("{}: there is no input '{}'\n  the model's inputs: {}",
                 {program.name(), name, inputsText(program)}));
  return {};
}

StatusOr<HostTensor> givenInput(const Program &program, const Port &port,
                                const HostTensor &tensor) {
  HostTensor own = tensor;
  const bool isBits = own.dtype() == DType::U16 || own.dtype() == DType::U8;
  if (isBits && own.dtype() != port.dtype &&
      runtime::dtypeBytes(own.dtype()) == runtime::dtypeBytes(port.dtype)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(own, own.reinterpretAs(port.dtype));
  }
  if (takes(port, own))
    return own;
  return Status::invalidInput(
      format("{}: the input is {}, expected {}",
             {program.name(), portText({port.name, own.dtype(), own.shape()}),
              portText(port)}));
}

} // namespace tilewright::verify
