//===- VerifyEvidence.cpp - Evidence for a package ------------------------===//
#include "support/Format.h"
#include "tilewright/compiler/CompileModel.h"
#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/VerifyKernels.h"

#include <ctime>

namespace tilewright::tool {

/// Compares the code of a package for a target with that of another one.
static Status compareCode(const runtime::Package &package,
                          const runtime::Package &compiled,
                          const std::string &target, const std::string &model) {
  const auto &files = package.manifest().files;
  bool hasKernels = false;
  for (const runtime::KernelManifest &kernel : package.manifest().kernels)
    hasKernels |= kernel.target == target;
  if (!hasKernels && !compiled.manifest().kernels.empty())
    return Status::invalidInput(
        format("{}: has no kernels for {}", {package.path().string(), target}));
  for (const runtime::KernelManifest &kernel : compiled.manifest().kernels) {
    const auto found = files.find(kernel.image);
    if (found != files.end() &&
        found->second == compiled.manifest().files.at(kernel.image))
      continue;
    return Status::invalidInput(
        format("{}: {} is not what {} compiles to for {}\n  evidence is of "
               "packages that this version compiles without other options",
               {package.path().string(), kernel.image, model, target}));
  }
  return {};
}

Status checkIsPackageOf(const VerifyArguments &arguments,
                        const std::shared_ptr<const Plugins> &plugins) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto package,
                              runtime::Package::load(arguments.evidence));
  for (const std::string &target : arguments.targets) {
    CompileModelOptions compile;
    compile.plugins = plugins;
    compile.precision = arguments.precision;
    readTargets({target}, compile);
    TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source,
                                ModelSource::file(arguments.before));
    TILEWRIGHT_ASSIGN_OR_RETURN(CompiledModel compiled,
                                compileModelInMemory(source, compile));
    TILEWRIGHT_RETURN_IF_ERROR(
        compareCode(*package, *compiled.package, target, arguments.before));
  }
  return {};
}

/// "2026-02-28T12:30:00Z".
static std::string now() {
  const std::time_t time = std::time(nullptr);
  std::tm parts{};
  char text[32];
  gmtime_r(&time, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

Status writeEvidence(const VerifyArguments &arguments, Evidence evidence) {
  evidence.producer = "tilewright " TILEWRIGHT_VERSION;
  evidence.date = now();
  evidence.model = std::filesystem::path(arguments.before).filename().string();
  TILEWRIGHT_ASSIGN_OR_RETURN(evidence.modelHash, hashFile(arguments.before));
  TILEWRIGHT_ASSIGN_OR_RETURN(evidence.files, hashFiles(arguments.evidence));
  for (TargetRecord &target : evidence.targets)
    for (KernelRecord &kernel : target.kernels)
      std::erase_if(kernel.passes, [](const PassRecord &pass) {
        return pass.evidence == "unchanged";
      });
  return writeEvidence(evidence, arguments.evidence);
}

} // namespace tilewright::tool
