#include "verify/validate/ImportCheck.h"

#include "graph/ir/Graph.h"
#include "library/model/ModelLevels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/Format.h"
#include "verify/validate/Compare.h"
#include "verify/validate/Elements.h"
#include "verify/validate/LevelCases.h"
#include "verify/validate/ModelParts.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/Shrink.h"
#include <algorithm>
#include <cmath>

namespace tilewright::verify {

using reference::Freedom;
using reference::Permitted;
using runtime::DType;
using runtime::HostTensor;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

//===--- What is permitted ------------------------------------------------===//

/// How much wider sets become, for the functions of another implementation: in
/// units in the last place of f32 (of f64 its own), of an element and of the
/// greatest number around.
static constexpr double ownUnits = 64;
/// The same around the elements of a compiled model, of which no sets are
/// known.
static constexpr double compiledUnits = 4096;

/// The unit in the last place of 1 in which it is computed.
static double unitOf(DType dtype) {
  return dtype == DType::F64 ? 0x1p-52 : 0x1p-23;
}

/// Half a unit in the last place of 1 of a type that is narrower than that.
static double roundingOf(DType dtype) {
  const unsigned precision =
      llvm::APFloat::semanticsPrecision(*semanticsOf(dtype));
  return precision < 24 ? std::ldexp(1.0, -int(precision)) : 0;
}

/// Beyond it numbers do not fit i32, and inner results may overflow.
static double hugeOf(DType dtype) { return dtype == DType::F16 ? 1e4 : 1e9; }

/// Whether any float of the tensors is such a number.
static bool anyFloat(std::span<const HostTensor> tensors,
                     llvm::function_ref<bool(DType, double)> is) {
  for (const HostTensor &tensor : tensors) {
    const DType dtype = tensor.dtype();
    for (size_t i = 0; semanticsOf(dtype) && i < tensor.size(); ++i)
      if (is(dtype, toDouble(dtype, bitsOf(tensor, i))))
        return true;
  }
  return false;
}

/// Whether an input has NaN, an infinity or a number near them.
static bool hasSpecials(std::span<const HostTensor> inputs) {
  return anyFloat(inputs, [](DType dtype, double value) {
    return !(std::fabs(value) <= hugeOf(dtype));
  });
}

static bool isEmpty(std::span<const HostTensor> tensors) {
  return std::ranges::any_of(
      tensors, [](const HostTensor &tensor) { return tensor.size() == 0; });
}

/// The greatest finite magnitude, or 1. A function such as a sigmoid may be
/// computed with an error that is small beside 1, and multiplied by any input.
static double greatestOf(std::span<const HostTensor> inputs,
                         std::span<const HostTensor> outputs) {
  double greatest = 1;
  auto add = [&](DType, double value) {
    if (std::isfinite(value))
      greatest = std::max(greatest, std::fabs(value));
    return false;
  };
  anyFloat(inputs, add);
  anyFloat(outputs, add);
  return greatest;
}

/// Sets with room for another implementation on both sides.
static void widen(std::vector<Permitted> &sets, DType dtype, double units,
                  double greatest) {
  if (!semanticsOf(dtype))
    return;
  const double unit = units * unitOf(dtype);
  for (Permitted &set : sets) {
    if (set.isAny || !set.hasNumbers())
      continue;
    const double own = unit + roundingOf(dtype);
    set.least -= std::fabs(set.least) * own + greatest * unit;
    set.greatest += std::fabs(set.greatest) * own + greatest * unit;
  }
}

/// Leaves out elements that say nothing: what other implementations make of NaN
/// and of numbers near overflow is seldom what ONNX says, if it says anything.
/// An infinity of the oracle is often one that overflowed inside.
static void leaveOut(std::span<const HostTensor> inputs, bool isOracle,
                     Outcome &outcome) {
  const bool isSpecial = hasSpecials(inputs);
  outcome.isSample = true;
  for (const HostTensor &output : outcome.outputs) {
    const DType dtype = output.dtype();
    std::vector<bool> &says = outcome.written.emplace_back();
    for (size_t n = 0; n < output.size(); ++n) {
      const double value = toDouble(dtype, bitsOf(output, n));
      const bool isFinite = semanticsOf(dtype) && std::isfinite(value);
      says.push_back(!(isSpecial && !isFinite) &&
                     !(isOracle && std::isinf(value)));
    }
  }
}

namespace {

/// A model as it was read. What it permits is what others may compute.
class ImportedModel : public Program {
public:
  ImportedModel(std::unique_ptr<Program> model, std::string name,
                bool isCompiled, bool decides)
      : model(std::move(model)), isCompiled(isCompiled), decides(decides) {
    title = std::move(name);
    ports = this->model->signature();
    near = this->model->hints();
  }
  bool hasFreedom() const override { return true; }
  StatusOr<Outcome> run(std::span<const HostTensor> inputs, unsigned,
                        Freedom freedom) override;

private:
  const std::unique_ptr<Program> model;
  const bool isCompiled;
  /// Whether an op makes integers of floats, or an order: in which NaN has no
  /// place.
  const bool decides;
};

/// The other implementation.
class Oracle : public Program {
public:
  explicit Oracle(std::unique_ptr<Program> program)
      : program(std::move(program)) {
    title = this->program->name();
    ports = this->program->signature();
  }
  StatusOr<Outcome> run(std::span<const HostTensor> inputs, unsigned,
                        Freedom) override;

private:
  const std::unique_ptr<Program> program;
};

} // namespace

/// The computed elements as sets.
static std::vector<Permitted> setsOf(const HostTensor &output) {
  std::vector<Permitted> sets;
  for (size_t n = 0; n < output.size(); ++n)
    sets.push_back(
        Permitted::value(toDouble(output.dtype(), bitsOf(output, n))));
  return sets;
}

StatusOr<Outcome> ImportedModel::run(std::span<const HostTensor> inputs,
                                     unsigned, Freedom freedom) {
  const Freedom own = isCompiled ? Freedom::none : freedom;
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, model->run(inputs, 0, own));
  if (outcome.kind != Outcome::Kind::completed)
    return outcome;
  // Of nothing implementations make different things.
  if (isEmpty(inputs) || isEmpty(outcome.outputs))
    return Outcome{Outcome::Kind::unfinished, "a tensor has no elements", {}};
  if ((decides || isCompiled) && hasSpecials(inputs))
    return Outcome{Outcome::Kind::unfinished, "numbers are too large", {}};
  if (freedom != Freedom::none) {
    for (size_t i = outcome.permitted.size(); i < outcome.outputs.size(); ++i)
      outcome.permitted.push_back(setsOf(outcome.outputs[i]));
    const double greatest = greatestOf(inputs, outcome.outputs);
    for (size_t i = 0; i < outcome.outputs.size(); ++i)
      widen(outcome.permitted[i], outcome.outputs[i].dtype(),
            isCompiled ? compiledUnits : ownUnits, greatest);
  }
  leaveOut(inputs, /*isOracle=*/false, outcome);
  return outcome;
}

StatusOr<Outcome> Oracle::run(std::span<const HostTensor> inputs, unsigned,
                              Freedom) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program->run(inputs, 0));
  if (outcome.kind == Outcome::Kind::completed)
    leaveOut(inputs, /*isOracle=*/true, outcome);
  return outcome;
}

//===--- The comparison ---------------------------------------------------===//

namespace {

class ImportChecker {
public:
  ImportChecker(std::shared_ptr<ModelLevels> levels,
                const ModelCheckOptions &options)
      : levels(std::move(levels)), options(options),
        time(options.time.value_or(Seconds(20))) {}
  StatusOr<ImportVerdict> run(const OpenOracle &open);

private:
  Status openModel();
  Status compareAll(Program &oracle);
  StatusOr<bool> compare(const TestCase &test, const Outcome &own,
                         Program &oracle, Comparison &comparison);
  Status keep(const TestCase &test, Comparison &comparison,
              Counterexample found);

  const std::shared_ptr<ModelLevels> levels;
  const ModelCheckOptions &options;
  /// For the comparison.
  const Seconds time;
  LevelOptions how;
  std::unique_ptr<ImportedModel> model;
  LevelCases cases;
  /// Why the oracle did not run first.
  std::string rejection;
  ImportVerdict verdict;
};

} // namespace

/// Whether an op makes an order or integers of floats.
static bool decides(mlir::ModuleOp module) {
  return module
      .walk([](mlir::Operation *op) {
        return mlir::isa<graph::SortOp, graph::TopKOp, mlir::arith::FPToSIOp,
                         mlir::arith::FPToUIOp>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// The model on the reference, or compiled, and what it comes to.
Status ImportChecker::openModel() {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<HostTensor> inputs,
                              modelInputs(levels, options.inputs));
  TILEWRIGHT_ASSIGN_OR_RETURN(verdict.isCompiled, isLarge(levels, inputs));
  const bool isDeciding = decides(levels->module());
  how.seed = options.seed;
  how.isStopped = options.isStopped;
  std::unique_ptr<Program> program;
  if (verdict.isCompiled) {
    // The sample stands for other numbers of these sizes alone.
    how.sample.elements = 1;
    TILEWRIGHT_ASSIGN_OR_RETURN(auto package, levels->code());
    TILEWRIGHT_ASSIGN_OR_RETURN(program,
                                makePackageProgram(std::move(package), {}));
  } else {
    TILEWRIGHT_ASSIGN_OR_RETURN(program, programOf(levels));
  }
  model = std::make_unique<ImportedModel>(std::move(program), levels->name(),
                                          verdict.isCompiled, isDeciding);
  if (verdict.isCompiled || !options.inputs.empty())
    how.inputs = std::move(inputs);
  verdict.signature = model->signature();
  return {};
}

/// Makes the difference smaller. `before` of a verdict is the oracle.
Status ImportChecker::keep(const TestCase &test, Comparison &comparison,
                           Counterexample found) {
  if (!verdict.isCompiled && test.sizes.size() == cases.space.count()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(found,
                                shrink(comparison, cases.space, test.sizes, 0,
                                       std::move(found), how.time * 4));
  }
  std::swap(found.before, found.after);
  std::swap(found.beforeOutputs, found.afterOutputs);
  verdict.counterexample = std::move(found);
  return {};
}

/// Whether the oracle has run.
StatusOr<bool> ImportChecker::compare(const TestCase &test, const Outcome &own,
                                      Program &oracle, Comparison &comparison) {
  TILEWRIGHT_ASSIGN_OR_RETURN(const Outcome other, oracle.run(test.inputs, 0));
  if (other.kind != Outcome::Kind::completed) {
    if (rejection.empty())
      rejection = other.message;
    return false;
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Comparison::Result result,
      comparison.compare(test.inputs, own, other, /*order=*/0));
  verdict.evidence.cases += result.isDefined && result.compared > 0;
  if (result.difference)
    TILEWRIGHT_RETURN_IF_ERROR(
        keep(test, comparison, *std::move(result.difference)));
  return true;
}

Status ImportChecker::compareAll(Program &oracle) {
  TILEWRIGHT_ASSIGN_OR_RETURN(const Match match, matchPrograms(*model, oracle));
  Comparison comparison(*model, oracle, match, verdict.evidence.relation);
  bool hasRun = false;
  const auto start = Clock::now();
  for (size_t i = 0; i < cases.tests.size() && !verdict.counterexample; ++i) {
    if (options.isStopped && options.isStopped())
      return Status::cancelled("stopped");
    if (verdict.evidence.cases > 0 && Clock::now() - start > time)
      break;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        const bool ran,
        compare(cases.tests[i], cases.outcomes[i], oracle, comparison));
    hasRun |= ran;
  }
  if (!hasRun)
    return Status::invalidInput(
        format("{}: runs on none of {} inputs on which the model is defined\n"
               "  {}",
               {oracle.name(), cases.tests.size(), rejection}));
  return {};
}

StatusOr<ImportVerdict> ImportChecker::run(const OpenOracle &open) {
  PassEvidence &evidence = verdict.evidence;
  evidence.pass = "import";
  evidence.relation = {Relation::Kind::bounded};
  evidence.kind = PassEvidence::Kind::unchecked;
  TILEWRIGHT_RETURN_IF_ERROR(openModel());
  StatusOr<std::unique_ptr<Program>> oracle = open(model->signature());
  if (!oracle.ok() && oracle.status().code() != StatusCode::unsupported)
    return oracle.status();
  if (!oracle.ok()) {
    evidence.reason = oracle.status().message();
    return std::move(verdict);
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(cases, gatherCases(*model, how));
  Oracle other(*std::move(oracle));
  TILEWRIGHT_RETURN_IF_ERROR(compareAll(other));
  if (evidence.cases > 0)
    evidence.kind = PassEvidence::Kind::tested;
  else
    evidence.reason = "no run tells in time what is permitted";
  if (evidence.cases > 0 && verdict.isCompiled)
    evidence.reason = "too large for the reference: compiled for the CPU";
  return std::move(verdict);
}

StatusOr<ImportVerdict> checkImport(const ModelSource &model,
                                    CompileModelOptions compile,
                                    const OpenOracle &open,
                                    const ModelCheckOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels,
                              ModelLevels::open(model, std::move(compile)));
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, levels->graph());
  if (!graph)
    return Status::invalidInput(levels->name() +
                                ": is no model that a frontend reads");
  return ImportChecker(std::move(levels), options).run(open);
}

} // namespace tilewright::verify
