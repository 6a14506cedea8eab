#include "verify/validate/KernelCheck.h"

#include "support/Threads.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/PartCheck.h"
#include "verify/validate/PassRelations.h"
#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace tilewright::verify {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;
using Kind = PassEvidence::Kind;

//===--- Evidence ---------------------------------------------------------===//

int64_t KernelEvidence::count(Kind kind) const {
  return std::ranges::count(passes, kind, &PassEvidence::kind);
}

int64_t KernelEvidence::cases() const {
  int64_t least = INT64_MAX;
  for (const PassEvidence &pass : passes)
    if (pass.kind == Kind::tested)
      least = std::min(least, pass.cases);
  return least == INT64_MAX ? 0 : least;
}

double KernelEvidence::share() const {
  double least = cases() == 0 ? 0 : 1;
  for (const PassEvidence &pass : passes)
    if (pass.kind == Kind::tested)
      least = std::min(least, pass.share);
  return least;
}

//===--- All kernels ------------------------------------------------------===//

namespace {

class KernelsChecker {
public:
  KernelsChecker(std::shared_ptr<ModelLevels> levels,
                 std::shared_ptr<const Plugins> plugins, ModelParts parts,
                 const ModelCheckOptions &options)
      : levels(std::move(levels)), plugins(std::move(plugins)),
        parts(std::move(parts)), options(options),
        time(options.time.value_or(Seconds(75))) {}
  StatusOr<ModelVerdict> run();

private:
  /// One of the two parts of a kernel.
  void checkPart(const ModelPart &part, size_t mostPasses, Seconds time,
                 size_t number);
  PartChecker checkerOf(const ModelPart &part, Seconds time);
  void compareParts(const KernelParts &kernel, Seconds time, size_t number);
  void checkKernel(size_t number);
  void leaveOutLaunches();
  Seconds timeForNext();
  [[nodiscard]] bool isStopped() const {
    return options.isStopped && options.isStopped();
  }

  const std::shared_ptr<ModelLevels> levels;
  const std::shared_ptr<const Plugins> plugins;
  const ModelParts parts;
  const ModelCheckOptions &options;
  const Seconds time;
  const Clock::time_point start = Clock::now();
  const size_t threads =
      options.threads ? options.threads
                      : std::max(1U, std::thread::hardware_concurrency());
  std::mutex mutex;
  size_t left = 0;
  ModelVerdict verdict;
};

} // namespace

/// A share of what is left.
Seconds KernelsChecker::timeForNext() {
  const std::lock_guard lock(mutex);
  const Seconds rest = time - (Clock::now() - start);
  const double own = rest.count() * double(std::min(threads, left)) /
                     double(std::max<size_t>(left, 1));
  left -= left > 0;
  return Seconds(std::max(0.1, own));
}

PartChecker KernelsChecker::checkerOf(const ModelPart &part, Seconds time) {
  // All parts are in one context.
  const std::lock_guard lock(mutex);
  return PartChecker(part, levels->text(*part.module, part.position),
                     levels->name(), plugins, options, time);
}

/// The passes on graphs, in the model and not in the part alone.
void KernelsChecker::compareParts(const KernelParts &kernel, Seconds time,
                                  size_t number) {
  Relation relation;
  for (size_t i = 0; i < parts.groupsAt; ++i)
    relation = combine(relation,
                       passRelation(levels->passes().flag(i), plugins.get()));
  PassEvidence unchecked;
  unchecked.pass = graphPasses;
  unchecked.relation = relation;
  unchecked.kind = Kind::unchecked;
  unchecked.reason = "the kernel reads other tensors than the ops at its "
                     "location";
  auto add = [&](PassEvidence evidence) {
    const std::lock_guard lock(mutex);
    verdict.kernels[number].passes.push_back(std::move(evidence));
  };
  if (!kernel.reads)
    return add(std::move(unchecked));
  PartChecker before = checkerOf(*kernel.source, time);
  PartChecker after = checkerOf(*kernel.group, time);
  StatusOr<PassEvidence> found =
      before.compareWith(after, *kernel.reads, relation);
  if (found.ok())
    return add(*std::move(found));
  unchecked.reason = found.status().message();
  add(std::move(unchecked));
}

void KernelsChecker::checkPart(const ModelPart &part, size_t mostPasses,
                               Seconds time, size_t number) {
  StatusOr<LevelsVerdict> found = checkerOf(part, time).run(mostPasses);
  const std::lock_guard lock(mutex);
  KernelEvidence &kernel = verdict.kernels[number];
  if (!found.ok()) {
    kernel.reason +=
        (kernel.reason.empty() ? "" : "; ") + found.status().message();
    return;
  }
  kernel.passes.insert(kernel.passes.end(), found->passes.begin(),
                       found->passes.end());
  if (!found->guilty ||
      (verdict.guiltyKernel && *verdict.guiltyKernel <= number))
    return;
  verdict.guiltyKernel = number;
  verdict.levels = *std::move(found);
}

void KernelsChecker::checkKernel(size_t number) {
  const KernelParts &kernel = parts.kernels[number];
  const Seconds time = timeForNext();
  if (kernel.source)
    checkPart(*kernel.source, parts.groupsAt, time / 8, number);
  const bool isGuilty = [&] {
    const std::lock_guard lock(mutex);
    return verdict.guiltyKernel == number;
  }();
  if (kernel.source && kernel.group && !isGuilty)
    compareParts(kernel, time / 8, number);
  if (kernel.group && !isGuilty)
    checkPart(*kernel.group, SIZE_MAX, time * 0.75, number);
}

/// Further launches of the same kernel.
void KernelsChecker::leaveOutLaunches() {
  std::vector<KernelEvidence> kernels;
  const std::optional<size_t> guilty = verdict.guiltyKernel;
  for (size_t i = 0; i < verdict.kernels.size(); ++i) {
    if (guilty == i)
      verdict.guiltyKernel = kernels.size();
    if (verdict.kernels[i].sameAs != verdict.kernels[i].kernel)
      kernels.push_back(std::move(verdict.kernels[i]));
  }
  verdict.kernels = std::move(kernels);
}

StatusOr<ModelVerdict> KernelsChecker::run() {
  verdict.targets = parts.targets;
  std::map<std::string, size_t> first;
  std::vector<size_t> own;
  for (size_t i = 0; i < parts.kernels.size(); ++i) {
    const KernelParts &kernel = parts.kernels[i];
    verdict.kernels.push_back({kernel.kernel, {}, {}, kernel.reason});
    const std::string key = (kernel.source ? kernel.source->key : "") +
                            (kernel.group ? kernel.group->key : "");
    const auto [found, isNew] = first.try_emplace(key, i);
    if (isNew)
      own.push_back(i);
    else
      verdict.kernels.back().sameAs = parts.kernels[found->second].kernel;
  }
  left = own.size();
  std::atomic<size_t> next = 0;
  shareWork(std::min(threads, own.size()), [&] {
    for (size_t i; (i = next.fetch_add(1)) < own.size() && !isStopped();)
      checkKernel(own[i]);
  });
  if (isStopped())
    return Status::cancelled("stopped");
  leaveOutLaunches();
  return std::move(verdict);
}

StatusOr<bool> isLarge(const std::shared_ptr<ModelLevels> &levels,
                       const std::vector<runtime::HostTensor> &inputs) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto program,
                              programOf(levels, std::chrono::seconds(1)));
  TILEWRIGHT_ASSIGN_OR_RETURN(const Outcome outcome, program->run(inputs, 0));
  return outcome.kind == Outcome::Kind::unfinished;
}

static StatusOr<ModelVerdict>
checkWhole(std::shared_ptr<ModelLevels> levels,
           std::vector<runtime::HostTensor> inputs,
           const ModelCheckOptions &options) {
  LevelOptions own;
  own.seed = options.seed;
  own.time = options.time.value_or(own.time);
  own.isStopped = options.isStopped;
  own.hook = options.hook;
  own.runsCode = options.resume || !levels->goesOn();
  if (!options.inputs.empty())
    own.inputs = std::move(inputs);
  ModelVerdict verdict;
  TILEWRIGHT_ASSIGN_OR_RETURN(verdict.levels,
                              checkLevels(std::move(levels), own));
  verdict.targets = verdict.levels.targets;
  return verdict;
}

StatusOr<ModelVerdict> checkModel(const ModelSource &model,
                                  CompileModelOptions compile,
                                  const ModelCheckOptions &options) {
  const std::shared_ptr<const Plugins> plugins = compile.plugins;
  TILEWRIGHT_ASSIGN_OR_RETURN(auto opened,
                              ModelLevels::open(model, std::move(compile)));
  const std::shared_ptr<ModelLevels> levels = std::move(opened);
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, levels->graph());
  std::vector<runtime::HostTensor> inputs;
  bool byKernel = options.byKernel;
  if (graph || !options.inputs.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(inputs, modelInputs(levels, options.inputs));
  }
  const bool runsCode = options.resume || !levels->goesOn();
  if (byKernel && !runsCode)
    return needsResume(*levels);
  if (graph && !byKernel && runsCode) {
    TILEWRIGHT_ASSIGN_OR_RETURN(byKernel, isLarge(levels, inputs));
  }
  if (!byKernel)
    return checkWhole(levels, std::move(inputs), options);
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelParts parts,
                              takeApart(levels, std::move(inputs)));
  return KernelsChecker(levels, plugins, std::move(parts), options).run();
}

} // namespace tilewright::verify
