//===- WithCompiler.cpp - What commands need of the compiler --------------===//
#include "codegen/layout/Draw.h"
#include "codegen/layout/Text.h"
#include "frontends/onnx/TensorProto.h"
#include "tilewright/compiler/ModelKind.h"
#include "tilewright/mlir/Registry.h"
#include "tools/tilewright/CompileArguments.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Interrupt.h"
#include "tools/tilewright/ModelCache.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/Usage.h"

#include <fstream>

namespace tilewright::tool {

StatusOr<std::shared_ptr<const Plugins>>
loadPlugins(const std::vector<std::string> &files) {
  if (files.empty())
    return std::shared_ptr<const Plugins>();
  std::vector<std::filesystem::path> paths(files.begin(), files.end());
  return Plugins::load(paths);
}

bool addsTarget(const Plugins *plugins, const std::string &target) {
  return plugins && plugins->registry().findTarget(target);
}

/// The first that code is made for.
static std::optional<std::string>
targetOf(const std::vector<std::string> &targets, const Plugins *plugins) {
  for (const std::string &target : targets) {
    if (target == "any")
      return "cpu"; // The null device looks at nothing.
    if (target == "cpu" || target == "interpreter" ||
        target::findGpuTarget(target) || addsTarget(plugins, target))
      return target;
  }
  return std::nullopt;
}

/// None where it cannot be read: the compilation reports why.
static std::optional<ModelKind> kindOf(const std::filesystem::path &model,
                                       const Plugins *plugins) {
  StatusOr<ModelSource> source = ModelSource::file(model);
  if (!source.ok())
    return std::nullopt;
  StatusOr<ModelKind> kind = kindOf(*source, plugins);
  return kind.ok() ? std::optional(*std::move(kind)) : std::nullopt;
}

bool isKernelFile(const std::filesystem::path &path, const Plugins *plugins) {
  std::optional<ModelKind> kind = kindOf(path, plugins);
  return kind && kind->isKernel;
}

bool needsShapes(const std::filesystem::path &model, const Plugins *plugins) {
  std::optional<ModelKind> kind = kindOf(model, plugins);
  return kind && kind->needsShapes;
}

Status compileForRun(const std::string &model,
                     const std::filesystem::path &package,
                     const CompileForRun &how, const RunInputs &inputs) {
  CompileModelOptions options;
  options.plugins = how.plugins;
  std::vector<std::string> targets;
  for (const std::vector<std::string> &device : how.targets) {
    std::optional<std::string> target = targetOf(device, how.plugins.get());
    if (!target)
      return Status::unsupported("there is no compiler for " + joined(device));
    targets.push_back(*target);
  }
  readTargets(targets, options);
  options.lineInfo = how.lineInfo;
  options.fastMath = how.fastMath;
  options.precision = how.precision;
  options.onlyKernel = how.kernel;
  // Those of other models are of this run alone.
  if (needsShapes(model, how.plugins.get()))
    options.inputShapes = inputs.shapes;
  options.inputValues = inputs.tensors;
  if (inputs.fixShapes)
    for (const auto &[name, tensor] : inputs.tensors)
      options.inputShapes.try_emplace(name, tensor.shape().begin(),
                                      tensor.shape().end());
  options.progress = terminalProgress();
  TILEWRIGHT_ASSIGN_OR_RETURN(options.cache, openModelCache());
  Interrupt interrupt;
  options.stop = interrupt.token();
  return compileModel(model, package, options).status();
}

StatusOr<std::string> describeLayout(const std::string &text,
                                     const std::string &svg,
                                     unsigned elementBits) {
  TILEWRIGHT_ASSIGN_OR_RETURN(layout::Layout layout, layout::parse(text));
  layout::DrawOptions options;
  options.elementBits = elementBits;
  if (!svg.empty()) {
    std::ofstream file(svg, std::ios::binary);
    file << layout::drawSvg(layout, options);
    file.close();
    if (!file)
      return Status::ioError("cannot write " + svg);
  }
  return layout::describe(layout) + layout::drawTable(layout, options);
}

StatusOr<runtime::HostTensor> readProto(const std::filesystem::path &path) {
  return readTensorProto(path);
}

StatusOr<std::vector<runtime::HostTensor>>
readSequence(const std::filesystem::path &path) {
  return readSequenceProto(path);
}

} // namespace tilewright::tool
