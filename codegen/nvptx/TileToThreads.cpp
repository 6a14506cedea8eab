//===- TileToThreads.cpp - A scheduled kernel as a function ---------------===//
#include "codegen/nvptx/TileToThreads.h"

#include "codegen/llvm/WatchContext.h"
#include "codegen/nvptx/GpuTargets.h"
#include "codegen/nvptx/ThreadEmitter.h"
#include "codegen/nvptx/TileToThreads.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::nvptx {

#define GEN_PASS_DEF_CONVERTTILEGPUTOTHREADS
#include "codegen/nvptx/Passes.h.inc"

namespace {
struct ConvertTileGpuToThreads
    : impl::ConvertTileGpuToThreadsBase<ConvertTileGpuToThreads> {
  using ConvertTileGpuToThreadsBase::ConvertTileGpuToThreadsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<target::GpuTarget> target = gpuOf(module);
    if (failed(target))
      return signalPassFailure();
    for (auto kernel : llvm::to_vector(module.getOps<tile::KernelOp>())) {
      if (failed(ThreadEmitter(kernel, module, *target).emit()))
        return signalPassFailure();
      kernel.erase();
    }
    for (auto function : llvm::to_vector(module.getOps<tile::FuncOp>()))
      function.erase();
  }
};
} // namespace

LogicalResult ThreadEmitter::refuse(Operation *op, const Twine &why) {
  return op->emitError() << op->getName() << ": " << why;
}

void ThreadEmitter::emitWhen(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  scf::IfOp::create(b, loc, condition, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(b, loc);
  });
}

Value ThreadEmitter::emitWhen(Value condition, Value otherwise,
                              llvm::function_ref<Value()> body) {
  if (!condition)
    return body();
  auto yield = [&](Value value) { scf::YieldOp::create(b, loc, value); };
  return scf::IfOp::create(
             b, loc, condition, [&](OpBuilder &, Location) { yield(body()); },
             [&](OpBuilder &, Location) { yield(otherwise); })
      .getResult(0);
}

//===--- The function -----------------------------------------------------===//

/// The words that the manifest describes for an argument.
static unsigned wordsOf(Type type) {
  auto view = dyn_cast<tile::ViewType>(type);
  return view ? 1 + view.getNumDynamicDims() + view.getNumDynamicStrides() : 1;
}

LogicalResult ThreadEmitter::emit() {
  unsigned words = 0;
  for (Type type : kernel.getArgumentTypes())
    words += wordsOf(type);
  b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(
      b, loc, kernel.getSymName(),
      b.getFunctionType(SmallVector<Type>(words, b.getI64Type()), {}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  thread = NVVM::ThreadIdXOp::create(b, loc, b.getI32Type());
  bindArguments(*entry);
  if (failed(emitBlock(*kernel.getBody())))
    return failure();
  func::ReturnOp::create(b, kernel.getLoc());
  using Tile = tile::TileDialect;
  function->setAttr(Tile::kSignatureAttr, kernel.getSignature());
  for (StringRef fact :
       {Tile::kScheduleAttr, tilegpu::TileGpuDialect::kSharedAttr})
    if (Attribute value = kernel->getAttr(fact))
      function->setAttr(fact, value);
  return success();
}

void ThreadEmitter::bindArguments(Block &entry) {
  unsigned word = 0;
  for (BlockArgument argument : kernel.getBody()->getArguments()) {
    if (auto view = dyn_cast<tile::ViewType>(argument.getType())) {
      Value base = entry.getArgument(word++);
      views[argument] = makeView(view, base, [&] {
        return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                          entry.getArgument(word++));
      });
      continue;
    }
    Type type = typeOf(argument.getType());
    Value value = entry.getArgument(word++);
    if (type.isIndex())
      value = arith::IndexCastOp::create(b, loc, type, value);
    else if (unsigned bits = type.getIntOrFloatBitWidth(); bits < 64)
      value = arith::TruncIOp::create(b, loc, b.getIntegerType(bits), value);
    if (isa<FloatType>(type))
      value = arith::BitcastOp::create(b, loc, type, value);
    set(argument, value);
  }
}

//===--- Ops --------------------------------------------------------------===//

LogicalResult ThreadEmitter::emitBlock(Block &block) {
  for (Operation &op : block) {
    loc = op.getLoc();
    if (failed(lowerWatched(&op, [&] { return emitOp(&op); })))
      return failure();
  }
  return success();
}

Value ThreadEmitter::programId(unsigned dim) {
  Type i32 = b.getI32Type();
  Value id = dim == 0   ? NVVM::BlockIdXOp::create(b, loc, i32).getResult()
             : dim == 1 ? NVVM::BlockIdYOp::create(b, loc, i32).getResult()
                        : NVVM::BlockIdZOp::create(b, loc, i32).getResult();
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), id);
}

Value ThreadEmitter::programCount(unsigned dim) {
  Type i32 = b.getI32Type();
  Value count = dim == 0   ? NVVM::GridDimXOp::create(b, loc, i32).getResult()
                : dim == 1 ? NVVM::GridDimYOp::create(b, loc, i32).getResult()
                           : NVVM::GridDimZOp::create(b, loc, i32).getResult();
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), count);
}

void ThreadEmitter::emitProgramIds(Operation *op, bool counts) {
  for (auto [dim, result] : llvm::enumerate(op->getResults()))
    set(result,
        counts ? programCount(unsigned(dim)) : programId(unsigned(dim)));
}

/// Sizes and strides of views.
void ThreadEmitter::emitViewQuery(Operation *op) {
  const View &view = views.at(op->getOperand(0));
  Value answer =
      llvm::TypeSwitch<Operation *, Value>(op)
          .Case([&](tile::DimOp op) { return view.sizes[op.getDim()]; })
          .Case([&](tile::StrideOp op) { return view.strides[op.getDim()]; })
          .Case([&](tile::CountOp op) {
            return arith::CeilDivSIOp::create(b, loc, view.sizes[op.getDim()],
                                              index(op.getExtent()))
                .getResult();
          })
          .Case([&](tile::BaseOp) { return view.base; });
  set(op->getResult(0), answer);
}

LogicalResult ThreadEmitter::emitOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](arith::ConstantOp op) { return emitConstant(op); })
      .Case([&](tile::ProgramIdOp op) {
        return emitProgramIds(op, false), success();
      })
      .Case([&](tile::ProgramCountOp op) {
        return emitProgramIds(op, true), success();
      })
      .Case<tile::DimOp, tile::StrideOp, tile::CountOp, tile::BaseOp>(
          [&](Operation *op) { return emitViewQuery(op), success(); })
      .Case([&](tile::MakeViewOp op) { return emitMakeView(op), success(); })
      .Case([&](tile::AssumeOp op) {
        return set(op, get(op.getValue())), success();
      })
      .Case<tile::PtrCastOp, tile::PtrToIntOp, tile::IntToPtrOp>(
          [&](Operation *op) {
            return set(op->getResult(0), get(op->getOperand(0))), success();
          })
      .Case([&](tile::OffsetOp op) { return emitOffset(op); })
      .Case([&](tile::LoadPtrOp op) { return emitLoadPtr(op); })
      .Case([&](tile::StorePtrOp op) { return emitStorePtr(op); })
      .Case([&](tile::IotaOp op) { return emitIota(op), success(); })
      .Case([&](tile::SplatOp op) { return emitSplat(op), success(); })
      .Case([&](tile::TransposeOp op) { return emitTranspose(op), success(); })
      .Case([&](tile::BroadcastOp op) { return emitBroadcast(op); })
      .Case([&](tile::ReshapeOp op) { return emitReshape(op); })
      .Case([&](tile::ExtractOp op) { return emitExtract(op); })
      .Case([&](tile::JoinOp op) { return emitJoin(op); })
      .Case([&](tile::SplitOp op) { return emitSplit(op); })
      .Case([&](tile::SliceOp op) { return emitSlice(op); })
      .Case([&](tile::ConcatOp op) { return emitConcat(op); })
      .Case([&](tilegpu::CoordinateOp op) {
        return emitCoordinate(op), success();
      })
      .Case([&](tilegpu::ExchangeOp op) { return emitExchange(op); })
      .Case([&](tile::LoadOp op) { return emitLoad(op); })
      .Case([&](tile::StoreOp op) { return emitStore(op); })
      .Case([&](tile::AtomicReduceOp op) { return emitAtomicReduce(op); })
      .Case([&](tile::AtomicRmwOp op) { return emitAtomicRmw(op); })
      .Case([&](tile::AtomicCasOp op) { return emitAtomicCas(op); })
      .Case([&](tile::FenceOp op) { return emitFence(op), success(); })
      .Case([&](tilegpu::ConvertLayoutOp op) { return emitConversion(op); })
      .Case([&](tilegpu::ReduceOp op) { return emitReduction(op); })
      .Case([&](tilegpu::ScanOp op) { return emitScan(op); })
      .Case([&](tilegpu::AllocOp) { return success(); })
      .Case([&](tilegpu::StoreSharedOp op) { return emitStoreShared(op); })
      .Case([&](tilegpu::LoadSharedOp op) { return emitLoadShared(op); })
      .Case([&](tilegpu::DotOp op) { return emitDot(op); })
      .Case([&](tilegpu::StoreElementOp op) {
        return emitStoreElement(op), success();
      })
      .Case([&](tilegpu::GatherSharedOp op) { return emitGatherShared(op); })
      .Case([&](tilegpu::CountSharedOp op) {
        return emitCountShared(op), success();
      })
      .Case([&](tilegpu::BarrierOp) {
        NVVM::BarrierOp::create(b, loc);
        return success();
      })
      .Case([&](scf::ForOp op) { return emitFor(op); })
      .Case([&](scf::IfOp op) { return emitIf(op); })
      .Case([&](scf::WhileOp op) { return emitWhile(op); })
      .Case([&](scf::IndexSwitchOp op) { return emitSwitch(op); })
      .Case([&](scf::YieldOp op) {
        scf::YieldOp::create(b, loc, partsOf(op.getOperands()));
        return success();
      })
      .Case([&](scf::ConditionOp op) {
        scf::ConditionOp::create(b, loc, get(op.getCondition()),
                                 partsOf(op.getArgs()));
        return success();
      })
      .Case([&](tile::ReturnOp) { return success(); })
      .Case<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
          [&](Operation *op) { return emitAffine(op), success(); })
      .Case([&](tile::InlinePtxOp op) { return emitInlinePtx(op); })
      .Case([&](tile::AssertOp op) { return emitAssert(op), success(); })
      .Case([&](tile::PrintOp op) { return emitPrint(op); })
      .Case([&](arith::SelectOp op) {
        if (isa<tile::ViewType>(op.getType()))
          return emitSelectView(op), success();
        return emitElementwise(op), success();
      })
      .Default([&](Operation *op) -> LogicalResult {
        if (numeric::isElementwise(op))
          return emitElementwise(op), success();
        return refuse(op, "not supported on a GPU yet");
      });
}

} // namespace tilewright::nvptx
