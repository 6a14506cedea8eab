//===- WithCompiler.cpp - What commands need of the compiler
//---------------===//
#include "codegen/layout/Draw.h"
#include "codegen/layout/Text.h"
#include "frontends/package/CompileModel.h"
#include "frontends/package/TensorProto.h"
#include "tools/tilewright/Compiler.h"
#include "tools/tilewright/Report.h"

#include <fstream>

namespace tilewright::tool {

Status compileForRun(const std::string &model,
                     const std::filesystem::path &package,
                     const std::string &device, const RunInputs &inputs) {
  CompileModelOptions options;
  if (device.substr(0, device.find(':')) == "interpreter") {
    options.cpu.reset();
    options.interpreter = true;
  }
  options.inputShapes = inputs.shapes;
  options.inputValues = inputs.tensors;
  if (inputs.fixShapes)
    for (const auto &[name, tensor] : inputs.tensors)
      options.inputShapes.try_emplace(name, tensor.shape().begin(),
                                      tensor.shape().end());
  options.progress = terminalProgress();
  return compileModel(model, package, options).status();
}

StatusOr<std::string> describeLayout(const std::string &text,
                                     const std::string &svg,
                                     unsigned elementBits) {
  layout::Result<layout::Layout> layout = layout::parse(text);
  if (!layout)
    return Status::invalidInput(layout.reason());
  layout::DrawOptions options;
  options.elementBits = elementBits;
  if (!svg.empty()) {
    std::ofstream file(svg, std::ios::binary);
    file << layout::drawSvg(*layout, options);
    file.close();
    if (!file)
      return Status::ioError("cannot write " + svg);
  }
  return layout::describe(*layout) + layout::drawTable(*layout, options);
}

StatusOr<runtime::HostTensor> readProto(const std::filesystem::path &path) {
  return readTensorProto(path);
}

} // namespace tilewright::tool
