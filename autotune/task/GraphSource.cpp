//===- GraphSource.cpp - Kernels of one group of graph ops ----------------===//
#include "autotune/task/Source.h"
#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/Expressions.h"
#include "graph/lowering/KernelEmitter.h"
#include "graph/pipeline/Pipelines.h"
#include "support/Format.h"

using namespace mlir;

namespace tilewright::autotune {

namespace {
class GraphSource : public Source {
public:
  GraphSource(OwningOpRef<ModuleOp> module, func::FuncOp func,
              const graph::TileLimits &limits)
      : module(std::move(module)), shapes(func), limits(limits) {}

  Status read(func::FuncOp func);
  std::vector<Parameter> parameters() const override;
  const std::vector<TaskTensor> &tensors() const override { return given; }
  StatusOr<TaskKernel>
  build(const std::map<std::string, int64_t> &values) override;

private:
  Status addTensor(Value tensor, bool isWritten);

  OwningOpRef<ModuleOp> module;
  graph::SymbolicShapes shapes;
  graph::TileLimits limits;
  std::optional<graph::Group> group;
  llvm::DenseMap<Value, size_t> numbers;
  std::vector<TaskTensor> given;
};
} // namespace

Status GraphSource::addTensor(Value tensor, bool isWritten) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  std::optional<runtime::DType> dtype;
  if (type && type.hasStaticShape())
    dtype = toDType(type.getElementType());
  if (!dtype)
    return Status::unsupported(
        "tuning expects tensors of static shape and of types that have a place "
        "in memory; fix the shapes with --input-shape");
  numbers[tensor] = given.size();
  given.push_back({*dtype, type.getShape().vec(), !isWritten, isWritten});
  return Status();
}

Status GraphSource::read(func::FuncOp func) {
  std::vector<graph::Group> groups = graph::groupsOf(func);
  if (groups.size() != 1 || groups.front().isAlone || groups.front().isGiven)
    return Status::unsupported(
        format("tuning expects graph ops that become one kernel, found {}{}",
               {groups.size(), groups.size() == 1 ? ", which has no parameters"
                                                  : " kernels"}));
  group = std::move(groups.front());
  for (BlockArgument argument : func.getArguments())
    TILEWRIGHT_RETURN_IF_ERROR(addTensor(argument, false));
  for (Value result : group->results())
    TILEWRIGHT_RETURN_IF_ERROR(addTensor(result, true));
  return Status();
}

std::vector<Parameter> GraphSource::parameters() const {
  std::vector<Parameter> parameters;
  for (const graph::TilingParameter &tiling :
       graph::tilingParameters(*group, limits))
    if (tiling.values.size() > 1)
      parameters.push_back({tiling.name, tiling.values,
                            size_t(llvm::find(tiling.values, tiling.chosen) -
                                   tiling.values.begin())});
  return parameters;
}

StatusOr<TaskKernel>
GraphSource::build(const std::map<std::string, int64_t> &values) {
  DiagnosticCollector errors(module->getContext(), nullptr);
  TaskKernel built;
  built.module = ModuleOp::create(module->getLoc());
  auto builder = OpBuilder::atBlockEnd(built.module->getBody());
  graph::KernelEmitter emitter(builder, shapes, *group, limits);
  FailureOr<graph::EmittedKernel> emitted = emitter.emit("kernel", values);
  if (failed(emitted))
    return Status::unsupported(errors.text());
  built.kernel = emitted->kernel;
  for (const graph::KernelArgument &argument : emitted->arguments) {
    if (!argument.tensor) {
      built.arguments.push_back(
          {std::nullopt, cast<AffineConstantExpr>(argument.scalar).getValue()});
      continue;
    }
    Value outside = graph::operandBehind(argument.tensor);
    built.arguments.push_back(
        {numbers.at(outside ? outside : argument.tensor), 0});
  }
  return built;
}

StatusOr<std::unique_ptr<Source>>
openGraphSource(OwningOpRef<ModuleOp> module, const graph::TileLimits &limits) {
  DiagnosticCollector errors(module->getContext(), nullptr);
  FailureOr<func::FuncOp> func = graph::groupGraph(*module);
  if (failed(func))
    return Status::unsupported(errors.text());
  auto source = std::make_unique<GraphSource>(std::move(module), *func, limits);
  TILEWRIGHT_RETURN_IF_ERROR(source->read(*func));
  return std::unique_ptr<Source>(std::move(source));
}

} // namespace tilewright::autotune
