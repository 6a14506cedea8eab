#include "verify/validate/OpenProgram.h"

#include "verify/validate/GraphProgram.h"
#include "verify/validate/PackageProgram.h"
#include "verify/validate/ReadHints.h"

namespace tilewright::verify {

StatusOr<std::unique_ptr<Program>>
programOf(const std::shared_ptr<ModelLevels> &levels, RunTime mostTime,
          const Sample &sample) {
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, levels->graph());
  if (graph)
    return makeGraphProgram(levels, graph, mostTime, sample);
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package, levels->package());
  return makePackageProgram(std::move(package), readHints(levels->module()),
                            mostTime, sample.programs);
}

StatusOr<std::unique_ptr<Program>>
openProgram(const std::filesystem::path &file,
            const std::shared_ptr<const Plugins> &plugins) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    TILEWRIGHT_ASSIGN_OR_RETURN(auto package, runtime::Package::load(file));
    return makePackageProgram(std::move(package), {});
  }
  CompileModelOptions options;
  options.cpu.reset();
  options.interpreter = true;
  options.threads = 1;
  options.plugins = plugins;
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source, ModelSource::file(file));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto levels,
                              ModelLevels::open(source, std::move(options)));
  return programOf(std::move(levels));
}

Status needsResume(const ModelLevels &levels) {
  return Status::invalidInput(levels.name() +
                              ": is a file of --stop-after, which is code; "
                              "give --resume to run it on this machine");
}

} // namespace tilewright::verify
