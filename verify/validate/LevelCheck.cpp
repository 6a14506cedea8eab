#include "verify/validate/LevelCheck.h"

#include "codegen/tilegpu/TileGpu.h"
#include "graph/ir/Graph.h"
#include "library/model/ModelLevels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "support/Format.h"
#include "tilewright/mlir/Tile.h"
#include "verify/validate/Compare.h"
#include "verify/validate/LevelCases.h"
#include "verify/validate/LlvmBisect.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/PackageProgram.h"
#include "verify/validate/PassRelations.h"
#include "verify/validate/Reduce.h"
#include "verify/validate/Shrink.h"

namespace tilewright::verify {

using runtime::HostTensor;
using Clock = std::chrono::steady_clock;

namespace {

class LevelChecker {
public:
  LevelChecker(std::shared_ptr<ModelLevels> levels, const LevelOptions &options)
      : levels(std::move(levels)), options(options) {}
  StatusOr<LevelsVerdict> run();

private:
  Status begin();
  PassEvidence &addEvidence(size_t pass);
  Status step();
  Status compareLevels(std::unique_ptr<Program> next);
  StatusOr<bool> runCases(Program &next, Comparison &comparison,
                          const Match &match);
  StatusOr<Comparison::Result> judge(Program &next, Comparison &comparison,
                                     size_t number, const Outcome &outcome,
                                     unsigned order);
  Status checkCode();
  Status findLlvmPass();
  void skipRest(size_t last);
  void keepLevel();
  Status blame(Program &next, const TestCase &test, unsigned order,
               Counterexample found);

  const std::shared_ptr<ModelLevels> levels;
  const LevelOptions &options;
  /// The last level that can be executed, and as a module; how many passes led
  /// there, and those since then that changed something.
  std::shared_ptr<Program> program;
  /// The last one that knows which other results are permitted; may be null.
  std::shared_ptr<Program> free;
  /// Whether kernels of that one leave something open even where passes are
  /// exact.
  bool leavesOpen = false;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  size_t position = 0;
  std::vector<std::string> passes;
  Relation relation;
  /// Whether the last samples have no element in common.
  bool sharesNothing = false;
  /// What `program` runs on, and what it came to.
  LevelCases cases;
  LevelsVerdict verdict;
};

} // namespace

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

/// Whether the kernels are still those of the tile level.
static bool areTiles(mlir::ModuleOp module) {
  bool areTiles = true;
  for (mlir::Operation &op : *module.getBody())
    if (mlir::isa<graph::CpuCodeOp, graph::GpuCodeOp>(op))
      op.walk([&](mlir::Operation *inner) {
        areTiles &= !inner->hasAttr(tile::TileDialect::kSignatureAttr);
        areTiles &= !mlir::isa_and_present<tilegpu::TileGpuDialect>(
            inner->getDialect());
      });
  return areTiles;
}

/// Whether an op has several results by its specification: atomics have no
/// order, and the greater of -0 and 0 is either of them.
static bool hasOpenOps(mlir::ModuleOp module) {
  return module
      .walk([](mlir::Operation *op) {
        auto memory = mlir::dyn_cast<tile::MemoryOrderOpInterface>(op);
        return (memory && memory.isAtomicUpdate()) ||
                       mlir::isa<mlir::arith::MaxNumFOp,
                                 mlir::arith::MinNumFOp>(op)
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Keeps the level that `program` executes.
void LevelChecker::keepLevel() {
  if (program->hasFreedom() && areTiles(levels->module())) {
    free = program;
    leavesOpen = hasOpenOps(levels->module());
  }
  module = levels->module().clone();
  position = levels->position();
}

Status LevelChecker::begin() {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      program, programOf(levels, options.timeOfRun, options.sample));
  keepLevel();
  verdict.signature = program->signature();
  verdict.targets = levels->targets();
  TILEWRIGHT_ASSIGN_OR_RETURN(cases, gatherCases(*program, options));
  return {};
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
  if (test.sizes.size() == cases.space.count()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        verdict.counterexample,
        shrink(comparison, cases.space, test.sizes, order,
               *std::move(verdict.counterexample), options.time * 4));
  }
  verdict.guilty->reproducer = reduceProgram(
      text, *levels, levels->position() - position, options,
      {verdict.counterexample->inputs, verdict.counterexample->order});
  return {};
}

/// Compares a run with that of the level before. Where a pass changes inner
/// results a little, those that follow may differ by more than it says, and
/// where ops leave their results open, any level: such results are right if the
/// last level that knows it permits them.
StatusOr<Comparison::Result>
LevelChecker::judge(Program &next, Comparison &comparison, size_t number,
                    const Outcome &outcome, unsigned order) {
  const std::vector<HostTensor> &inputs = cases.tests[number].inputs;
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Comparison::Result result,
      comparison.compare(inputs, cases.outcomes[number], outcome, order));
  const bool isExact = relation.kind == Relation::Kind::exact;
  if (!result.difference || (isExact && !leavesOpen) || !free ||
      free == program)
    return result;
  TILEWRIGHT_ASSIGN_OR_RETURN(const Match match, matchPrograms(*free, next));
  Comparison bounds(
      *free, next, match,
      {isExact ? Relation::Kind::reassociated : Relation::Kind::bounded});
  TILEWRIGHT_ASSIGN_OR_RETURN(const Outcome first, free->run(inputs, 0));
  return bounds.compare(inputs, first, outcome, order);
}

/// Runs the next level on the cases, as many as there is time for: those on
/// which the fewest levels have run, and those whose run was given up, are left
/// out of the next ones, too. Returns whether any are left; if not, all remain.
StatusOr<bool> LevelChecker::runCases(Program &next, Comparison &comparison,
                                      const Match &match) {
  PassEvidence &evidence = verdict.passes.back();
  const auto start = Clock::now();
  size_t kept = 0;
  for (size_t i = 0; i < cases.tests.size(); ++i) {
    const unsigned order = unsigned(
        (options.replay ? options.replay->order : i) % next.orderCount());
    TILEWRIGHT_ASSIGN_OR_RETURN(std::vector<HostTensor> own,
                                inputsOf(next, match, cases.tests[i].inputs,
                                         cases.outcomes[i].outputs));
    TILEWRIGHT_ASSIGN_OR_RETURN(Outcome outcome, next.run(own, order));
    if (evidence.kind == PassEvidence::Kind::tested) {
      TILEWRIGHT_ASSIGN_OR_RETURN(Comparison::Result result,
                                  judge(next, comparison, i, outcome, order));
      sharesNothing = result.isDefined && isEmpty(result);
      evidence.cases += result.isDefined && !sharesNothing;
      if (result.isDefined)
        evidence.share = std::min(evidence.share, shareOf(result));
      if (result.difference) {
        TILEWRIGHT_RETURN_IF_ERROR(
            blame(next, cases.tests[i], order, *std::move(result.difference)));
        return true;
      }
    }
    if (outcome.kind == Outcome::Kind::completed) {
      std::swap(cases.tests[kept], cases.tests[i]);
      cases.outcomes[kept++] = std::move(outcome);
    }
    if (Clock::now() - start >= options.time)
      break;
  }
  if (kept == 0)
    return false;
  cases.tests.resize(kept);
  cases.outcomes.resize(kept);
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
  TILEWRIGHT_RETURN_IF_ERROR(compareLevels(std::move(code)));
  if (verdict.guilty && options.reduces && passes.size() == 1)
    TILEWRIGHT_RETURN_IF_ERROR(findLlvmPass());
  return {};
}

/// Which of LLVM's passes makes the code wrong for the counterexample. Where
/// other code is not even made or run, nobody knows.
Status LevelChecker::findLlvmPass() {
  const Counterexample &found = *verdict.counterexample;
  TILEWRIGHT_ASSIGN_OR_RETURN(const Outcome before,
                              program->run(found.inputs, 0));
  StatusOr<std::optional<LlvmPass>> pass =
      bisectLlvm([&](const LlvmPassFilter &filter) -> StatusOr<bool> {
        if (options.isStopped && options.isStopped())
          return Status::cancelled("stopped");
        TILEWRIGHT_ASSIGN_OR_RETURN(
            auto package,
            levels->code(levels->module(), levels->position(), filter));
        TILEWRIGHT_ASSIGN_OR_RETURN(auto code,
                                    makePackageProgram(std::move(package), {}));
        TILEWRIGHT_ASSIGN_OR_RETURN(const Match match,
                                    matchPrograms(*program, *code));
        TILEWRIGHT_ASSIGN_OR_RETURN(
            const std::vector<HostTensor> own,
            inputsOf(*code, match, found.inputs, before.outputs));
        TILEWRIGHT_ASSIGN_OR_RETURN(const Outcome after,
                                    code->run(own, found.order));
        Comparison comparison(*program, *code, match, relation);
        TILEWRIGHT_ASSIGN_OR_RETURN(
            const Comparison::Result result,
            comparison.compare(found.inputs, before, after, found.order));
        return result.difference.has_value();
      });
  if (pass.ok())
    verdict.guilty->llvmPass = *std::move(pass);
  return {};
}

/// For that pass.
PassEvidence &LevelChecker::addEvidence(size_t pass) {
  const Plugins *plugins = levels->compileOptions().plugins.get();
  const std::string flag = levels->passes().flag(pass);
  PassEvidence &evidence = verdict.passes.emplace_back();
  evidence.pass = levels->passes().name(pass);
  evidence.relation = passRelation(flag, plugins);
  evidence.isDeclared = !declaresNone(flag, plugins);
  return evidence;
}

/// The next pass.
Status LevelChecker::step() {
  PassEvidence &evidence = addEvidence(levels->position());
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
    PassEvidence &evidence = addEvidence(i);
    evidence.kind = PassEvidence::Kind::unchecked;
    evidence.reason = "no time was left";
    passes.push_back(evidence.pass);
    relation = combine(relation, evidence.relation);
  }
}

StatusOr<LevelsVerdict> LevelChecker::run() {
  TILEWRIGHT_RETURN_IF_ERROR(begin());
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
