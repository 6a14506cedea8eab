//===- Compile.cpp - From a tile kernel to a kernel image -----------------===//
#include "codegen/pipeline/Compile.h"

#include "codegen/cpu/HostObject.h"
#include "codegen/cpu/TileToCpu.h"
#include "codegen/nvptx/Ptx.h"
#include "codegen/pipeline/Expressions.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "tileir/ir/Register.h"
#include "tileir/transforms/Passes.h"
#include "llvm/Support/Threading.h"

using namespace mlir;

namespace tilewright {

void registerCompilerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, linalg::LinalgDialect,
              LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
              tensor::TensorDialect, vector::VectorDialect>();
  cpu::registerLoweringDialects(registry);
  nvptx::registerDialects(registry);
}

void prepareContext(MLIRContext &context) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
}

/// What the launcher passes and how many programs it starts.
static StatusOr<runtime::KernelManifest> describe(tile::KernelOp kernel,
                                                  const cpu::CpuTarget &target,
                                                  int64_t scratchBytes) {
  runtime::KernelManifest manifest;
  manifest.name = kernel.getSymName().str();
  manifest.target = "cpu";
  manifest.features = target.required;
  manifest.image = "kernels/" + manifest.name + ".cpu.o";
  manifest.entry = manifest.name;
  manifest.scratch = scratchBytes;
  std::vector<std::string> sizes;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    std::string argument = "arg" + std::to_string(i);
    auto view = dyn_cast<tile::ViewType>(type);
    if (!view) {
      std::optional<runtime::DType> dtype = toDType(type);
      manifest.arguments.push_back(runtime::KernelArgument::scalar(dtype));
      if (type.isIntOrIndex())
        sizes.push_back(argument);
      continue;
    }
    std::optional<runtime::DType> dtype = toDType(view.getElementType());
    if (!dtype)
      return Status::unsupported("kernel '" + manifest.name + "': argument " +
                                 std::to_string(i) +
                                 " has an element type that has no place in "
                                 "memory");
    std::vector<unsigned> dims, strides;
    for (auto [d, size] : llvm::enumerate(view.getShape())) {
      sizes.push_back(argument + ".dim" + std::to_string(d));
      if (ShapedType::isDynamic(size))
        dims.push_back(d);
    }
    for (auto [d, stride] : llvm::enumerate(view.getStrides()))
      if (ShapedType::isDynamic(stride))
        strides.push_back(d);
    manifest.arguments.push_back(runtime::KernelArgument::view(
        *dtype, view.getShape().size(), dims, strides));
  }
  for (AffineExpr extent : kernel.getGrid().getResults())
    manifest.grid.push_back(toExpression(extent, sizes));
  return manifest;
}

namespace {
/// Collects this thread's errors in place of printing them.
class ErrorCollector {
public:
  explicit ErrorCollector(MLIRContext *context)
      : thread(llvm::get_threadid()),
        handler(context, [this](Diagnostic &diagnostic) {
          if (llvm::get_threadid() != thread)
            return failure();
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            append(diagnostic);
          return success();
        }) {}
  const std::string &text() const { return message; }

private:
  void append(Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(message);
    if (!message.empty())
      stream << "\n";
    stream << diagnostic.getLocation() << ": " << diagnostic.str();
    for (Diagnostic &note : diagnostic.getNotes())
      stream << "\n" << note.getLocation() << ": note: " << note.str();
  }
  uint64_t thread;
  std::string message;
  ScopedDiagnosticHandler handler;
};
} // namespace

StatusOr<KernelImage> compile(tile::KernelOp kernel,
                              const cpu::CpuTarget &target,
                              const CompileOptions &options) {
  std::string name = kernel.getSymName().str();
  ErrorCollector errors(kernel.getContext());
  TimingScope untimed;
  TimingScope &timing = options.timing ? *options.timing : untimed;
  TimingScope step = timing.nest("Tile to loops");
  OwningOpRef<ModuleOp> module = ModuleOp::create(kernel.getLoc());
  // The copy that calls are replaced in.
  OwningOpRef<tile::KernelOp> inlined = kernel.clone();
  tile::inlineCalls(*inlined, kernel->getParentOp());
  FailureOr<cpu::CpuFunction> function =
      cpu::emitCpuFunction(*inlined, target, *module);
  if (failed(function))
    return Status::unsupported("kernel '" + name + "': " + errors.text());
  step.stop();
  KernelImage image;
  auto print = [&]() {
    std::string text;
    llvm::raw_string_ostream(text) << *module;
    return text;
  };
  if (options.wantText)
    image.loops = print();
  if (failed(cpu::lowerToLlvm(*module, timing)))
    return Status::internal("kernel '" + name + "': " + errors.text());
  llvm::Expected<cpu::HostObject> object =
      cpu::translateToObject(*module, target, timing, options.wantText);
  if (!object)
    return Status::internal("kernel '" + name + "': " +
                            llvm::toString(object.takeError()) + errors.text());
  TILEWRIGHT_ASSIGN_OR_RETURN(image.manifest,
                              describe(kernel, target, function->scratchBytes));
  image.code = std::move(object->object);
  image.llvmIr = std::move(object->llvmIr);
  image.assembly = std::move(object->assembly);
  return image;
}

} // namespace tilewright
