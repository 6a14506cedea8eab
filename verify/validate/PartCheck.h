// One part of a model, judged on what it reads in a run of the model.
#pragma once

#include "verify/validate/KernelCheck.h"
#include "verify/validate/ModelParts.h"

namespace tilewright::verify {

/// What stands for all passes on the graph together.
inline constexpr const char *graphPasses = "all passes on the graph";

/// What came of a run of one program.
struct Probe {
  Outcome outcome;
  double seconds = 0;
};

/// One part of a model, judged. For one thread.
class PartChecker {
public:
  PartChecker(const ModelPart &part, std::string text, std::string name,
              const std::shared_ptr<const Plugins> &plugins,
              const ModelCheckOptions &options,
              std::chrono::duration<double> time)
      : part(part), text(std::move(text)), name(std::move(name)),
        plugins(plugins), options(options), time(time) {}
  /// The part behind each of its next passes.
  StatusOr<LevelsVerdict> run(size_t mostPasses);
  /// The part, a graph, and another one that is what passes made of it in the
  /// model: `reads` as in KernelParts. Both may
  /// turn out not to be the same computation, so that a difference is none of a
  /// pass: the evidence is then `unchecked`, with what was found.
  StatusOr<PassEvidence>
  compareWith(PartChecker &after,
              const std::vector<std::optional<size_t>> &reads,
              const Relation &relation);

private:
  [[nodiscard]] StatusOr<std::shared_ptr<ModelLevels>> open() const;
  StatusOr<Probe> probe(const std::shared_ptr<ModelLevels> &levels,
                        const Sample &sample) const;
  Status choosePrograms(const std::shared_ptr<ModelLevels> &levels);
  Status chooseElements();
  Status chooseSample(size_t mostPasses);
  /// More would not say much more.
  [[nodiscard]] double secondsOfLevel() const {
    return std::min(time.count() / 60, 0.2);
  }

  [[nodiscard]] CompileModelOptions compileOptions() const {
    CompileModelOptions compile;
    compile.threads = 1;
    compile.plugins = plugins;
    return compile;
  }

  const ModelPart &part;
  /// As a file of --stop-after.
  const std::string text, name;
  const std::shared_ptr<const Plugins> &plugins;
  const ModelCheckOptions &options;
  const std::chrono::duration<double> time;
  Sample sample;
};

} // namespace tilewright::verify
