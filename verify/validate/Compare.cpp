#include "verify/validate/Compare.h"

#include "verify/validate/Elements.h"

namespace tilewright::verify {

using runtime::HostTensor;

bool Comparison::isPermitted(runtime::DType dtype, uint64_t first,
                             uint64_t second) const {
  if (relation.kind == Relation::Kind::near)
    return isNear(dtype, first, second, relation.distance);
  return isSame(dtype, first, second);
}

std::optional<Counterexample>
Comparison::compareOutputs(const Outcome &first, const Outcome &second) const {
  Counterexample found;
  for (size_t i = 0; i < first.outputs.size(); ++i) {
    const HostTensor &expected = first.outputs[i];
    const HostTensor &given = second.outputs[match.outputs[i]];
    found.output = before.signature().outputs[i].name;
    if (expected.shape() != given.shape()) {
      found.kind = Counterexample::Kind::shape;
      found.before = runtime::printShape(expected.shape());
      found.after = runtime::printShape(given.shape());
      return found;
    }
    for (size_t n = 0; n < expected.size(); ++n) {
      const uint64_t x = bitsOf(expected, n), y = bitsOf(given, n);
      if (isPermitted(expected.dtype(), x, y))
        continue;
      found.index = indexOf(expected.shape(), n);
      found.before = elementText(expected.dtype(), x);
      found.after = elementText(expected.dtype(), y);
      return found;
    }
  }
  return std::nullopt;
}

/// What a run of `after` without outputs is.
static Counterexample::Kind kindOf(Outcome::Kind kind) {
  if (kind == Outcome::Kind::raced)
    return Counterexample::Kind::race;
  return kind == Outcome::Kind::rejected ? Counterexample::Kind::rejected
                                         : Counterexample::Kind::fault;
}

StatusOr<bool> Comparison::isDefined(std::span<const HostTensor> inputs) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, before.run(inputs, 0));
  return outcome.kind == Outcome::Kind::completed;
}

StatusOr<Comparison::Result>
Comparison::compare(std::span<const HostTensor> inputs, unsigned order) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome first, before.run(inputs, 0));
  if (first.kind != Outcome::Kind::completed)
    return Result();
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<HostTensor> own,
                              inputsOf(after, match, inputs, first.outputs));
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome second, after.run(own, order));
  if (second.kind == Outcome::Kind::unfinished)
    return Result();
  Result result{true, {}};
  if (second.kind != Outcome::Kind::completed) {
    result.difference.emplace();
    result.difference->kind = kindOf(second.kind);
    result.difference->before = "defined";
    result.difference->after = second.message;
  } else {
    result.difference = compareOutputs(first, second);
  }
  if (!result.difference)
    return result;
  for (const HostTensor &input : inputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(result.difference->inputs.emplace_back(),
                                input.clone());
  }
  result.difference->beforeOutputs = std::move(first.outputs);
  for (size_t i = 0; i < match.outputs.size() && !second.outputs.empty(); ++i)
    result.difference->afterOutputs.push_back(second.outputs[match.outputs[i]]);
  return result;
}

} // namespace tilewright::verify
