//===- Emission.cpp - What the emitters of one kernel share ---------------===//
#include "codegen/cpu/Emission.h"

using namespace mlir;

namespace tilewright::cpu {

Emission::Emission(tile::KernelOp kernel, const CpuTarget &target,
                   const schedule::CpuSchedule &schedule, ModuleOp module)
    : kernel(kernel), target(target), schedule(schedule),
      b(kernel.getLoc(), kernel.getContext()) {
  data.module = module;
  // Ops on vectors are copies of ops on tiles, and have no buffers.
  kernel.walk([&](Operation *op) {
    StringRef name = tile::TileDialect::kBufferedAttr;
    auto results = dyn_cast_or_null<DenseI64ArrayAttr>(op->removeAttr(name));
    for (int64_t result : results ? results.asArrayRef() : ArrayRef<int64_t>())
      buffers.chosen.insert(op->getResult(result));
  });
}

} // namespace tilewright::cpu
