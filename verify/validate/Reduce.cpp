#include "verify/validate/Reduce.h"

#include "library/model/ModelLevels.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/Windows.h"

using namespace mlir;

namespace tilewright::verify {

using Clock = std::chrono::steady_clock;

namespace {

class Reducer {
public:
  Reducer(const std::string &text, const std::string &name,
          const ReduceOptions &options)
      : name(name), options(options), best(text),
        end(Clock::now() +
            std::chrono::duration_cast<Clock::duration>(options.time)) {}
  std::string run();

private:
  StatusOr<std::unique_ptr<ModelLevels>> open(const std::string &text) const;
  StatusOr<bool> isWrong(const std::string &text) const;
  bool keep(ModelLevels &levels, ModuleOp module);
  bool takeWindow(unsigned count);
  bool takeKernel();
  bool leaveOpOut();
  [[nodiscard]] bool isOver() const {
    return Clock::now() > end || (options.isStopped && options.isStopped());
  }

  const std::string &name;
  const ReduceOptions &options;
  std::string best;
  const Clock::time_point end;
};

} // namespace

StatusOr<std::unique_ptr<ModelLevels>>
Reducer::open(const std::string &text) const {
  CompileModelOptions compile;
  compile.threads = 1;
  return ModelLevels::open(ModelSource::memory(name, text), compile);
}

/// Whether the passes break their relation on this program.
StatusOr<bool> Reducer::isWrong(const std::string &text) const {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto own, open(text));
  std::shared_ptr<ModelLevels> levels = std::move(own);
  levels->setHook(options.hook);
  TILEWRIGHT_ASSIGN_OR_RETURN(auto before, programOf(levels));
  for (size_t i = 0; i < options.passes; ++i) {
    TILEWRIGHT_RETURN_IF_ERROR(levels->advance().status());
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(auto after, programOf(levels));
  SearchOptions search;
  search.relation = options.relation;
  search.seed = options.seed;
  search.time = search.mostTime = options.timeOfOne;
  search.leastCases = 1;
  search.mostCases = 150;
  TILEWRIGHT_ASSIGN_OR_RETURN(Verdict verdict,
                              findDifference(*before, *after, search));
  return !verdict.isEquivalent();
}

/// Takes the program of `module` if the passes get it wrong.
bool Reducer::keep(ModelLevels &levels, ModuleOp module) {
  std::string text = levels.textOf(module);
  StatusOr<bool> wrong = isWrong(text);
  if (!wrong.ok() || !*wrong)
    return false;
  best = std::move(text);
  return true;
}

/// The first op that is wrong with at most so many before it.
bool Reducer::takeWindow(unsigned count) {
  StatusOr<std::unique_ptr<ModelLevels>> levels = open(best);
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
  StatusOr<std::unique_ptr<ModelLevels>> levels = open(best);
  if (!levels.ok())
    return false;
  for (const OwningOpRef<ModuleOp> &kernel :
       extractKernels((*levels)->module()))
    if (!isOver() && keep(**levels, *kernel))
      return true;
  return false;
}

bool Reducer::leaveOpOut() {
  StatusOr<std::unique_ptr<ModelLevels>> levels = open(best);
  return levels.ok() &&
         forEachSmaller((*levels)->module(), [&](ModuleOp smaller) {
           return isOver() || keep(**levels, smaller);
         });
}

std::string Reducer::run() {
  for (unsigned count : {0, 1, 2, 4, 8})
    if (takeWindow(count))
      break;
  takeKernel();
  while (!isOver() && leaveOpOut())
    ;
  return std::move(best);
}

std::string reduceProgram(const std::string &text, const std::string &name,
                          const ReduceOptions &options) {
  return Reducer(text, name, options).run();
}

} // namespace tilewright::verify
