#include "verify/validate/Match.h"

#include "support/Format.h"
#include <algorithm>
#include <cstring>

namespace tilewright::verify {

using runtime::HostTensor;

static bool fits(const Port &before, const Port &after) {
  if (before.dtype != after.dtype || before.shape.size() != after.shape.size())
    return false;
  for (size_t d = 0; d < before.shape.size(); ++d)
    if (before.shape[d] != after.shape[d] && before.shape[d] >= 0 &&
        after.shape[d] >= 0)
      return false;
  return true;
}

static std::optional<size_t> find(const std::vector<Port> &ports,
                                  const std::string &name) {
  for (size_t i = 0; i < ports.size(); ++i)
    if (ports[i].name == name)
      return i;
  return std::nullopt;
}

/// For each port of `from` one of `to`: of the same name, else the next that is
/// left.
static std::vector<std::optional<size_t>> pairUp(const std::vector<Port> &from,
                                                 const std::vector<Port> &to) {
  std::vector<std::optional<size_t>> pairs(from.size());
  std::vector<bool> isTaken(to.size());
  for (size_t i = 0; i < from.size(); ++i)
    if ((pairs[i] = find(to, from[i].name)))
      isTaken[*pairs[i]] = true;
  for (size_t i = 0; i < from.size(); ++i) {
    if (pairs[i])
      continue;
    const auto next = std::find(isTaken.begin(), isTaken.end(), false);
    if (next == isTaken.end())
      continue;
    pairs[i] = size_t(next - isTaken.begin());
    *next = true;
  }
  return pairs;
}

/// The inputs that are not only memory for an output.
static std::vector<Port> properInputs(const Program &program,
                                      const Program &other,
                                      std::vector<size_t> &numbers) {
  std::vector<Port> proper;
  const Signature &own = program.signature();
  for (size_t i = 0; i < own.inputs.size(); ++i) {
    const std::string &name = own.inputs[i].name;
    if (find(own.outputs, name) && !find(other.signature().inputs, name))
      continue;
    proper.push_back(own.inputs[i]);
    numbers.push_back(i);
  }
  return proper;
}

static Status mismatch(const Program &before, const Program &after) {
  return Status::invalidInput(
      format("the programs have different signatures\n  {}: {}\n  {}: {}",
             {before.name(), signatureText(before.signature()), after.name(),
              signatureText(after.signature())}));
}

StatusOr<Match> matchPrograms(const Program &before, const Program &after) {
  const Signature &own = before.signature(), &other = after.signature();
  std::vector<size_t> ownNumbers, otherNumbers;
  const std::vector<Port> ownInputs = properInputs(before, after, ownNumbers);
  const std::vector<Port> inputs = properInputs(after, before, otherNumbers);
  Match match;
  if (ownInputs.size() != inputs.size() ||
      own.outputs.size() != other.outputs.size())
    return mismatch(before, after);
  match.inputs.resize(other.inputs.size());
  match.memory.resize(other.inputs.size());
  const auto pairs = pairUp(inputs, ownInputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    match.inputs[otherNumbers[i]] = ownNumbers[*pairs[i]];
    if (!fits(ownInputs[*pairs[i]], inputs[i]))
      return mismatch(before, after);
  }
  const auto outputs = pairUp(own.outputs, other.outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    match.outputs.push_back(*outputs[i]);
    const Port &output = other.outputs[*outputs[i]];
    if (!fits(own.outputs[i], output))
      return mismatch(before, after);
    if (std::optional<size_t> input = find(other.inputs, output.name);
        input && !match.inputs[*input])
      match.memory[*input] = i;
  }
  return match;
}

StatusOr<std::vector<HostTensor>>
inputsOf(const Program &after, const Match &match,
         std::span<const HostTensor> inputs,
         std::span<const HostTensor> outputs) {
  std::vector<HostTensor> all;
  for (size_t i = 0; i < match.inputs.size(); ++i) {
    if (match.inputs[i]) {
      all.push_back(inputs[*match.inputs[i]]);
      continue;
    }
    const Port &port = after.signature().inputs[i];
    TILEWRIGHT_ASSIGN_OR_RETURN(
        HostTensor memory,
        HostTensor::allocate(port.dtype, outputs[*match.memory[i]].shape()));
    if (memory.bytes() && port.dtype != runtime::DType::Bool)
      std::memset(memory.data(), 0xff, memory.bytes());
    all.push_back(std::move(memory));
  }
  return all;
}

} // namespace tilewright::verify
