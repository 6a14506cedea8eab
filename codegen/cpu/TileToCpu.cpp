//===- TileToCpu.cpp - One tile kernel as a host function -----------------===//
#include "codegen/cpu/TileToCpu.h"

#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/Blocks.h"
#include "codegen/cpu/CpuTargets.h"
#include "codegen/cpu/Programs.h"
#include "codegen/cpu/Views.h"
#include "codegen/numeric/ElementTypes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::cpu {

/// Reads the kernel's arguments from their 64-bit words.
static void readArguments(Value args, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t word = 0;
  auto next = [&](Type type) -> Value {
    Value at = LLVM::GEPOp::create(
        b, args.getType(), b.getI64Type(), args,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word++)});
    return LLVM::LoadOp::create(b, type, at);
  };
  auto nextIndex = [&]() -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(),
                                      next(b.getI64Type()));
  };
  for (BlockArgument argument : e.kernel.getRegion().getArguments()) {
    auto view = dyn_cast<tile::ViewType>(argument.getType());
    if (!view) {
      Type type = numeric::registerType(argument.getType());
      Value value = next(b.getI64Type());
      if (type.isIndex())
        value = arith::IndexCastOp::create(b, type, value);
      else if (unsigned bits = type.getIntOrFloatBitWidth(); bits < 64)
        value = arith::TruncIOp::create(b, b.getIntegerType(bits), value);
      if (isa<FloatType>(type))
        value = arith::BitcastOp::create(b, type, value);
      e.scalars.map(argument, value);
      continue;
    }
    ViewArgument &read = e.views[argument];
    read.pointer = next(LLVM::LLVMPointerType::get(b.getContext()));
    for (int64_t size : view.getShape())
      read.dims.push_back(ShapedType::isDynamic(size) ? nextIndex()
                                                      : index(b, size));
    if (view.hasExplicitStrides()) {
      for (int64_t stride : view.getStrides())
        read.strides.push_back(
            ShapedType::isDynamic(stride) ? nextIndex() : index(b, stride));
      continue;
    }
    completeStrides(b, read);
  }
}

/// Emits the kernel's function at the end of the module.
static LogicalResult emitKernel(Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  b.setInsertionPointToEnd(e.data.module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto function = func::FuncOp::create(
      b, e.kernel.getSymName(),
      b.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
  function.setArgAttr(4, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  readArguments(entry->getArgument(0), e);
  e.scratch.pointer = entry->getArgument(4);
  auto toIndex = [&](Value value) {
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  };
  auto programs =
      scf::ForOp::create(b, toIndex(entry->getArgument(2)),
                         toIndex(entry->getArgument(3)), index(b, 1));
  func::ReturnOp::create(b);
  b.setInsertionPointToStart(programs.getBody());
  readProgramIds(programs.getInductionVar(), entry->getArgument(1), e);
  if (failed(emitBlock(e.kernel.getRegion().front(), e)))
    return failure();
  using Tile = tile::TileDialect;
  function->setAttr(Tile::kSignatureAttr, e.kernel.getSignature());
  for (StringRef name :
       {Tile::kScheduleAttr, Tile::kFastMathAttr, Tile::kPersistentAttr})
    if (Attribute kept = e.kernel->getAttr(name))
      function->setAttr(name, kept);
  function->setAttr(Tile::kScratchAttr, b.getI64IntegerAttr(e.scratch.bytes));
  return success();
}

#define GEN_PASS_DEF_CONVERTTILETOLOOPS
#include "codegen/cpu/Passes.h.inc"

namespace {
struct ConvertTileToLoops : impl::ConvertTileToLoopsBase<ConvertTileToLoops> {
  using ConvertTileToLoopsBase::ConvertTileToLoopsBase;

  LogicalResult convert(tile::KernelOp kernel, const CpuTarget &target) {
    if (!kernel->hasAttr(tile::TileDialect::kBuffersAttr))
      return kernel.emitError("expected a kernel whose tiles in memory are "
                              "chosen; run --choose-buffers before");
    FailureOr<schedule::CpuSchedule> schedule = scheduleOf(kernel);
    if (failed(schedule))
      return failure();
    Emission emission(kernel, target, *schedule, getOperation());
    if (failed(emitKernel(emission)))
      return failure();
    kernel.erase();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<CpuTarget> target = cpuOf(module);
    if (failed(target))
      return signalPassFailure();
    for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>()))
      if (failed(convert(kernel, *target)))
        return signalPassFailure();
    for (auto function : llvm::to_vector(module.getOps<tile::FuncOp>()))
      function.erase();
  }
};
} // namespace

} // namespace tilewright::cpu
