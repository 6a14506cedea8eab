//===- ExplainSchedule.cpp - What was chosen for a GPU, and why -----------===//
#include "codegen/pipeline/ExplainSchedule.h"

#include "codegen/pipeline/ScheduleFacts.h"
#include "codegen/tilegpu/Describe.h"
#include "codegen/transforms/CopyAccess.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright {

static std::string describe(Type type) {
  return tilegpu::describe(cast<RankedTensorType>(type));
}

static std::string textOf(const ViewAccess &access) {
  std::string text =
      llvm::formatv("{0} of {1} bits a thread", access.count, access.bits);
  return access.limit.empty() ? text : text + ": " + access.limit;
}

static std::string textOf(tilegpu::CopyOp copy) {
  StatusOr<tilegpu::CopyAccess> access = tilegpu::copyAccess(
      copy.getRead(), copy.getTile(), copy.getMemory().getType());
  if (!access.ok())
    return access.status().message();
  std::string text = llvm::formatv("{0} cp.async of {1} bytes a thread",
                                   access->instructions.size(), access->bytes);
  const std::string limit = viewAccess(copy.getRead()).limit;
  return limit.empty() ? text : text + ": " + limit;
}

static std::string ofConversion(tilegpu::ConvertLayoutOp op) {
  StatusOr<layout::ConversionPlan> plan = conversionPlan(op);
  if (!plan.ok())
    return plan.status().message();
  std::string text = std::string(layout::conversionKindName(plan->kind));
  if (plan->shuffles)
    text += llvm::formatv(", {0} shuffles", plan->shuffles);
  return plan->reason.empty() ? text : text + ": " + plan->reason;
}

/// The accesses of a tile in shared memory, and their conflicts.
template <typename Op> static std::string ofShared(Op op, Value tile) {
  tilegpu::SharedType memory = op.getMemory().getType();
  auto type = cast<RankedTensorType>(tile.getType());
  std::string where = llvm::formatv("{0} B", memory.getBytes());
  if (op.hasWindow() || type.getShape() != memory.getShape())
    return where + ", a part or another shape of it";
  StatusOr<layout::SharedAccess> access = sharedAccess(op, tile);
  if (!access.ok())
    return where + ", element by element";
  unsigned bits = tilegpu::elementBits(type.getElementType());
  return llvm::formatv("{0}, {1} of {2} bits a thread, {3} wavefronts a warp",
                       where, access->instructions.size(),
                       access->elements * bits, access->wavefronts);
}

/// What there is to say of an op; empty for most.
static std::string lineOf(Operation *op) {
  std::string tile, text;
  // The copy around it says how.
  if (isa<tilegpu::CopyOp>(op->getParentOp()))
    return text;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::ViewAccessOpInterface access) {
        tile = describe(access.getTile().getType());
        text = textOf(viewAccess(access));
        if (std::string reason = reasonOf(op); !reason.empty())
          text += "; " + reason;
      })
      .Case([&](tilegpu::CopyOp copy) {
        tile = describe(copy.getRead().getTile().getType());
        text = textOf(copy);
      })
      .Case([&](scf::ForOp loop) { text = reasonOf(loop); })
      .Case([&](tilegpu::ConvertLayoutOp convert) {
        tile = describe(convert.getType());
        text = ofConversion(convert);
      })
      .Case([&](tilegpu::StoreSharedOp store) {
        tile = describe(store.getValue().getType());
        text = ofShared(store, store.getValue());
      })
      .Case([&](tilegpu::LoadSharedOp load) {
        tile = describe(load.getType());
        text = ofShared(load, load.getResult());
      })
      .Case([&](tilegpu::DotOp dot) {
        tile = describe(dot.getType());
        text = llvm::formatv(
            "multiplications and additions, {0} accumulators a thread",
            tilegpu::layoutOf(dot.getType()).items());
        if (std::string reason = reasonOf(dot); !reason.empty())
          text += ": " + reason;
      })
      .Case([&](tilegpu::MmaOp mma) {
        tile = describe(mma.getType());
        text = llvm::formatv("{0}, {1} accumulators a thread{2}",
                             mma.getInstruction(),
                             tilegpu::layoutOf(mma.getType()).items(),
                             mma.getLhsMemory() ? "" : ", lhs in registers");
        if (mma.getPrecision() != tile::DotPrecision::ieee)
          text +=
              llvm::formatv(", precision {0}",
                            tile::stringifyDotPrecision(mma.getPrecision()));
        if (std::string reason = reasonOf(mma); !reason.empty())
          text += ": " + reason;
      });
  if (text.empty())
    return text;
  return llvm::formatv("  {0,-8}  {1,-22}  {2,-14}  {3}\n",
                       tilegpu::describe(op->getLoc()),
                       op->getName().getStringRef(), tile, text);
}

std::string explainSchedule(tile::KernelOp kernel,
                            const schedule::ExplainedSchedule &schedule) {
  int64_t barriers = 0;
  std::string lines;
  kernel.walk([&](Operation *op) {
    barriers += isa<tilegpu::BarrierOp>(op);
    // Before its loop and in it, a copy is the same.
    std::string line = lineOf(op);
    if (!isa<tilegpu::CopyOp>(op) || lines.find(line) == std::string::npos)
      lines += line;
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
