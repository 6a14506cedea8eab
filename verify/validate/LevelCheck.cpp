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
  Status gatherCases();
  Status replayCase();
  Status step();
  Status compareLevels(std::unique_ptr<Program> next);
  StatusOr<bool> runCases(Program &next, Comparison &comparison,
                          const Match &match);
  Status checkCode();
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
  std::vector<TestCase> cases;
  /// What the program came to on each.
  std::vector<Outcome> outcomes;
  LevelsVerdict verdict;
};

} // namespace

/// Keeps the level that `program` executes.
void LevelChecker::keepLevel() {
  module = levels->module().clone();
  position = levels->position();
}

Status LevelChecker::begin() {
  TILEWRIGHT_ASSIGN_OR_RETURN(program, programOf(levels, options.timeOfRun));
  keepLevel();
  verdict.signature = program->signature();
  verdict.targets = levels->targets();
  if (options.replay)
    return {};
  maker.emplace(program->signature(), program->hints(), options.seed,
                options.time.count() / double(options.cases) * 2);
  return maker->learnSizes(
      [&](std::span<const HostTensor> inputs) -> StatusOr<bool> {
        TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program->run(inputs, 0));
        return outcome.kind == Outcome::Kind::completed;
      });
}

/// The one run that is to be tried.
Status LevelChecker::replayCase() {
  TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome,
                              program->run(options.replay->inputs, 0));
  if (outcome.kind != Outcome::Kind::completed)
    return Status::invalidInput(program->name() +
                                ": is not defined on these inputs");
  cases.push_back({{}, {}, options.replay->inputs});
  outcomes.push_back(std::move(outcome));
  return {};
}

/// Inputs on which the model is defined.
Status LevelChecker::gatherCases() {
  if (options.replay)
    return replayCase();
  const auto start = Clock::now();
  int64_t runs = 0, ended = 0;
  while (int64_t(cases.size()) < options.cases &&
         Clock::now() - start < options.time * 8) {
    TILEWRIGHT_ASSIGN_OR_RETURN(TestCase test, maker->next());
    const auto begin = Clock::now();
    TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program->run(test.inputs, 0));
    const bool isDefined = outcome.kind == Outcome::Kind::completed;
    maker->count(test, isDefined, Seconds(Clock::now() - begin).count());
    ++runs;
    ended += outcome.kind != Outcome::Kind::unfinished;
    if (!isDefined)
      continue;
    cases.push_back(std::move(test));
    outcomes.push_back(std::move(outcome));
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
  TILEWRIGHT_ASSIGN_OR_RETURN(verdict.counterexample,
                              shrink(comparison, maker->space(), test.sizes,
                                     order, *std::move(verdict.counterexample),
                                     options.time * 4));
  verdict.guilty->reproducer = reduceProgram(
      text, levels->name(), levels->position() - position, options,
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
      evidence.cases += result.isDefined;
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
      programOf(levels, options.timeOfRun);
  if (next.ok())
    return compareLevels(*std::move(next));
  evidence.kind = PassEvidence::Kind::unchecked;
  evidence.reason = next.status().message();
  return {};
}

StatusOr<LevelsVerdict> LevelChecker::run() {
  TILEWRIGHT_RETURN_IF_ERROR(begin());
  TILEWRIGHT_RETURN_IF_ERROR(gatherCases());
  const size_t last = std::min(levels->passes().size(), options.mostPasses);
  while (levels->position() < last && !verdict.guilty) {
    if (options.isStopped && options.isStopped())
      return Status::cancelled("stopped");
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
  levels->setHook(options.hook);
  return LevelChecker(std::move(levels), options).run();
}

} // namespace tilewright::verify
