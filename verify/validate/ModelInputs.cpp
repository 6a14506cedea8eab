#include "library/model/ModelLevels.h"
#include "support/Format.h"
#include "verify/validate/Elements.h"
#include "verify/validate/ModelParts.h"
#include "verify/validate/OpenProgram.h"
#include "verify/validate/Values.h"

namespace tilewright::verify {

using runtime::HostTensor;

namespace {
/// Sizes for those that are open, by name.
class OpenSizes {
public:
  explicit OpenSizes(mlir::func::FuncOp graph) : graph(graph) {}
  runtime::Shape shapeOf(unsigned input, const Port &port);

private:
  mlir::func::FuncOp graph; // Null for a kernel.
  std::map<std::string, int64_t> known;
};
} // namespace

/// Small ones, most of them different.
runtime::Shape OpenSizes::shapeOf(unsigned input, const Port &port) {
  constexpr int64_t sizes[] = {3, 8, 5, 6, 7, 9};
  auto names =
      graph ? graph.getArgAttrOfType<mlir::ArrayAttr>(input, "graph.dims")
            : mlir::ArrayAttr();
  runtime::Shape shape = port.shape;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] >= 0)
      continue;
    const auto name = names && d < names.size()
                          ? mlir::dyn_cast<mlir::StringAttr>(names[d])
                          : mlir::StringAttr();
    shape[d] = known
                   .try_emplace(name ? name.str() : "",
                                sizes[known.size() % std::size(sizes)])
                   .first->second;
  }
  return shape;
}

static std::string inputsText(const Program &program) {
  std::string text;
  for (const Port &port : program.signature().inputs)
    text += (text.empty() ? "" : ", ") + portText(port);
  return text;
}

/// A .npy file cannot say bf16: its integers are the model's type.
static StatusOr<HostTensor> asType(const HostTensor &tensor,
                                   runtime::DType dtype) {
  const bool isBits = tensor.dtype() == runtime::DType::U16 ||
                      tensor.dtype() == runtime::DType::U8;
  if (!isBits || tensor.dtype() == dtype ||
      runtime::dtypeBytes(dtype) != runtime::dtypeBytes(tensor.dtype()))
    return tensor;
  return tensor.reinterpretAs(dtype);
}

static Status checkGiven(const Program &program, const Port &port,
                         const HostTensor &tensor) {
  bool fits = tensor.dtype() == port.dtype &&
              tensor.shape().size() == port.shape.size();
  for (size_t d = 0; fits && d < port.shape.size(); ++d)
    fits = port.shape[d] < 0 || port.shape[d] == tensor.shape()[d];
  if (fits)
    return {};
  return Status::invalidInput(format(
      "{}: input '{}' is {}, expected {}",
      {program.name(), port.name,
       portText({port.name, tensor.dtype(), tensor.shape()}), portText(port)}));
}

StatusOr<std::vector<HostTensor>>
modelInputs(const std::shared_ptr<ModelLevels> &levels,
            const std::map<std::string, HostTensor> &given) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto program, programOf(levels));
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, levels->graph());
  std::mt19937_64 random;
  FillContext context{program->hints(), {}, random};
  OpenSizes sizes(graph);
  std::vector<HostTensor> inputs;
  std::set<std::string> left;
  for (const auto &[name, tensor] : given)
    left.insert(name);
  for (const auto &[i, port] : llvm::enumerate(program->signature().inputs)) {
    if (auto found = given.find(port.name); found != given.end()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(HostTensor tensor,
                                  asType(found->second, port.dtype));
      TILEWRIGHT_RETURN_IF_ERROR(checkGiven(*program, port, tensor));
      inputs.push_back(std::move(tensor));
      left.erase(port.name);
      continue;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(
        inputs.emplace_back(),
        HostTensor::allocate(port.dtype, sizes.shapeOf(unsigned(i), port)));
    fill(inputs.back(),
         semanticsOf(port.dtype) ? Filling::normal : Filling::ones, context);
  }
  if (left.empty())
    return inputs;
  return Status::invalidInput(
      format("{}: there is no input '{}'\n  the model's inputs: {}",
             {program->name(), *left.begin(), inputsText(*program)}));
}

} // namespace tilewright::verify
