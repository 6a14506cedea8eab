#include "verify/validate/Compare.h"

#include "verify/validate/Elements.h"
#include <cmath>

namespace tilewright::verify {

using runtime::HostTensor;

/// Whether the relation permits one of a set of results.
static bool isFree(const Relation &relation) {
  return relation.kind == Relation::Kind::reassociated ||
         relation.kind == Relation::Kind::bounded;
}

Status Comparison::check() const {
  if (!isFree(relation) || before.hasFreedom())
    return {};
  return Status::unsupported(
      before.name() + ": which other results it permits is known of graphs "
                      "and tile kernels alone; compare exact, or near=R");
}

/// An element as sets have it: integers as signed numbers.
static double inSets(runtime::DType dtype, uint64_t bits) {
  const double number = toDouble(dtype, bits);
  const unsigned width = bitWidth(dtype);
  const bool isNegative =
      runtime::dtypeInfo(dtype).kind == runtime::DTypeKind::unsignedInteger &&
      (bits >> (width - 1) & 1) != 0;
  return isNegative ? number - std::ldexp(1.0, int(width)) : number;
}

/// Whether an element is among those that are permitted.
static bool isIn(const reference::Permitted &set, runtime::DType dtype,
                 uint64_t bits) {
  if (set.isAny)
    return true;
  return isNan(dtype, bits) ? set.mayBeNaN : set.contains(inSets(dtype, bits));
}

static bool overlap(const reference::Permitted &a,
                    const reference::Permitted &b) {
  return a.isAny || b.isAny || (a.mayBeNaN && b.mayBeNaN) ||
         (a.hasNumbers() && b.hasNumbers() && a.least <= b.greatest &&
          b.least <= a.greatest);
}

static bool isWritten(const Outcome &outcome, size_t output, size_t element) {
  return outcome.written.empty() || outcome.written[output][element];
}

Comparison::Result Comparison::compareOutputs(const Outcome &first,
                                              const Outcome &second) const {
  const bool isNearly = relation.kind == Relation::Kind::near;
  Result result;
  result.isDefined = true;
  Counterexample found;
  auto differ = [&] {
    result.difference = std::move(found);
    return std::move(result);
  };
  for (size_t i = 0; i < first.outputs.size(); ++i) {
    const size_t other = match.outputs[i];
    const HostTensor &expected = first.outputs[i];
    const HostTensor &given = second.outputs[other];
    found.output = before.signature().outputs[i].name;
    if (expected.shape() != given.shape()) {
      found.kind = Counterexample::Kind::shape;
      found.before = runtime::printShape(expected.shape());
      found.after = runtime::printShape(given.shape());
      return differ();
    }
    result.elements += int64_t(expected.size());
    for (size_t n = 0; n < expected.size(); ++n) {
      if (!isWritten(first, i, n))
        continue;
      if (second.isSample && !isWritten(second, other, n))
        continue;
      ++result.compared;
      const uint64_t x = bitsOf(expected, n), y = bitsOf(given, n);
      if (!isWritten(second, other, n)) {
        found.kind = Counterexample::Kind::fault;
        found.index = indexOf(expected.shape(), n);
        found.before = elementText(expected.dtype(), x);
        found.after = "never written";
        return differ();
      }
      if (isNearly ? isNear(expected.dtype(), x, y, relation.distance)
                   : isSame(expected.dtype(), x, y))
        continue;
      found.before = elementText(expected.dtype(), x);
      if (!first.permitted.empty()) {
        const reference::Permitted &set = first.permitted[i][n];
        if (isIn(set, expected.dtype(), y) ||
            (!second.permitted.empty() &&
             overlap(set, second.permitted[other][n])))
          continue;
        found.before += ", permitted " + set.text();
      }
      found.index = indexOf(expected.shape(), n);
      found.after = elementText(expected.dtype(), y);
      return differ();
    }
  }
  return result;
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

/// A run with the freedom that the relation gives.
StatusOr<Outcome> Comparison::runFreely(Program &program,
                                        std::span<const HostTensor> inputs,
                                        unsigned order) const {
  const bool isBounded = relation.kind == Relation::Kind::bounded;
  return program.run(inputs, order,
                     isBounded ? reference::Freedom::roundings
                               : reference::Freedom::order);
}

/// What compare() finds where the outputs are not the same.
StatusOr<Comparison::Result>
Comparison::compareSets(std::span<const HostTensor> inputs,
                        const Outcome &second, unsigned order) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome first, runFreely(before, inputs, 0));
  if (first.kind != Outcome::Kind::completed)
    return undecided();
  Result result = compareOutputs(first, second);
  if (!result.difference || relation.kind != Relation::Kind::bounded ||
      !after.hasFreedom())
    return result;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<HostTensor> own,
                              inputsOf(after, match, inputs, first.outputs));
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome free, runFreely(after, own, order));
  if (free.kind != Outcome::Kind::completed)
    return undecided();
  return compareOutputs(first, free);
}

StatusOr<Comparison::Result>
Comparison::compare(std::span<const HostTensor> inputs, unsigned order) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome first, before.run(inputs, 0));
  if (first.kind != Outcome::Kind::completed)
    return first.kind == Outcome::Kind::unfinished ? undecided() : Result();
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<HostTensor> own,
                              inputsOf(after, match, inputs, first.outputs));
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome second, after.run(own, order));
  return compare(inputs, first, second, order);
}

StatusOr<Comparison::Result>
Comparison::compare(std::span<const HostTensor> inputs, const Outcome &first,
                    const Outcome &second, unsigned order) {
  if (first.kind != Outcome::Kind::completed ||
      second.kind == Outcome::Kind::unfinished)
    return undecided();
  Result result;
  result.isDefined = true;
  if (second.kind != Outcome::Kind::completed) {
    result.difference.emplace();
    result.difference->kind = kindOf(second.kind);
    result.difference->before = "defined";
    result.difference->after = second.message;
  } else {
    result = compareOutputs(first, second);
    if (result.difference && isFree(relation)) {
      TILEWRIGHT_ASSIGN_OR_RETURN(result, compareSets(inputs, second, order));
    }
  }
  if (!result.difference)
    return result;
  for (const HostTensor &input : inputs) {
    TILEWRIGHT_ASSIGN_OR_RETURN(result.difference->inputs.emplace_back(),
                                input.clone());
  }
  result.difference->order = order;
  result.difference->beforeOutputs = first.outputs;
  for (size_t i = 0; i < match.outputs.size() && !second.outputs.empty(); ++i)
    result.difference->afterOutputs.push_back(second.outputs[match.outputs[i]]);
  return result;
}

} // namespace tilewright::verify
