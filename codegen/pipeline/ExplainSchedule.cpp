//===- ExplainSchedule.cpp - What was chosen for a GPU, and why -----------===//
#include "codegen/pipeline/ExplainSchedule.h"

#include "codegen/gpu/TileGpu.h"
#include "codegen/layout/Access.h"
#include "codegen/layout/Conversion.h"
#include "codegen/transforms/MemoryOrder.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright {

/// "9:10" of a file, or the node's name.
static std::string placeOf(Operation *op) {
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return llvm::formatv("{0}:{1}", place.getLine(), place.getColumn());
  if (auto name = op->getLoc()->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "-";
}

static std::string describe(ArrayRef<int64_t> shape, Type element) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << tilegpu::toDims(shape).text() << " " << element;
  return text;
}

static std::string describe(Type type) {
  auto tile = cast<RankedTensorType>(type);
  return describe(tile.getShape(), tile.getElementType());
}

/// The accesses of a tile of a view.
template <typename Op> static std::string ofView(Op op, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  gpu::MemoryOrder memory = gpu::memoryOrder(
      op.getView(), type, op.getOffsets(), op.getByElement(), op.getSteps());
  unsigned bits = tilegpu::elementBits(type.getElementType());
  layout::VectorAccess access =
      layout::vectorAccess(tilegpu::layoutOf(type), memory.order, bits,
                           unsigned(bits / 8 * memory.contiguous), 128);
  unsigned width = access.elements * bits;
  std::string text =
      llvm::formatv("{0} of {1} bits a thread",
                    access.registers.size() / access.elements, width);
  if (width < 128 && int64_t(access.elements) == memory.contiguous)
    text += llvm::formatv(": {0}", memory.limit);
  else if (width < 128)
    text += ": no more neighbours in its layout";
  return text;
}

static std::string ofConversion(tilegpu::ConvertLayoutOp op) {
  auto from = cast<RankedTensorType>(op.getSource().getType());
  layout::ConversionOptions options;
  options.elementBits = tilegpu::elementBits(from.getElementType());
  options.shape = tilegpu::toDims(from.getShape());
  layout::Result<layout::ConversionPlan> plan = layout::planConversion(
      tilegpu::layoutOf(from), tilegpu::layoutOf(op.getType()), options);
  if (!plan.ok())
    return plan.reason();
  std::string text = std::string(layout::conversionKindName(plan->kind));
  if (plan->shuffles)
    text += llvm::formatv(", {0} shuffles", plan->shuffles);
  return plan->reason.empty() ? text : text + ": " + plan->reason;
}

/// The accesses of a tile in shared memory, and their conflicts.
static std::string ofShared(Type tile, tilegpu::SharedType memory,
                            bool isPart) {
  auto type = cast<RankedTensorType>(tile);
  unsigned bits = tilegpu::elementBits(type.getElementType());
  std::string where = llvm::formatv("{0} B", memory.getBytes());
  if (isPart || type.getShape() != memory.getShape())
    return where + ", a part or another shape of it";
  layout::Result<layout::SharedAccess> access = layout::sharedAccess(
      tilegpu::layoutOf(type), memory.getLayout().getLayout(), bits);
  if (!access.ok())
    return where + ", element by element";
  return llvm::formatv("{0}, {1} of {2} bits a thread, {3} wavefronts a warp",
                       where, access->instructions.size(),
                       access->elements * bits, access->wavefronts);
}

/// What there is to say of an op; empty for most.
static std::string lineOf(Operation *op) {
  std::string tile, text;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::LoadOp load) {
        tile = describe(load.getType());
        text = ofView(load, load.getResult());
      })
      .Case<tile::StoreOp, tile::AtomicReduceOp>([&](auto store) {
        tile = describe(store.getValue().getType());
        text = ofView(store, store.getValue());
      })
      .Case([&](tilegpu::ConvertLayoutOp convert) {
        tile = describe(convert.getType());
        text = ofConversion(convert);
      })
      .Case([&](tilegpu::StoreSharedOp store) {
        tile = describe(store.getValue().getType());
        text = ofShared(store.getValue().getType(), store.getMemory().getType(),
                        store.hasWindow());
      })
      .Case([&](tilegpu::LoadSharedOp load) {
        tile = describe(load.getType());
        text = ofShared(load.getType(), load.getMemory().getType(),
                        load.hasWindow());
      })
      .Case([&](tilegpu::DotOp dot) {
        tile = describe(dot.getType());
        text = llvm::formatv("multiplications and additions, {0} sums a thread",
                             tilegpu::layoutOf(dot.getType()).items());
      });
  if (text.empty())
    return text;
  return llvm::formatv("  {0,-8}  {1,-22}  {2,-14}  {3}\n", placeOf(op),
                       op->getName().getStringRef(), tile, text);
}

std::string explainSchedule(tile::KernelOp kernel,
                            const schedule::ExplainedSchedule &schedule) {
  int64_t barriers = 0;
  std::string lines;
  kernel.walk([&](Operation *op) {
    barriers += isa<tilegpu::BarrierOp>(op);
    lines += lineOf(op);
  });
  auto shared =
      kernel->getAttrOfType<IntegerAttr>(tilegpu::TileGpuDialect::kSharedAttr);
  return llvm::formatv("{0}: {1}; {2}\n  shared memory {3} B, {4} barriers\n",
                       kernel.getSymName(), schedule.schedule.text(),
                       schedule.reason, shared ? shared.getInt() : 0, barriers)
             .str() +
         lines;
}

} // namespace tilewright
