#include "verify/validate/Reduce.h"

#include "library/model/ModelLevels.h"
#include "verify/validate/Windows.h"

using namespace mlir;

namespace tilewright::verify {

using Clock = std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds mostTime(40);

class Reducer {
public:
  Reducer(const std::string &text, const std::string &name, size_t passes,
          const LevelOptions &given)
      : name(name), options(given), best(text) {
    options.mostPasses = passes;
    options.reduces = false;
    // Where the bound of a loop is left out, it may have no end.
    options.timeOfRun = std::chrono::duration<double>(0.2);
  }
  std::string run();

private:
  StatusOr<std::unique_ptr<ModelLevels>> openBest() const;
  bool isWrong(const std::string &text) const;
  bool keep(ModelLevels &levels, ModuleOp module);
  bool takeWindow(unsigned count);
  bool takeKernel();
  bool leaveOut(size_t ops);
  [[nodiscard]] bool isOver() const {
    return Clock::now() > end || (options.isStopped && options.isStopped());
  }

  const std::string &name;
  LevelOptions options;
  std::string best;
  const Clock::time_point end = Clock::now() + mostTime;
};

} // namespace

/// How programs are compiled here.
static CompileModelOptions compileOptions() {
  CompileModelOptions options;
  options.threads = 1;
  return options;
}

StatusOr<std::unique_ptr<ModelLevels>> Reducer::openBest() const {
  return ModelLevels::open(ModelSource::memory(name, best), compileOptions());
}

/// Whether the passes break their relation on this program.
bool Reducer::isWrong(const std::string &text) const {
  StatusOr<LevelsVerdict> verdict =
      checkLevels(ModelSource::memory(name, text), compileOptions(), options);
  return verdict.ok() && verdict->guilty;
}

/// Takes the program of `module` if the passes get it wrong.
bool Reducer::keep(ModelLevels &levels, ModuleOp module) {
  std::string text = levels.text(module, levels.position());
  if (!isWrong(text))
    return false;
  best = std::move(text);
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
    if (window && keep(**levels, *window))
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
    if (!isOver() && keep(**levels, *kernel))
      return true;
  return false;
}

/// Leaves out some of so many ops at once.
bool Reducer::leaveOut(size_t ops) {
  StatusOr<std::unique_ptr<ModelLevels>> levels = openBest();
  return levels.ok() &&
         forEachSmaller((*levels)->module(), ops, [&](ModuleOp smaller) {
           return isOver() || keep(**levels, smaller);
         });
}

std::string Reducer::run() {
  for (unsigned count : {0, 1, 2, 4, 8})
    if (takeWindow(count))
      break;
  takeKernel();
  for (size_t ops = 128; ops > 0; ops /= 2)
    while (!isOver() && leaveOut(ops))
      ;
  return std::move(best);
}

std::string reduceProgram(const std::string &text, const std::string &name,
                          size_t passes, const LevelOptions &options) {
  return Reducer(text, name, passes, options).run();
}

} // namespace tilewright::verify
