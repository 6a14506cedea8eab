//===- Remarks.cpp - Remarks on a schedule --------------------------------===//
#include "codegen/pipeline/Remarks.h"

#include "codegen/pipeline/DiagnosticCollector.h"
#include "codegen/pipeline/ScheduleFacts.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tilewright {

namespace {
/// Adds remarks of one kernel.
struct Remarker {
  tile::KernelOp kernel;
  std::vector<Remark> &remarks;

  using Arguments = std::vector<std::pair<std::string, std::string>>;
  void add(Remark::Kind kind, const char *pass, const char *code, Operation *op,
           std::string message, Arguments arguments) {
    Remark &remark = remarks.emplace_back();
    remark.kind = kind;
    remark.pass = pass;
    remark.kernel = kernel.getSymName().str();
    remark.code = code;
    remark.where = sourceRange(op->getLoc());
    remark.message = std::move(message);
    remark.arguments = std::move(arguments);
  }

  void ofAccess(Operation *op, const ViewAccess &access);
  void ofConversion(tilegpu::ConvertLayoutOp op);
  template <typename Op> void ofShared(Op op, Value tile);
  void ofDot(tilegpu::DotOp op);
  void ofOp(Operation *op);
};
} // namespace

static std::string nameOf(Operation *op) {
  return op->getName().getStringRef().str();
}

void Remarker::ofAccess(Operation *op, const ViewAccess &access) {
  if (access.limit.empty())
    return;
  add(Remark::Kind::missed, "assign-layouts", "narrow_access", op,
      llvm::formatv("{0} accesses {1} bits at once, of {2} that are possible: "
                    "{3}; {4}",
                    nameOf(op), access.bits, ViewAccess::widest, access.limit,
                    access.remedy),
      {{"op", nameOf(op)},
       {"bits", std::to_string(access.bits)},
       {"accesses", std::to_string(access.count)},
       {"limit", access.limit},
       {"remedy", access.remedy}});
}

void Remarker::ofConversion(tilegpu::ConvertLayoutOp op) {
  StatusOr<layout::ConversionPlan> plan = conversionPlan(op);
  if (!plan.ok() || !plan->shuffles)
    return;
  add(Remark::Kind::missed, "assign-layouts", "shuffles", op,
      llvm::formatv("a tile changes its layout by {0} shuffles a thread: {1}",
                    plan->shuffles, plan->reason),
      {{"shuffles", std::to_string(plan->shuffles)}, {"reason", plan->reason}});
}

template <typename Op> void Remarker::ofShared(Op op, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (op.hasWindow() || type.getShape() != op.getMemory().getType().getShape())
    return;
  StatusOr<layout::SharedAccess> access = sharedAccess(op, tile);
  if (!access.ok())
    return;
  // A wavefront moves 128 bytes: 32 banks of 4.
  int64_t bytes = int64_t(access->instructions.size()) * access->elements *
                  tilegpu::elementBits(type.getElementType()) / 8 *
                  target::GpuTarget::warpSize;
  int64_t least = llvm::divideCeil(bytes, 128);
  if (access->wavefronts <= least)
    return;
  add(Remark::Kind::missed, "lower-conversions", "bank_conflicts", op,
      llvm::formatv("{0} takes {1} wavefronts a warp, of {2} that its bytes "
                    "take without conflicts of banks",
                    nameOf(op), access->wavefronts, least),
      {{"op", nameOf(op)},
       {"wavefronts", std::to_string(access->wavefronts)},
       {"least", std::to_string(least)}});
}

void Remarker::ofDot(tilegpu::DotOp op) {
  const std::string reason = reasonOf(op);
  std::string accumulators =
      std::to_string(tilegpu::layoutOf(op.getType()).items());
  add(Remark::Kind::missed, "lower-dots", "no_matrix_ops", op,
      "a dot is done by multiplications and additions, " + accumulators +
          " accumulators a thread" + (reason.empty() ? "" : ": " + reason),
      {{"accumulators", accumulators}, {"reason", reason}});
}

void Remarker::ofOp(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](tile::ViewAccessOpInterface access) {
        ofAccess(access, viewAccess(access));
      })
      .Case([&](tilegpu::ConvertLayoutOp convert) { ofConversion(convert); })
      .Case([&](tilegpu::StoreSharedOp store) {
        ofShared(store, store.getValue());
      })
      .Case(
          [&](tilegpu::LoadSharedOp load) { ofShared(load, load.getResult()); })
      .Case([&](tilegpu::DotOp dot) { ofDot(dot); });
}

void remarkSchedule(tile::KernelOp kernel,
                    const schedule::ExplainedSchedule &schedule,
                    std::vector<Remark> &remarks) {
  Remarker remarker{kernel, remarks};
  remarker.add(
      Remark::Kind::analysis, "schedule", "schedule", kernel,
      schedule.schedule.text() + ": " + schedule.reason,
      {{"schedule", schedule.schedule.text()}, {"reason", schedule.reason}});
  kernel.walk([&](Operation *op) { remarker.ofOp(op); });
}

} // namespace tilewright
