#include "library/model/ModelLevels.h"
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

StatusOr<std::vector<HostTensor>>
modelInputs(const std::shared_ptr<ModelLevels> &levels,
            const GivenInputs &given) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto program, programOf(levels));
  TILEWRIGHT_RETURN_IF_ERROR(checkNames(*program, given));
  TILEWRIGHT_ASSIGN_OR_RETURN(mlir::func::FuncOp graph, levels->graph());
  std::mt19937_64 random;
  FillContext context{program->hints(), {}, random};
  OpenSizes sizes(graph);
  std::vector<HostTensor> inputs;
  for (const auto &[i, port] : llvm::enumerate(program->signature().inputs)) {
    if (auto found = given.find(port.name); found != given.end()) {
      TILEWRIGHT_ASSIGN_OR_RETURN(inputs.emplace_back(),
                                  givenInput(*program, port, found->second));
      continue;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(
        inputs.emplace_back(),
        HostTensor::allocate(port.dtype, sizes.shapeOf(unsigned(i), port)));
    fill(inputs.back(),
         semanticsOf(port.dtype) ? Filling::normal : Filling::ones, context);
  }
  return inputs;
}

} // namespace tilewright::verify
