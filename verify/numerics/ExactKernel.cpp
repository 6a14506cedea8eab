#include "verify/numerics/ExactKernel.h"

#include "support/Format.h"
#include "tilewright/runtime/Model.h"
#include "verify/device/InterpreterDevice.h"
#include "verify/numerics/Quad.h"
#include "verify/validate/Elements.h"

namespace tilewright::verify {

using runtime::HostTensor;

static StatusOr<ExactOutput> readExact(const FreedomSource &source,
                                       const Port &port,
                                       const HostTensor &tensor) {
  ExactOutput output;
  output.shape = tensor.shape();
  const size_t bytes = runtime::dtypeBytes(tensor.dtype());
  for (size_t i = 0; i < tensor.size(); ++i) {
    const std::byte *element = tensor.data() + i * bytes;
    if (!source.isWritten(element, bytes))
      continue;
    if (source.permitted(element, int64_t(bytes), 0).isAny)
      return Status::unsupported(
          format("{}{} depends on the bits of floats, which exact numbers do "
                 "not have",
                 {port.name, runtime::printShape(indexOf(tensor.shape(), i))}));
    output.positions.push_back(int64_t(i));
    output.numbers.push_back(
        source.exact(element, int64_t(bytes)).value_or(quadOf(tensor, i)));
  }
  return output;
}

StatusOr<std::vector<ExactOutput>>
exactResults(const std::shared_ptr<const runtime::Package> &package,
             const Signature &signature, std::span<const HostTensor> inputs,
             RunTime mostTime) {
  std::shared_ptr<runtime::Device> device =
      makeInterpreterDevice({.isExact = true, .timeLimit = mostTime});
  TILEWRIGHT_ASSIGN_OR_RETURN(auto model,
                              runtime::Model::load(device, package));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto session, model->createSession());
  for (size_t i = 0; i < inputs.size(); ++i)
    TILEWRIGHT_RETURN_IF_ERROR(
        session->setInput(signature.inputs[i].name, inputs[i]));
  TILEWRIGHT_RETURN_IF_ERROR(session->resetStates());
  TILEWRIGHT_RETURN_IF_ERROR(session->run());
  const auto &source = dynamic_cast<const FreedomSource &>(*device);
  std::vector<ExactOutput> outputs;
  for (const Port &port : signature.outputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor, session->output(port.name));
    TILEWRIGHT_ASSIGN_OR_RETURN(outputs.emplace_back(),
                                readExact(source, port, tensor));
  }
  return outputs;
}

} // namespace tilewright::verify
