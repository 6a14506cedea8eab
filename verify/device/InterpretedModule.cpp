//===- InterpretedModule.cpp - Kernels of any level as loaded code --------===//
#include "verify/device/InterpretedModule.h"

#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tileir/diagnostics/DiagnosticData.h"
#include "tileir/ir/Register.h"
#include "verify/exact/ExactProgram.h"

using namespace mlir;

namespace tilewright::verify {

using runtime::KernelArgument;
using runtime::KernelManifest;

//===--- Messages ---------------------------------------------------------===//

/// As locationText; a location outside files as MLIR prints it.
static std::string locationOf(Location location) {
  std::string text = locationText(location);
  if (text.empty())
    llvm::raw_string_ostream(text) << location;
  return text;
}

namespace {
/// The errors of a context that one thread at a time uses, as text.
class Errors {
public:
  explicit Errors(MLIRContext *context)
      : handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            add(diagnostic);
        }) {}
  std::string text;

private:
  void add(mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream stream(text);
    stream << (text.empty() ? "" : "\n  ")
           << locationOf(diagnostic.getLocation()) << ": " << diagnostic.str();
    for (mlir::Diagnostic &note : diagnostic.getNotes())
      if (!isOpText(note))
        stream << "\n  " << locationOf(note.getLocation())
               << ": note: " << note.str();
  }
  ScopedDiagnosticHandler handler;
};
} // namespace

/// Null if the function is no kernel.
static tile::SignatureAttr signatureOf(FunctionOpInterface function) {
  if (auto kernel = dyn_cast<tile::KernelOp>(*function))
    return kernel.getSignature();
  return function->getAttrOfType<tile::SignatureAttr>(
      tile::TileDialect::kSignatureAttr);
}

//===--- Loading ----------------------------------------------------------===//

static DialectRegistry dialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
              math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect,
              tilegpu::TileGpuDialect, ub::UBDialect, vector::VectorDialect>();
  return registry;
}

InterpretedModule::InterpretedModule()
    : context(dialects(), MLIRContext::Threading::DISABLED) {}

StatusOr<std::shared_ptr<InterpretedModule>>
InterpretedModule::parse(std::string_view code, bool isExact) {
  std::shared_ptr<InterpretedModule> result(new InterpretedModule);
  Errors errors(&result->context);
  // The parser requires a zero after the end.
  std::string text(code);
  result->module = parseSourceString<ModuleOp>(
      text, ParserConfig(&result->context), "image");
  if (!result->module)
    return Status::invalidInput("the image is no module of tile kernels: " +
                                errors.text);
  if (llvm::none_of(result->module->getOps<FunctionOpInterface>(),
                    [](auto each) { return bool(signatureOf(each)); }))
    return Status::invalidInput(
        "the image is a module without a kernel, expected a tile.kernel or a "
        "function with a tile.signature");
  if (isExact && failed(makeKernelsExact(*result->module)))
    return Status::unsupported(errors.text);
  return result;
}

//===--- Signatures -------------------------------------------------------===//

static bool passesAs(Type type, const KernelArgument &argument) {
  if (argument.words() != wordsOf(type))
    return false;
  auto view = dyn_cast<tile::ViewType>(type);
  if (!view)
    return argument.isView() == isa<tile::PtrType>(type) || !argument.isView();
  if (!argument.isView() ||
      argument.rank != static_cast<unsigned>(view.getRank()))
    return false;
  return llvm::all_of(argument.dims,
                      [&](unsigned dim) { return view.isDynamicDim(dim); }) &&
         llvm::all_of(argument.strides, [&](unsigned dim) {
           return ShapedType::isDynamic(view.getStrides()[dim]);
         });
}

static Status checkSignature(Location location, tile::SignatureAttr signature,
                             const KernelManifest &manifest) {
  std::string where =
      locationOf(location) + ": kernel '" + manifest.entry + "' ";
  ArrayRef<Type> types = signature.getArgumentTypes();
  const size_t described =
      manifest.arguments.size() + (manifest.workspace ? 1 : 0);
  if (described != types.size())
    return Status::invalidInput(
        where + "takes " + std::to_string(types.size()) +
        " arguments, its manifest describes " + std::to_string(described));
  for (auto [i, argument] : llvm::enumerate(manifest.arguments)) {
    if (passesAs(types[i], argument))
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "takes " << types[i] << " as argument " << i << ", which passes "
        << wordsOf(types[i]) << " words; its manifest describes a "
        << (argument.isView() ? "view of rank " + std::to_string(argument.rank)
                              : std::string("scalar"))
        << " that passes " << argument.words();
    return Status::invalidInput(where + text);
  }
  const size_t rank = signature.getGrid().getValue().getNumResults();
  if (manifest.grid.size() > rank)
    return Status::invalidInput(where + "has a grid of " +
                                std::to_string(rank) +
                                " dimensions, its manifest one of " +
                                std::to_string(manifest.grid.size()));
  return {};
}

StatusOr<std::shared_ptr<InterpretedKernel>>
InterpretedModule::kernel(const KernelManifest &manifest) {
  std::lock_guard lock(mutex);
  std::string names;
  for (auto function : module->getOps<FunctionOpInterface>()) {
    tile::SignatureAttr signature = signatureOf(function);
    if (!signature)
      continue;
    const std::string name = SymbolTable::getSymbolName(function).str();
    if (name != manifest.entry) {
      names += (names.empty() ? "'" : ", '") + name + "'";
      continue;
    }
    TILEWRIGHT_RETURN_IF_ERROR(
        checkSignature(function.getLoc(), signature, manifest));
    if (auto kernel = dyn_cast<tile::KernelOp>(*function))
      return std::shared_ptr<InterpretedKernel>(makeTileKernel(kernel));
    Errors errors(&context);
    FailureOr<std::unique_ptr<InterpretedKernel>> made =
        makeThreadsKernel(function, manifest);
    if (failed(made))
      return Status::unsupported(errors.text);
    return std::shared_ptr<InterpretedKernel>(*std::move(made));
  }
  return Status::invalidInput("the module has no kernel '" + manifest.entry +
                              "'; its kernels are " + names);
}

Status InterpretedModule::run(InterpretedKernel &kernel,
                              const InterpretedLaunch &launch) {
  std::lock_guard lock(mutex);
  Errors errors(&context);
  if (failed(kernel.run(launch)))
    return Status::invalidInput(errors.text);
  return {};
}

} // namespace tilewright::verify
