//===- TileGpuOps.cpp - The ops of the scheduled level --------------------===//
#include "codegen/tilegpu/Fiber.h"
#include "codegen/tilegpu/OpSupport.h"
#include "codegen/tilegpu/TileGpu.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

void TileGpuDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "codegen/tilegpu/TileGpuOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "codegen/tilegpu/TileGpuOps.cpp.inc"

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto before = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(before.getSource());
    return getResult();
  }
  return {};
}

LogicalResult ReduceOp::verify() {
  // tilegpu_reduce_c1
  if (getInputs().empty() || getInputs().size() != getResults().size())
    return emitOpError() << getInputs().size() << " inputs and "
                         << getResults().size()
                         << " results; expected as many, at least one "
                            "(tilegpu_reduce_c1)";
  for (auto [input, result] : llvm::zip(getInputs(), getResults())) {
    auto source = cast<RankedTensorType>(input.getType());
    auto target = cast<RankedTensorType>(result.getType());
    // tilegpu_reduce_c2
    if (failed(verifyAxis(*this, getAxis(), source, "tilegpu_reduce_c2")))
      return failure();
    // tilegpu_reduce_c3
    StatusOr<RankedTensorType> expected = warpReducedType(source, getAxis());
    if (!expected.ok())
      return emitOpError() << expected.status().message()
                           << " (tilegpu_reduce_c3)";
    if (target != *expected)
      return emitOpError() << "expected a result of " << *expected << ", found "
                           << target << " (tilegpu_reduce_c3)";
  }
  return success();
}

LogicalResult ScanOp::verify() {
  // tilegpu_scan_c1
  if (getInputs().empty() || getInputs().getTypes() != getResultTypes())
    return emitOpError() << "the inputs are (" << getInputs().getTypes()
                         << "), the results (" << getResultTypes()
                         << "); expected the same types, at least one "
                            "(tilegpu_scan_c1)";
  // tilegpu_scan_c2
  auto first = cast<RankedTensorType>(getInputs()[0].getType());
  if (failed(verifyAxis(*this, getAxis(), first, "tilegpu_scan_c2")))
    return failure();
  // tilegpu_scan_c3
  StatusOr<Fiber> fiber = fiberAlong(layoutOf(first), getAxis(), Rounds::any);
  if (!fiber.ok())
    return emitOpError() << fiber.status().message() << " (tilegpu_scan_c3)";
  for (Value input : getInputs())
    if (cast<RankedTensorType>(input.getType()).getEncoding() !=
        first.getEncoding())
      return emitOpError() << "the inputs have several layouts "
                              "(tilegpu_scan_c3)";
  // tilegpu_scan_c4
  size_t expected = fiber->warpMask ? getInputs().size() : 0;
  if (getTotals().size() != expected)
    return emitOpError() << "expected " << expected << " totals, found "
                         << getTotals().size() << " (tilegpu_scan_c4)";
  for (auto [input, total] : llvm::zip(getInputs(), getTotals())) {
    StatusOr<RankedTensorType> type =
        totalsType(cast<RankedTensorType>(input.getType()), getAxis());
    if (!type.ok() || total.getType() != *type)
      return emitOpError() << "expected totals of "
                           << (type.ok() ? *type : RankedTensorType())
                           << ", found " << total.getType()
                           << " (tilegpu_scan_c4)";
  }
  return success();
}

LogicalResult CoordinateOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  // coordinate_c1
  if (!type.getElementType().isInteger(32))
    return emitOpError() << "coordinates are i32, found "
                         << type.getElementType() << " (coordinate_c1)";
  // coordinate_c2
  return verifyAxis(*this, getAxis(), type, "coordinate_c2");
}

LogicalResult ExchangeOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  // exchange_c1
  if (failed(verifyAxis(*this, getAxis(), type, "exchange_c1")))
    return failure();
  // exchange_c2
  StatusOr<Fiber> fiber = fiberAlong(layoutOf(type), getAxis());
  if (!fiber.ok())
    return emitOpError() << fiber.status().message() << " (exchange_c2)";
  // exchange_c3
  int64_t mask = getMask();
  if (mask < 0 || mask >= fiber->perWarp())
    return emitOpError() << "mask " << mask << " of fibers of which a warp has "
                         << fiber->perWarp() << " elements (exchange_c3)";
  return success();
}
