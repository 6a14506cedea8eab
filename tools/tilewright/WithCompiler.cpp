//===- WithCompiler.cpp - What run needs of the compiler ------------------===//
#include "frontends/package/CompileModel.h"
#include "frontends/package/TensorProto.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"

namespace tilewright::tool {

Status
compileForRun(const std::string &model, const std::filesystem::path &package,
              const std::map<std::string, std::vector<int64_t>> &shapes) {
  CompileModelOptions options;
  options.inputShapes = shapes;
  options.progress = terminalProgress();
  return compileModel(model, package, options).status();
}

StatusOr<runtime::HostTensor> readProto(const std::filesystem::path &path) {
  return readTensorProto(path);
}

} // namespace tilewright::tool
