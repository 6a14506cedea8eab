#include "verify/validate/PartCheck.h"

#include "verify/validate/Compare.h"
#include "verify/validate/Elements.h"
#include "verify/validate/OpenProgram.h"
#include <algorithm>

namespace tilewright::verify {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

StatusOr<std::shared_ptr<ModelLevels>> PartChecker::open() const {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto levels,
      ModelLevels::open(ModelSource::memory(name, text), compileOptions()));
  return std::shared_ptr<ModelLevels>(std::move(levels));
}

StatusOr<Probe> PartChecker::probe(const std::shared_ptr<ModelLevels> &levels,
                                   const Sample &wanted) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto program, programOf(levels, time, wanted));
  const auto start = Clock::now();
  Probe probe;
  TILEWRIGHT_ASSIGN_OR_RETURN(probe.outcome, program->run(part.inputs, 0));
  probe.seconds = std::max(1e-6, Seconds(Clock::now() - start).count());
  return probe;
}

/// So many programs as there is time for, and what they write. `levels` are at
/// the first level of kernels.
Status PartChecker::choosePrograms(const std::shared_ptr<ModelLevels> &levels) {
  // What a program adds to memory is right when all have done it.
  const bool isShared =
      levels->module()
          .walk([](mlir::Operation *op) {
            return op->getName().getStringRef().contains("atomic")
                       ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
          })
          .wasInterrupted();
  if (isShared)
    return {};
  sample.programs = 2;
  TILEWRIGHT_ASSIGN_OR_RETURN(Probe found, probe(levels, sample));
  const double more = secondsOfLevel() / 2 / found.seconds;
  if (found.outcome.isSample && more < 0.25) {
    sample.programs = 1;
    TILEWRIGHT_ASSIGN_OR_RETURN(found, probe(levels, sample));
  } else if (found.outcome.isSample && more >= 2) {
    sample.programs = int64_t(std::min(2 * more, 4096.0));
    TILEWRIGHT_ASSIGN_OR_RETURN(found, probe(levels, sample));
  }
  if (!found.outcome.isSample)
    sample.programs = 0;
  sample.among = std::move(found.outcome.written);
  return {};
}

/// So many elements of a graph as there is time for.
Status PartChecker::chooseElements() {
  constexpr int64_t least = 16, most = 4096;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels, open());
  sample.elements = least;
  TILEWRIGHT_ASSIGN_OR_RETURN(Probe found, probe(levels, sample));
  sample.elements =
      std::clamp(int64_t(double(least) * secondsOfLevel() / 2 / found.seconds),
                 least, most);
  return {};
}

Status PartChecker::chooseSample(size_t mostPasses) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels, open());
  size_t position = 0;
  for (; position < std::min(levels->passes().size(), mostPasses); ++position) {
    TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, levels->graph());
    if (!graph) {
      TILEWRIGHT_RETURN_IF_ERROR(choosePrograms(levels));
      break;
    }
    TILEWRIGHT_RETURN_IF_ERROR(levels->advance().status());
  }
  return chooseElements();
}

StatusOr<LevelsVerdict> PartChecker::run(size_t mostPasses) {
  const auto start = Clock::now();
  TILEWRIGHT_RETURN_IF_ERROR(chooseSample(mostPasses));
  LevelOptions own;
  own.seed = options.seed;
  own.inputs = part.inputs;
  own.sample = sample;
  own.mostPasses = mostPasses;
  own.cases = 3;
  own.time = Seconds(secondsOfLevel());
  own.timeOfRun = time;
  own.isStopped = options.isStopped;
  own.hook = options.hook;
  own.end = start + std::chrono::duration_cast<Clock::duration>(time);
  auto check = [&] {
    return checkLevels(ModelSource::memory(name, text), compileOptions(), own);
  };
  TILEWRIGHT_ASSIGN_OR_RETURN(LevelsVerdict verdict, check());
  // Which of those that were judged together it is.
  if (!verdict.guilty || verdict.guilty->pass.find(',') == std::string::npos)
    return verdict;
  own.end.reset();
  return check();
}

/// The same elements of both, where both have them.
static PassEvidence evidenceOf(const Comparison::Result &result) {
  PassEvidence evidence;
  evidence.pass = graphPasses;
  if (result.difference) {
    const Counterexample &found = *result.difference;
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason =
        "the kernel has other results than the ops at its location: " +
        found.output + (found.index ? runtime::printShape(*found.index) : "") +
        " = " + found.before + ", found " + found.after;
  } else if (result.isDefined && result.compared > 0) {
    evidence.kind = PassEvidence::Kind::tested;
    evidence.cases = 1;
    evidence.share = double(result.compared) / double(result.elements);
  } else {
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason = "no run tells in time what is permitted";
  }
  return evidence;
}

namespace {
/// A program that reads what another one does, with results of its shapes.
class Rewired : public Program {
public:
  Rewired(Program &own, Signature read,
          const std::vector<runtime::HostTensor> &ownInputs,
          const std::vector<std::optional<size_t>> &reads)
      : own(own), ownInputs(ownInputs), reads(reads) {
    title = own.name();
    ports = std::move(read);
  }
  /// The shapes that results get where they have as many elements.
  std::vector<runtime::Shape> shapes;
  bool hasFreedom() const override { return own.hasFreedom(); }
  StatusOr<Outcome> run(std::span<const runtime::HostTensor> inputs,
                        unsigned order, reference::Freedom freedom) override;

private:
  Program &own;
  const std::vector<runtime::HostTensor> &ownInputs;
  const std::vector<std::optional<size_t>> &reads;
};
} // namespace

/// The same elements in another shape.
static StatusOr<runtime::HostTensor> reshaped(const runtime::HostTensor &tensor,
                                              const runtime::Shape &shape) {
  if (tensor.shape() == shape || int64_t(tensor.size()) != elementCount(shape))
    return tensor;
  return runtime::HostTensor::copyOf(
      {tensor.dtype(), shape, {tensor.data(), tensor.bytes()}});
}

StatusOr<Outcome> Rewired::run(std::span<const runtime::HostTensor> inputs,
                               unsigned order, reference::Freedom freedom) {
  std::vector<runtime::HostTensor> all;
  for (size_t i = 0; i < reads.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        all.emplace_back(),
        reshaped(reads[i] ? inputs[*reads[i]] : ownInputs[i],
                 ownInputs[i].shape()));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, own.run(all, order, freedom));
  for (size_t i = 0; i < outcome.outputs.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(outcome.outputs[i],
                                reshaped(outcome.outputs[i], shapes[i]));
  }
  return outcome;
}

StatusOr<PassEvidence>
PartChecker::compareWith(PartChecker &after,
                         const std::vector<std::optional<size_t>> &reads,
                         const Relation &relation) {
  TILEWRIGHT_RETURN_IF_ERROR(chooseElements());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto ownLevels, open());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels, after.open());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto first, programOf(ownLevels, time, sample));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto made, programOf(levels, time, sample));
  if (made->signature().outputs.size() != first->signature().outputs.size())
    return Status::unsupported(
        "the kernel has other results than the ops at its location");
  Rewired second(*made, first->signature(), after.part.inputs, reads);
  TILEWRIGHT_ASSIGN_OR_RETURN(const Match match, matchPrograms(*first, second));
  TILEWRIGHT_ASSIGN_OR_RETURN(const Outcome before, first->run(part.inputs, 0));
  for (const runtime::HostTensor &output : before.outputs)
    second.shapes.push_back(output.shape());
  Comparison comparison(*first, second, match, relation);
  Comparison::Result result;
  if (before.kind == Outcome::Kind::completed) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        const Outcome behind,
        second.run(part.inputs, 0, reference::Freedom::none));
    TILEWRIGHT_ASSIGN_OR_RETURN(
        result, comparison.compare(part.inputs, before, behind, 0));
  }
  PassEvidence evidence = evidenceOf(result);
  evidence.relation = relation;
  return evidence;
}

} // namespace tilewright::verify
