#include "verify/validate/LevelCheck.h"

#include "library/model/ModelLevels.h"
#include "support/Format.h"
#include "verify/validate/Compare.h"
#include "verify/validate/InputMaker.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/PackageProgram.h"
#include "verify/validate/PassRelations.h"
#include "verify/validate/Reduce.h"
#include "verify/validate/Shrink.h"

namespace tilewright::verify {

using runtime::HostTensor;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

namespace {

class LevelChecker {
public:
  LevelChecker(std::shared_ptr<ModelLevels> levels, const LevelOptions &options)
      : levels(std::move(levels)), options(options) {}
  StatusOr<LevelsVerdict> run();

private:
  Status begin();
  [[nodiscard]] bool takesGiven() const;
  [[nodiscard]] bool isSampled() const { return options.sample.elements > 0; }
  Status addCase(TestCase test, int64_t &ended);
  Status gatherGiven();
  Status gatherCases();
  Status replayCase();
  Status step();
  Status compareLevels(std::unique_ptr<Program> next);
  StatusOr<bool> runCases(Program &next, Comparison &comparison,
                          const Match &match);
  Status checkCode();
  void skipRest(size_t last);
  void keepLevel();
  Status blame(Program &next, const TestCase &test, unsigned order,
               Counterexample found);

  const std::shared_ptr<ModelLevels> levels;
  const LevelOptions &options;
  /// The last level that can be executed, and as a module; how many passes led
  /// there, and those since then that changed something.
  std::unique_ptr<Program> program;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  size_t position = 0;
  std::vector<std::string> passes;
  Relation relation;
  std::optional<InputMaker> maker;
  /// Whether the first case is given.
  bool isGiven = false;
  /// Whether the last samples have no element in common.
  bool sharesNothing = false;
  std::vector<TestCase> cases;
  /// What the program came to on each.
  std::vector<Outcome> outcomes;
  LevelsVerdict verdict;
};

} // namespace

static bool fits(const HostTensor &tensor, const Port &port) {
  return tensor.dtype() == port.dtype &&
         std::ranges::equal(tensor.shape(), port.shape,
                            [](int64_t size, int64_t wanted) {
                              return wanted < 0 || size == wanted;
                            });
}

/// Tensors of these types and sizes with other values.
static StatusOr<std::vector<HostTensor>>
filledAs(const std::vector<HostTensor> &given, Filling filling,
         const Hints &hints, std::mt19937_64 &random) {
  FillContext context{hints, {}, random};
  std::vector<HostTensor> filled;
  for (const HostTensor &tensor : given) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        filled.emplace_back(),
        HostTensor::allocate(tensor.dtype(), tensor.shape()));
    fill(filled.back(), filling, context);
  }
  return filled;
}

/// Of the elements of the outputs those that were compared.
static double shareOf(const Comparison::Result &result) {
  return result.elements == 0
             ? 1
             : double(result.compared) / double(result.elements);
}

/// Whether there was something to compare, but nothing was.
static bool isEmpty(const Comparison::Result &result) {
  return result.compared == 0 && result.elements > 0;
}

/// Keeps the level that `program` executes.
void LevelChecker::keepLevel() {
  module = levels->module().clone();
  position = levels->position();
}

Status LevelChecker::begin() {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      program, programOf(levels, options.timeOfRun, options.sample));
  keepLevel();
  verdict.signature = program->signature();
  verdict.targets = levels->targets();
  if (options.replay)
    return {};
  maker.emplace(program->signature(), program->hints(), options.seed,
                options.time.count() / double(options.cases) * 2);
  isGiven = takesGiven();
  if (isGiven && isSampled())
    return {};
  return maker->learnSizes(
      [&](std::span<const HostTensor> inputs) -> StatusOr<bool> {
        TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program->run(inputs, 0));
        return outcome.kind == Outcome::Kind::completed;
      });
}

/// The one run that is to be tried.
Status LevelChecker::replayCase() {
  int64_t ended = 0;
  TILEWRIGHT_RETURN_IF_ERROR(addCase({{}, {}, options.replay->inputs}, ended));
  return cases.empty() ? Status::invalidInput(program->name() +
                                              ": is not defined on its inputs")
                       : Status();
}

/// Whether the given inputs are of this program.
bool LevelChecker::takesGiven() const {
  return !options.inputs.empty() &&
         std::ranges::equal(options.inputs, program->signature().inputs, fits);
}

/// Keeps the case if the model is defined on it.
Status LevelChecker::addCase(TestCase test, int64_t &ended) {
  const auto begin = Clock::now();
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program->run(test.inputs, 0));
  const bool isDefined = outcome.kind == Outcome::Kind::completed;
  if (!test.fillings.empty())
    maker->count(test, isDefined, Seconds(Clock::now() - begin).count());
  ended += outcome.kind != Outcome::Kind::unfinished;
  if (isDefined) {
    cases.push_back(std::move(test));
    outcomes.push_back(std::move(outcome));
  }
  return {};
}

/// The given inputs, and of a sample others of their sizes.
Status LevelChecker::gatherGiven() {
  int64_t ended = 0;
  TILEWRIGHT_RETURN_IF_ERROR(addCase({{}, {}, options.inputs}, ended));
  if (!isSampled())
    return {};
  std::mt19937_64 random(options.seed);
  constexpr Filling others[] = {Filling::normal, Filling::rareSpecials,
                                Filling::small, Filling::extremes};
  for (const Filling filling : others) {
    if (int64_t(cases.size()) >= options.cases)
      break;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto inputs,
        filledAs(options.inputs, filling, program->hints(), random));
    TILEWRIGHT_RETURN_IF_ERROR(addCase({{}, {}, std::move(inputs)}, ended));
  }
  return cases.empty() ? Status::invalidInput(program->name() +
                                              ": is not defined on its inputs")
                       : Status();
}

/// Inputs on which the model is defined.
Status LevelChecker::gatherCases() {
  if (options.replay)
    return replayCase();
  if (isGiven)
    TILEWRIGHT_RETURN_IF_ERROR(gatherGiven());
  if (isGiven && isSampled())
    return {};
  const auto start = Clock::now();
  int64_t runs = 0, ended = 0;
  while (int64_t(cases.size()) < options.cases &&
         Clock::now() - start < options.time * 8) {
    TILEWRIGHT_ASSIGN_OR_RETURN(TestCase test, maker->next());
    ++runs;
    TILEWRIGHT_RETURN_IF_ERROR(addCase(std::move(test), ended));
  }
  // The first ones are all that slow levels run on.
  std::mt19937_64 random(options.seed);
  for (size_t i = cases.size(); i > 1; --i) {
    const size_t other = random() % i;
    std::swap(cases[i - 1], cases[other]);
    std::swap(outcomes[i - 1], outcomes[other]);
  }
  if (!cases.empty())
    return {};
  return Status::invalidInput(
      format("{} {} none of {} runs: nothing can be said of its passes",
             {program->name(), ended > 0 ? "is defined in" : "ends in", runs}));
}

/// The passes since the last level, at fault.
Status LevelChecker::blame(Program &next, const TestCase &test, unsigned order,
                           Counterexample found) {
  std::string names;
  for (const std::string &pass : passes)
    names += (names.empty() ? "" : ",") + pass;
  const std::string text = levels->text(*module, position);
  verdict.guilty = {names, relation, text,
                    levels->text(levels->module(), levels->position()), text};
  verdict.counterexample = std::move(found);
  if (!options.reduces)
    return {};
  TILEWRIGHT_ASSIGN_OR_RETURN(Match match, matchPrograms(*program, next));
  Comparison comparison(*program, next, match, relation);
  if (test.sizes.size() == maker->space().count()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        verdict.counterexample,
        shrink(comparison, maker->space(), test.sizes, order,
               *std::move(verdict.counterexample), options.time * 4));
  }
  verdict.guilty->reproducer = reduceProgram(
      text, *levels, levels->position() - position, options,
      {verdict.counterexample->inputs, verdict.counterexample->order});
  return {};
}

/// Runs the next level on the cases, as many as there is time for: those on
/// which the fewest levels have run, and those whose run was given up, are left
/// out of the next ones, too. Returns whether any are left; if not, all remain.
StatusOr<bool> LevelChecker::runCases(Program &next, Comparison &comparison,
                                      const Match &match) {
  PassEvidence &evidence = verdict.passes.back();
  const auto start = Clock::now();
  size_t kept = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const unsigned order = unsigned(
        (options.replay ? options.replay->order : i) % next.orderCount());
    TILEWRIGHT_ASSIGN_OR_RETURN(
        std::vector<HostTensor> own,
        inputsOf(next, match, cases[i].inputs, outcomes[i].outputs));
    TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, next.run(own, order));
    if (evidence.kind == PassEvidence::Kind::tested) {
      TILEWRIGHT_ASSIGN_OR_RETURN(
          Comparison::Result result,
          comparison.compare(cases[i].inputs, outcomes[i], outcome, order));
      sharesNothing = result.isDefined && isEmpty(result);
      evidence.cases += result.isDefined && !sharesNothing;
      if (result.isDefined)
        evidence.share = std::min(evidence.share, shareOf(result));
      if (result.difference) {
        TILEWRIGHT_RETURN_IF_ERROR(
            blame(next, cases[i], order, *std::move(result.difference)));
        return true;
      }
    }
    if (outcome.kind == Outcome::Kind::completed) {
      std::swap(cases[kept], cases[i]);
      outcomes[kept++] = std::move(outcome);
    }
    if (Clock::now() - start >= options.time)
      break;
  }
  if (kept == 0)
    return false;
  cases.resize(kept);
  outcomes.resize(kept);
  return true;
}

Status LevelChecker::compareLevels(std::unique_ptr<Program> next) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Match match, matchPrograms(*program, *next));
  Comparison comparison(*program, *next, match, relation);
  PassEvidence &evidence = verdict.passes.back();
  evidence.kind = PassEvidence::Kind::tested;
  const Status known = comparison.check();
  if (!known.ok()) {
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason = known.message();
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(const bool hasRun,
                              runCases(*next, comparison, match));
  if (verdict.guilty)
    return {};
  if (!hasRun) {
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason = levels->name() + ": no run came to an end";
    return {};
  }
  if (evidence.kind == PassEvidence::Kind::tested && evidence.cases == 0) {
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason = sharesNothing
                          ? "no element was computed before it and behind it"
                          : "no run tells in time what is permitted";
  }
  program = std::move(next);
  keepLevel();
  passes.clear();
  relation = {};
  return {};
}

/// The code that LLVM makes of the last level, on the device itself.
Status LevelChecker::checkCode() {
  PassEvidence &evidence = verdict.passes.emplace_back();
  evidence.pass = "llvm";
  passes.push_back(evidence.pass);
  if (!options.runsCode && llvm::is_contained(verdict.targets, "cpu")) {
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason = levels->name() + ": the code of a file of --stop-after "
                                       "runs on this machine with --resume "
                                       "alone";
    return {};
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, levels->code());
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<Program> code,
                              makePackageProgram(std::move(package), {}));
  return compareLevels(std::move(code));
}

/// The next pass.
Status LevelChecker::step() {
  PassEvidence &evidence = verdict.passes.emplace_back();
  evidence.pass = levels->passes().name(levels->position());
  evidence.relation = passRelation(levels->passes().flag(levels->position()));
  TILEWRIGHT_ASSIGN_OR_RETURN(const bool hasChanged, levels->advance());
  if (!hasChanged)
    return {};
  passes.push_back(evidence.pass);
  relation = combine(relation, evidence.relation);
  StatusOr<std::unique_ptr<Program>> next =
      programOf(levels, options.timeOfRun, options.sample);
  if (next.ok())
    return compareLevels(*std::move(next));
  evidence.kind = PassEvidence::Kind::unchecked;
  evidence.reason = next.status().message();
  return {};
}

/// What the passes that are left come to is judged behind them all.
void LevelChecker::skipRest(size_t last) {
  for (size_t i = levels->position(); i < last; ++i) {
    PassEvidence &evidence = verdict.passes.emplace_back();
    evidence.pass = levels->passes().name(i);
    evidence.relation = passRelation(levels->passes().flag(i));
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason = "no time was left";
    passes.push_back(evidence.pass);
    relation = combine(relation, evidence.relation);
  }
}

StatusOr<LevelsVerdict> LevelChecker::run() {
  TILEWRIGHT_RETURN_IF_ERROR(begin());
  TILEWRIGHT_RETURN_IF_ERROR(gatherCases());
  const size_t last = std::min(levels->passes().size(), options.mostPasses);
  while (levels->position() < last && !verdict.guilty) {
    if (options.isStopped && options.isStopped())
      return Status::cancelled("stopped");
    if (options.end && Clock::now() > *options.end) {
      skipRest(last);
      break;
    }
    TILEWRIGHT_RETURN_IF_ERROR(step());
  }
  if (!verdict.guilty && last == levels->passes().size())
    TILEWRIGHT_RETURN_IF_ERROR(checkCode());
  return std::move(verdict);
}

StatusOr<LevelsVerdict> checkLevels(const ModelSource &model,
                                    CompileModelOptions compile,
                                    const LevelOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels,
                              ModelLevels::open(model, std::move(compile)));
  return checkLevels(std::move(levels), options);
}

StatusOr<LevelsVerdict> checkLevels(std::shared_ptr<ModelLevels> levels,
                                    const LevelOptions &options) {
  levels->setHook(options.hook);
  return LevelChecker(std::move(levels), options).run();
}

} // namespace tilewright::verify
