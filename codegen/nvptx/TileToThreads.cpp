//===- TileToThreads.cpp - A scheduled kernel as a function ---------------===//
#include "codegen/nvptx/TileToThreads.h"

#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/nvptx/Views.h"
#include "codegen/tilegpu/GpuTargets.h"
#include "codegen/tilegpu/TileGpu.h"
#include "codegen/transforms/Schedules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

#define GEN_PASS_DEF_CONVERTTILEGPUTOTHREADS
#include "codegen/nvptx/Passes.h.inc"

//===--- The function -----------------------------------------------------===//

/// The words that the manifest describes for an argument.
static unsigned wordsOf(Type type) {
  auto view = dyn_cast<tile::ViewType>(type);
  return view ? 1 + view.getNumDynamicDims() + view.getNumDynamicStrides() : 1;
}

/// Sizes and strides are at least 0: a launch with others is refused.
static void markNonNegative(func::FuncOp function, unsigned word) {
  const APInt zero(64, 0), end = APInt::getSignedMinValue(64);
  function.setArgAttr(
      word, LLVM::LLVMDialect::getRangeAttrName(),
      LLVM::ConstantRangeAttr::get(function.getContext(), zero, end));
}

static void bindArguments(Emission &e, func::FuncOp function) {
  ImplicitLocOpBuilder &b = e.b;
  Block &entry = function.front();
  unsigned word = 0;
  for (BlockArgument argument : e.kernel.getBody()->getArguments()) {
    if (auto view = dyn_cast<tile::ViewType>(argument.getType())) {
      Value base = entry.getArgument(word++);
      e.views[argument] = makeView(e, view, base, [&] {
        markNonNegative(function, word);
        return arith::IndexCastOp::create(b, b.getIndexType(),
                                          entry.getArgument(word++));
      });
      continue;
    }
    Type type = typeOf(argument.getType());
    Value value = entry.getArgument(word++);
    if (type.isIndex())
      value = arith::IndexCastOp::create(b, type, value);
    else if (unsigned bits = type.getIntOrFloatBitWidth(); bits < 64)
      value = arith::TruncIOp::create(b, b.getIntegerType(bits), value);
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(b, type, value);
    e.set(argument, value);
  }
}

/// Emits the kernel as a function of its argument words. An error names the op
/// that cannot be lowered.
static LogicalResult emitFunction(Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  unsigned words = 0;
  for (Type type : e.kernel.getArgumentTypes())
    words += wordsOf(type);
  b.setInsertionPointToEnd(e.module.getBody());
  auto function = func::FuncOp::create(
      b, e.kernel.getSymName(),
      b.getFunctionType(SmallVector<Type>(words, b.getI64Type()), {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  e.thread = NVVM::ThreadIdXOp::create(b, b.getI32Type());
  bindArguments(e, function);
  if (failed(emitBlock(*e.kernel.getBody(), e)))
    return failure();
  b.setLoc(e.kernel.getLoc());
  func::ReturnOp::create(b);
  using Tile = tile::TileDialect;
  function->setAttr(Tile::kSignatureAttr, e.kernel.getSignature());
  for (StringRef fact :
       {Tile::kScheduleAttr, Tile::kFastMathAttr, Tile::kVariantAttr,
        Tile::kPersistentAttr, tilegpu::TileGpuDialect::kSharedAttr})
    if (Attribute value = e.kernel->getAttr(fact))
      function->setAttr(fact, value);
  if (e.ptxVersion > e.target.ptxVersion)
    function->setAttr(tilegpu::TileGpuDialect::kPtxVersionAttr,
                      b.getI64IntegerAttr(e.ptxVersion));
  return success();
}

//===--- Ops --------------------------------------------------------------===//

static void emitProgramId(tile::ProgramIdOp op, Emission &e) {
  for (auto [dim, result] : llvm::enumerate(op->getResults()))
    e.set(result, programId(e, unsigned(dim)));
}

static void emitProgramCount(tile::ProgramCountOp op, Emission &e) {
  for (auto [dim, result] : llvm::enumerate(op->getResults()))
    e.set(result, programCount(e, unsigned(dim)));
}

/// The function returns after its last op.
static void emitReturn(tile::ReturnOp, Emission &) {}

void addProgramOps(GpuOps &ops) {
  add(ops, emitProgramId);
  add(ops, emitProgramCount);
  add(ops, emitReturn);
}

//===--- The pass ---------------------------------------------------------===//

namespace {
struct ConvertTileGpuToThreads
    : impl::ConvertTileGpuToThreadsBase<ConvertTileGpuToThreads> {
  using ConvertTileGpuToThreadsBase::ConvertTileGpuToThreadsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<target::GpuTarget> target = tilegpu::gpuOf(module);
    if (failed(target))
      return signalPassFailure();
    for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
      FailureOr<schedule::GpuSchedule> schedule = tilegpu::scheduleOf(kernel);
      if (failed(schedule))
        return signalPassFailure();
      Emission e(kernel, module, *target, std::max(128u, schedule->vectorBits));
      if (failed(emitFunction(e)))
        return signalPassFailure();
      kernel.erase();
    }
    for (auto function : llvm::to_vector(module.getOps<tile::FuncOp>()))
      function.erase();
  }
};
} // namespace

} // namespace tilewright::nvptx
