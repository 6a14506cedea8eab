//===- TileKernel.cpp - Kernels of tiles, interpreted ---------------------===//
#include "verify/device/InterpretedKernel.h"

#include "tileir/reference/ElementOps.h"
#include "tileir/reference/Interpreter.h"
#include "verify/scheduled/ScheduledOps.h"

using namespace mlir;

namespace tilewright::verify {

size_t wordsOf(Type type) {
  auto view = dyn_cast<tile::ViewType>(type);
  if (!view)
    return 1;
  return 1 + llvm::count_if(view.getShape(), ShapedType::isDynamic) +
         llvm::count_if(view.getStrides(), ShapedType::isDynamic);
}

std::string nameOf(const Block &block, tile::SignatureAttr signature,
                   std::span<const uint64_t> words) {
  std::string name;
  size_t word = 0;
  for (auto [i, type] : llvm::enumerate(signature.getArgumentTypes())) {
    uint64_t offset = words[word] - block.address();
    if (isa<tile::ViewType, tile::PtrType>(type) && offset < block.size())
      name += (name.empty() ? "argument " : " and ") + std::to_string(i);
    word += wordsOf(type);
  }
  return name.empty() ? "memory of no argument" : name;
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

namespace {
class TileKernel : public InterpretedKernel {
public:
  explicit TileKernel(tile::KernelOp kernel)
      : InterpretedKernel(kernel.getSignature()), kernel(kernel) {}

  LogicalResult run(const InterpretedLaunch &launch) override {
    if (launch.options.errors)
      return reference::errorAt(kernel)
             << "bounds of errors are those of loops and threads, which the "
                "kernel is not yet";
    reference::Memory memory;
    for (const std::shared_ptr<Block> &block : launch.blocks) {
      std::span<uint8_t> bytes = block->bytes(), written = block->written();
      memory.map({nameOf(*block, signature, launch.words),
                  block->address(),
                  {bytes.data(), bytes.size()},
                  {written.data(), written.size()},
                  block->readOnly,
                  launch.options.holdsPoison});
    }
    SmallVector<reference::Value> arguments;
    const uint64_t *next = launch.words.data();
    for (Type type : kernel.getArgumentTypes()) {
      arguments.push_back(makeArgument(type, next, memory));
      next += wordsOf(type);
    }
    reference::LaunchOptions options;
    options.freedom = {launch.options.freedom, launch.options.functions};
    options.undetermined = &launch.undetermined;
    memory.setShadow(launch.shadow);
    options.grid = SmallVector<int64_t>(launch.grid);
    options.reachedLimit = &launch.reachedLimit;
    if (launch.options.timeLimit)
      options.deadline =
          std::chrono::steady_clock::now() +
          std::chrono::duration_cast<std::chrono::steady_clock::duration>(
              *launch.options.timeLimit);
    options.orderSeed = launch.options.orderSeed;
    options.mostPrograms = launch.options.mostPrograms;
    options.moreOps = &scheduledOps(launch.options.copiesLandLate);
    if (launch.prints.wanted())
      options.prints = [&](StringRef line) { launch.prints.line(line); };
    return reference::interpretKernel(kernel, arguments, memory, options);
  }

private:
  tile::KernelOp kernel;
};
} // namespace

std::unique_ptr<InterpretedKernel> makeTileKernel(tile::KernelOp kernel) {
  return std::make_unique<TileKernel>(kernel);
}

} // namespace tilewright::verify
