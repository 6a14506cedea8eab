//===- InterpretedModule.cpp - Tile kernels as loaded code ----------------===//
#include "verify/device/InterpretedModule.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "tileir/diagnostics/DiagnosticData.h"
#include "tileir/ir/Register.h"
#include "tileir/reference/Interpreter.h"

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

//===--- Loading ----------------------------------------------------------===//

static DialectRegistry dialects() {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<affine::AffineDialect, arith::ArithDialect, math::MathDialect,
                  scf::SCFDialect>();
  return registry;
}

InterpretedModule::InterpretedModule()
    : context(dialects(), MLIRContext::Threading::DISABLED) {}

StatusOr<std::shared_ptr<InterpretedModule>>
InterpretedModule::parse(std::string_view code) {
  std::shared_ptr<InterpretedModule> result(new InterpretedModule);
  Errors errors(&result->context);
  // The parser requires a zero after the end.
  std::string text(code);
  result->module = parseSourceString<ModuleOp>(
      text, ParserConfig(&result->context), "image");
  if (!result->module)
    return Status::invalidInput("the image is no module of tile kernels: " +
                                errors.text);
  if (result->module->getOps<tile::KernelOp>().empty())
    return Status::invalidInput(
        "the image is a module without a kernel, expected a tile.kernel");
  return result;
}

//===--- Signatures -------------------------------------------------------===//

/// The words of an argument of `type`; a pointer has those of a view without
/// sizes and strides.
static size_t wordsOf(Type type) {
  auto view = dyn_cast<tile::ViewType>(type);
  if (!view)
    return 1;
  return 1 + llvm::count_if(view.getShape(), ShapedType::isDynamic) +
         llvm::count_if(view.getStrides(), ShapedType::isDynamic);
}

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

static Status checkSignature(tile::KernelOp kernel,
                             const KernelManifest &manifest) {
  std::string where = locationOf(kernel.getLoc()) + ": kernel '" +
                      kernel.getSymName().str() + "' ";
  const size_t described =
      manifest.arguments.size() + (manifest.workspace ? 1 : 0);
  if (described != kernel.getNumArguments())
    return Status::invalidInput(
        where + "takes " + std::to_string(kernel.getNumArguments()) +
        " arguments, its manifest describes " + std::to_string(described));
  for (auto [i, argument] : llvm::enumerate(manifest.arguments)) {
    Type type = kernel.getArgumentTypes()[i];
    if (passesAs(type, argument))
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << "takes " << type << " as argument " << i << ", which passes "
        << wordsOf(type) << " words; its manifest describes a "
        << (argument.isView() ? "view of rank " + std::to_string(argument.rank)
                              : std::string("scalar"))
        << " that passes " << argument.words();
    return Status::invalidInput(where + text);
  }
  if (static_cast<int64_t>(manifest.grid.size()) > kernel.getGridRank())
    return Status::invalidInput(where + "has a grid of " +
                                std::to_string(kernel.getGridRank()) +
                                " dimensions, its manifest one of " +
                                std::to_string(manifest.grid.size()));
  return {};
}

StatusOr<tile::KernelOp>
InterpretedModule::kernel(const KernelManifest &manifest) {
  std::lock_guard lock(mutex);
  std::string names;
  for (auto kernel : module->getOps<tile::KernelOp>()) {
    if (kernel.getSymName() == manifest.entry) {
      TILEWRIGHT_RETURN_IF_ERROR(checkSignature(kernel, manifest));
      return kernel;
    }
    names += (names.empty() ? "'" : ", '") + kernel.getSymName().str() + "'";
  }
  return Status::invalidInput("the module has no kernel '" + manifest.entry +
                              "'; its kernels are " + names);
}

//===--- Running ----------------------------------------------------------===//

/// The blocks as the interpreter's memory; each is named after the arguments
/// that point into it.
static void mapBlocks(tile::KernelOp kernel, std::span<const uint64_t> words,
                      std::span<const std::shared_ptr<Block>> blocks,
                      reference::Memory &memory) {
  for (const std::shared_ptr<Block> &block : blocks) {
    std::string name;
    size_t word = 0;
    for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
      uint64_t offset = words[word] - block->address();
      if (isa<tile::ViewType, tile::PtrType>(type) && offset < block->size())
        name += (name.empty() ? "argument " : " and ") + std::to_string(i);
      word += wordsOf(type);
    }
    std::span<uint8_t> bytes = block->bytes(), written = block->written();
    memory.map({name.empty() ? "memory of no argument" : name,
                block->address(),
                {bytes.data(), bytes.size()},
                {written.data(), written.size()},
                block->readOnly});
  }
}

/// One argument from its words.
static reference::Value makeArgument(Type type, const uint64_t *words,
                                     const reference::Memory &memory) {
  using reference::Element;
  using reference::TileValue;
  if (auto viewType = dyn_cast<tile::ViewType>(type)) {
    reference::ViewValue view{
        memory.pointerTo(*words++), viewType.getElementType(), {}, {}};
    for (int64_t size : viewType.getShape())
      view.dims.push_back(
          ShapedType::isDynamic(size) ? static_cast<int64_t>(*words++) : size);
    view.strides = reference::rowMajorStrides(view.dims);
    for (auto [dim, stride] : llvm::enumerate(viewType.getStrides()))
      view.strides[dim] = ShapedType::isDynamic(stride)
                              ? static_cast<int64_t>(*words++)
                              : stride;
    return view;
  }
  if (isa<tile::PtrType>(type))
    return TileValue::scalar(
        Element::ofPointer(type, memory.pointerTo(*words)));
  if (type.isIntOrIndex())
    return TileValue::scalar(
        Element::ofInt(type, static_cast<int64_t>(*words)));
  APInt bits = APInt(64, *words).trunc(type.getIntOrFloatBitWidth());
  return TileValue::scalar(Element::fromBits(type, bits));
}

Status InterpretedModule::run(tile::KernelOp kernel,
                              std::span<const uint64_t> words,
                              ArrayRef<int64_t> grid,
                              std::span<const std::shared_ptr<Block>> blocks,
                              runtime::KernelPrints &prints) {
  std::lock_guard lock(mutex);
  reference::Memory memory;
  mapBlocks(kernel, words, blocks, memory);
  SmallVector<reference::Value> arguments;
  const uint64_t *next = words.data();
  for (Type type : kernel.getArgumentTypes()) {
    arguments.push_back(makeArgument(type, next, memory));
    next += wordsOf(type);
  }
  reference::LaunchOptions options;
  options.grid = SmallVector<int64_t>(grid);
  if (prints.wanted())
    options.prints = [&](StringRef line) { prints.line(line); };
  Errors errors(&context);
  if (failed(reference::interpretKernel(kernel, arguments, memory, options)))
    return Status::invalidInput(errors.text);
  return {};
}

} // namespace tilewright::verify
