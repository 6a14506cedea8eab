#include "verify/validate/Reduce.h"

#include "library/model/ModelLevels.h"
#include "verify/validate/CpuTime.h"
#include "verify/validate/Smaller.h"
#include "verify/validate/Windows.h"

using namespace mlir;

namespace tilewright::verify {

namespace {

/// Seconds of CPU time.
constexpr double mostTime = 40;

class Reducer {
public:
  Reducer(const std::string &text, const ModelLevels &original, size_t passes,
          const LevelOptions &given, Replay replay)
      : original(original), options(given), best(text),
        replay(std::move(replay)) {
    options.mostPasses = passes;
    options.reduces = false;
    options.time = std::min<std::chrono::duration<double>>(
        options.time, std::chrono::milliseconds(100));
    options.cases = std::min<int64_t>(options.cases, 24);
    options.end.reset();
    // Where the bound of a loop is left out, it may have no end.
    options.timeOfRun = std::chrono::duration<double>(0.2);
  }
  std::string run();

private:
  CompileModelOptions compileOptions() const;
  StatusOr<std::unique_ptr<ModelLevels>> openBest() const;
  std::optional<Counterexample> check(const std::string &text, bool replays);
  bool keep(ModelLevels &levels, ModuleOp module, bool replays);
  bool takeWindow(unsigned count);
  bool takeKernel();
  bool leaveOut(size_t ops);
  bool fold();
  bool straighten();
  [[nodiscard]] bool isOver() const {
    return cpuSeconds() > end || (options.isStopped && options.isStopped());
  }

  /// The name, and plug-ins.
  const ModelLevels &original;
  LevelOptions options;
  std::string best;
  /// A run on which the passes get `best` wrong.
  Replay replay;
  const double end = cpuSeconds() + mostTime;
};

} // namespace

CompileModelOptions Reducer::compileOptions() const {
  CompileModelOptions own;
  own.threads = 1;
  own.plugins = original.compileOptions().plugins;
  return own;
}

StatusOr<std::unique_ptr<ModelLevels>> Reducer::openBest() const {
  return ModelLevels::open(ModelSource::memory(original.name(), best),
                           compileOptions());
}

/// Where the passes break their relation on this program: on the known run, or
/// on others.
std::optional<Counterexample> Reducer::check(const std::string &text,
                                             bool replays) {
  options.replay.reset();
  if (replays)
    options.replay = replay;
  StatusOr<LevelsVerdict> verdict = checkLevels(
      ModelSource::memory(original.name(), text), compileOptions(), options);
  if (!verdict.ok() || !verdict->guilty)
    return std::nullopt;
  return std::move(verdict->counterexample);
}

/// Takes the program of `module` if the passes get it wrong. Its arguments are
/// the same ones if it `replays` the known run.
bool Reducer::keep(ModelLevels &levels, ModuleOp module, bool replays) {
  std::string text = levels.text(module, levels.position());
  // The body of a named op is no part of its text.
  if (text == best)
    return false;
  std::optional<Counterexample> found = check(text, replays);
  if (!found)
    return false;
  best = std::move(text);
  replay = {std::move(found->inputs), found->order};
  return true;
}

/// The first op that is wrong with at most so many before it.
bool Reducer::takeWindow(unsigned count) {
  StatusOr<std::unique_ptr<ModelLevels>> levels = openBest();
  if (!levels.ok())
    return false;
  StatusOr<func::FuncOp> graph = (*levels)->graph();
  if (!graph.ok() || !*graph)
    return false;
  for (Operation &op : graph->front()) {
    if (isOver())
      break;
    OwningOpRef<ModuleOp> window = extractWindow(*graph, &op, count);
    if (window && keep(**levels, *window, false))
      return true;
  }
  return false;
}

bool Reducer::takeKernel() {
  StatusOr<std::unique_ptr<ModelLevels>> levels = openBest();
  if (!levels.ok())
    return false;
  for (const OwningOpRef<ModuleOp> &kernel :
       extractKernels((*levels)->module()))
    if (!isOver() && keep(**levels, *kernel, false))
      return true;
  return false;
}

/// Leaves out some of so many ops at once.
bool Reducer::leaveOut(size_t ops) {
  StatusOr<std::unique_ptr<ModelLevels>> levels = openBest();
  return levels.ok() &&
         forEachSmaller((*levels)->module(), ops, [&](ModuleOp smaller) {
           return isOver() || keep(**levels, smaller, true);
         });
}

/// Folds what has become constant.
bool Reducer::fold() {
  StatusOr<std::unique_ptr<ModelLevels>> levels = openBest();
  if (!levels.ok())
    return false;
  OwningOpRef<ModuleOp> folded = foldProgram((*levels)->module());
  return folded && !isOver() && keep(**levels, *folded, true);
}

/// Takes one of the two ways at a branch.
bool Reducer::straighten() {
  StatusOr<std::unique_ptr<ModelLevels>> levels = openBest();
  return levels.ok() &&
         forEachStraighter((*levels)->module(), [&](ModuleOp straight) {
           return isOver() || keep(**levels, straight, true);
         });
}

std::string Reducer::run() {
  for (unsigned count : {0, 1, 2, 4, 8})
    if (takeWindow(count))
      break;
  takeKernel();
  fold();
  while (!isOver() && straighten())
    ;
  for (size_t ops = 128; ops > 0; ops /= 2)
    while (!isOver() && leaveOut(ops))
      fold();
  return std::move(best);
}

std::string reduceProgram(const std::string &text, const ModelLevels &levels,
                          size_t passes, const LevelOptions &options,
                          Replay replay) {
  return Reducer(text, levels, passes, options, std::move(replay)).run();
}

} // namespace tilewright::verify
