#include "verify/validate/LevelCheck.h"

#include "library/model/ModelLevels.h"
#include "support/Format.h"
#include "verify/validate/Compare.h"
#include "verify/validate/InputMaker.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/PassRelations.h"
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
  Status step();
  Status compareLevels(std::unique_ptr<Program> next);
  Status blame(Program &next, const TestCase &test, unsigned order,
               Counterexample found);

  const std::shared_ptr<ModelLevels> levels;
  const LevelOptions &options;
  /// The last level that can be executed, its file, and the passes since then.
  std::unique_ptr<Program> program;
  std::string text;
  std::vector<std::string> passes;
  Relation relation;
  std::optional<InputMaker> maker;
  std::vector<TestCase> cases;
  LevelsVerdict verdict;
};

} // namespace

Status LevelChecker::begin() {
  TILEWRIGHT_ASSIGN_OR_RETURN(program, programOf(levels));
  text = levels->text(levels->position());
  verdict.signature = program->signature();
  verdict.targets = levels->targets();
  maker.emplace(program->signature(), program->hints(), options.seed,
                options.time.count() / double(options.cases) * 2);
  return maker->learnSizes(
      [&](std::span<const HostTensor> inputs) -> StatusOr<bool> {
        TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program->run(inputs, 0));
        return outcome.kind == Outcome::Kind::completed;
      });
}

/// Inputs on which the model is defined.
Status LevelChecker::gatherCases() {
  const auto start = Clock::now();
  int64_t runs = 0;
  while (int64_t(cases.size()) < options.cases &&
         Clock::now() - start < options.time * 8) {
    TILEWRIGHT_ASSIGN_OR_RETURN(TestCase test, maker->next());
    const auto begin = Clock::now();
    TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, program->run(test.inputs, 0));
    const bool isDefined = outcome.kind == Outcome::Kind::completed;
    maker->count(test, isDefined, Seconds(Clock::now() - begin).count());
    ++runs;
    if (isDefined)
      cases.push_back(std::move(test));
  }
  if (!cases.empty())
    return {};
  return Status::invalidInput(
      format("{} is defined in none of {} runs: nothing can be said of its "
             "passes",
             {program->name(), runs}));
}

/// The passes since the last level, at fault.
Status LevelChecker::blame(Program &next, const TestCase &test, unsigned order,
                           Counterexample found) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Match match, matchPrograms(*program, next));
  Comparison comparison(*program, next, match, relation);
  TILEWRIGHT_ASSIGN_OR_RETURN(verdict.counterexample,
                              shrink(comparison, maker->space(), test.sizes,
                                     order, std::move(found),
                                     options.time * 4));
  std::string names;
  for (const std::string &pass : passes)
    names += (names.empty() ? "" : ",") + pass;
  verdict.guilty = {names, relation, text, levels->text(levels->position())};
  return {};
}

Status LevelChecker::compareLevels(std::unique_ptr<Program> next) {
  TILEWRIGHT_ASSIGN_OR_RETURN(Match match, matchPrograms(*program, *next));
  Comparison comparison(*program, *next, match, relation);
  PassEvidence &evidence = verdict.passes.back();
  if (Status known = comparison.check(); !known.ok()) {
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason = known.message();
  } else {
    evidence.kind = PassEvidence::Kind::tested;
    const auto start = Clock::now();
    for (const TestCase &test : cases) {
      const unsigned order = unsigned(evidence.cases % next->orderCount());
      TILEWRIGHT_ASSIGN_OR_RETURN(Comparison::Result result,
                                  comparison.compare(test.inputs, order));
      evidence.cases += result.isDefined;
      if (result.difference)
        return blame(*next, test, order, *std::move(result.difference));
      if (Clock::now() - start > options.time * 2)
        break;
    }
  }
  program = std::move(next);
  text = levels->text(levels->position());
  passes.clear();
  relation = {};
  return {};
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
  StatusOr<std::unique_ptr<Program>> next = programOf(levels);
  if (next.ok())
    return compareLevels(*std::move(next));
  evidence.kind = PassEvidence::Kind::unchecked;
  evidence.reason = next.status().message();
  return {};
}

StatusOr<LevelsVerdict> LevelChecker::run() {
  TILEWRIGHT_RETURN_IF_ERROR(begin());
  TILEWRIGHT_RETURN_IF_ERROR(gatherCases());
  while (levels->position() < levels->passes().size() && !verdict.guilty) {
    if (options.isStopped && options.isStopped())
      return Status::cancelled("stopped");
    TILEWRIGHT_RETURN_IF_ERROR(step());
  }
  return std::move(verdict);
}

StatusOr<LevelsVerdict> checkLevels(const ModelSource &model,
                                    CompileModelOptions compile,
                                    const LevelOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels,
                              ModelLevels::open(model, std::move(compile)));
  return LevelChecker(std::move(levels), options).run();
}

} // namespace tilewright::verify
