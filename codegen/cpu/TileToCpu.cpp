//===- TileToCpu.cpp - One tile kernel as a host function -----------------===//
#include "codegen/cpu/TileToCpu.h"
#include "codegen/cpu/CpuTargets.h"
#include "codegen/cpu/TileEmitter.h"

#include "codegen/llvm/WatchContext.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::cpu {

TileEmitter::TileEmitter(tile::KernelOp kernel, const CpuTarget &target,
                         ModuleOp module, const schedule::CpuSchedule &schedule)
    : kernel(kernel), target(target), schedule(schedule), module(module),
      b(kernel.getContext()), loc(kernel.getLoc()) {
  // Ops on vectors are copies of ops on tiles, and have no buffers.
  kernel.walk([&](Operation *op) {
    StringRef name = tile::TileDialect::kBufferedAttr;
    auto results = dyn_cast_or_null<DenseI64ArrayAttr>(op->removeAttr(name));
    for (int64_t result : results ? results.asArrayRef() : ArrayRef<int64_t>())
      buffered.insert(op->getResult(result));
  });
}

Value TileEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value TileEmitter::toI64(Value value) {
  if (value.getType().isInteger(64))
    return value;
  return b.createOrFold<arith::IndexCastOp>(loc, b.getI64Type(), value);
}

Value TileEmitter::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(loc, x, y);
}

Value TileEmitter::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(loc, x, y);
}

int64_t TileEmitter::lanesFor(Type element) const {
  int64_t bits = element.isIndex()        ? 64
                 : element.isIntOrFloat() ? element.getIntOrFloatBitWidth()
                                          : 64;
  // Narrow elements are computed in 32 bits: more lanes would spill.
  return target.lanes(std::max<int64_t>(32, bits));
}

/// Reads the kernel's arguments from their 64-bit words.
void TileEmitter::readArguments(Value args) {
  int64_t word = 0;
  auto next = [&](Type type) -> Value {
    Value at = LLVM::GEPOp::create(
        b, loc, args.getType(), b.getI64Type(), args,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(word++)});
    return LLVM::LoadOp::create(b, loc, type, at);
  };
  auto nextIndex = [&]() -> Value {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                      next(b.getI64Type()));
  };
  for (BlockArgument argument : kernel.getRegion().getArguments()) {
    auto view = dyn_cast<tile::ViewType>(argument.getType());
    if (!view) {
      Type type = numeric::registerType(argument.getType());
      Value value = next(b.getI64Type());
      if (type.isIndex())
        value = arith::IndexCastOp::create(b, loc, type, value);
      else if (unsigned bits = type.getIntOrFloatBitWidth(); bits < 64)
        value = arith::TruncIOp::create(b, loc, b.getIntegerType(bits), value);
      if (isa<FloatType>(type))
        value = arith::BitcastOp::create(b, loc, type, value);
      scalars.map(argument, value);
      continue;
    }
    ViewArgument &read = views[argument];
    read.pointer = next(LLVM::LLVMPointerType::get(b.getContext()));
    for (int64_t size : view.getShape())
      read.dims.push_back(ShapedType::isDynamic(size) ? nextIndex()
                                                      : index(size));
    if (view.hasExplicitStrides()) {
      for (int64_t stride : view.getStrides())
        read.strides.push_back(ShapedType::isDynamic(stride) ? nextIndex()
                                                             : index(stride));
      continue;
    }
    completeStrides(read);
  }
}

/// Row-major strides that follow from the dims.
void TileEmitter::completeStrides(ViewArgument &view) {
  view.strides.resize(view.dims.size());
  Value stride = index(1);
  for (int64_t d = view.dims.size() - 1; d >= 0; --d) {
    view.strides[d] = stride;
    stride = mul(stride, view.dims[d]);
  }
}

/// id0 is the fastest part of the linear id.
void TileEmitter::readProgramIds(Value linear, Value grid) {
  int64_t rank = kernel.getGridRank();
  for (int64_t d = 0; d < rank; ++d) {
    Value at =
        LLVM::GEPOp::create(b, loc, grid.getType(), b.getI64Type(), grid,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(d)});
    programCounts.push_back(arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        LLVM::LoadOp::create(b, loc, b.getI64Type(), at)));
  }
  Value rest = linear;
  for (int64_t d = 0; d < rank; ++d) {
    if (d + 1 == rank) {
      programIds.push_back(rest);
      break;
    }
    programIds.push_back(
        arith::RemUIOp::create(b, loc, rest, programCounts[d]));
    rest = arith::DivUIOp::create(b, loc, rest, programCounts[d]);
  }
}

LogicalResult TileEmitter::run() {
  b.setInsertionPointToEnd(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  auto function = func::FuncOp::create(
      b, loc, kernel.getSymName(),
      b.getFunctionType({pointer, pointer, i64, i64, pointer}, {}));
  function.setArgAttr(4, LLVM::LLVMDialect::getNoAliasAttrName(),
                      b.getUnitAttr());
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  readArguments(entry->getArgument(0));
  scratch = entry->getArgument(4);
  auto toIndex = [&](Value value) {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
  };
  auto programs = scf::ForOp::create(b, loc, toIndex(entry->getArgument(2)),
                                     toIndex(entry->getArgument(3)), index(1));
  func::ReturnOp::create(b, loc);
  b.setInsertionPointToStart(programs.getBody());
  readProgramIds(programs.getInductionVar(), entry->getArgument(1));
  if (failed(emitBlock(kernel.getRegion().front())))
    return failure();
  using Tile = tile::TileDialect;
  function->setAttr(Tile::kSignatureAttr, kernel.getSignature());
  if (Attribute chosen = kernel->getAttr(Tile::kScheduleAttr))
    function->setAttr(Tile::kScheduleAttr, chosen);
  function->setAttr(Tile::kScratchAttr, b.getI64IntegerAttr(scratchBytes));
  return success();
}

LogicalResult TileEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    if (failed(lowerWatched(&op, [&] { return emitOp(&op); })))
      return failure();
  }
  return success();
}

/// An op that works on scalars only: the same op, on the mapped values.
LogicalResult TileEmitter::emitScalarOp(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    scalars.map(constant.getResult(), constantOf(constant.getValue()));
    return success();
  }
  if (op->getName().getDialectNamespace() == "affine" &&
      op->getNumRegions() == 0) {
    b.clone(*op, scalars);
    return success();
  }
  if (!isElementwise(op))
    return op->emitError("this op is not lowered for the cpu target");
  Values operands;
  for (Value operand : op->getOperands())
    operands.push_back(scalars.lookup(operand));
  for (Value result : op->getResults()) {
    FailureOr<Value> value = createElementwise(result, operands, {});
    if (failed(value))
      return failure();
    scalars.map(result, *value);
  }
  return success();
}

/// Ops that ask about the program or a view.
bool TileEmitter::emitQuery(Operation *op) {
  auto map = [&](ValueRange results, ValueRange values) {
    for (auto [result, value] : llvm::zip(results, values))
      scalars.map(result, value);
    return true;
  };
  if (isa<tile::ProgramIdOp>(op))
    return map(op->getResults(), programIds);
  if (isa<tile::ProgramCountOp>(op))
    return map(op->getResults(), programCounts);
  if (auto dim = dyn_cast<tile::DimOp>(op))
    return map(op->getResults(), views[dim.getView()].dims[dim.getDim()]);
  if (auto stride = dyn_cast<tile::StrideOp>(op))
    return map(op->getResults(),
               views[stride.getView()].strides[stride.getDim()]);
  if (auto count = dyn_cast<tile::CountOp>(op)) {
    // A size below 0 counts as 0.
    Value extent = arith::MaxSIOp::create(
        b, loc, views[count.getView()].dims[count.getDim()], index(0));
    return map(op->getResults(), arith::CeilDivUIOp::create(
                                     b, loc, extent, index(count.getExtent()))
                                     .getResult());
  }
  if (auto base = dyn_cast<tile::BaseOp>(op))
    return map(op->getResults(),
               LLVM::PtrToIntOp::create(b, loc, b.getI64Type(),
                                        views[base.getView()].pointer)
                   .getResult());
  return false;
}

/// Ops on tiles that are computed where they are used, and ops on scalars.
LogicalResult TileEmitter::emitLazy(Operation *op) {
  bool hasTile =
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  if (!hasTile)
    return emitScalarOp(op);
  if (!isLazy(op))
    return op->emitError("this op is not lowered for the cpu target");
  for (Value result : op->getResults())
    if (needsBuffer(result) && failed(bufferOf(result)))
      return failure();
  return success();
}

LogicalResult TileEmitter::emitOp(Operation *op) {
  if (emitQuery(op))
    return success();
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](tile::MakeViewOp op) { return emitMakeView(op); })
      .Case([&](tile::StoreOp op) { return emitStore(op); })
      .Case([&](tile::LoadPtrOp op) {
        return op.getOrder() != tile::MemoryOrder::weak ||
                       !isa<RankedTensorType>(op.getType())
                   ? emitOrderedLoad(op)
                   : emitLazy(op);
      })
      .Case([&](tile::StorePtrOp op) { return emitStorePtr(op); })
      .Case([&](tile::AtomicRmwOp op) { return emitAtomicRmw(op); })
      .Case([&](tile::AtomicCasOp op) { return emitAtomicCas(op); })
      .Case([&](tile::AtomicReduceOp op) { return emitAtomicReduce(op); })
      .Case([&](tile::FenceOp op) { return emitFence(op); })
      .Case([&](tile::DotOp op) { return emitDot(op); })
      .Case([&](tile::ScaledDotOp op) { return emitScaledDot(op); })
      .Case([&](tile::ReduceOp op) { return emitReduce(op); })
      .Case([&](tile::ScanOp op) { return emitScan(op); })
      .Case([&](tile::SortOp op) { return emitSort(op); })
      .Case([&](tile::TopKOp op) { return emitTopK(op); })
      .Case([&](tile::HistogramOp op) { return emitHistogram(op); })
      .Case([&](tile::JoinOp op) { return emitJoin(op); })
      .Case([&](tile::ConcatOp op) { return emitConcat(op); })
      .Case([&](tile::SplitOp op) { return emitSplit(op); })
      .Case([&](tile::SliceOp op) { return emitSlice(op); })
      .Case([&](tile::ExtractOp op) { return emitExtract(op); })
      .Case([&](tile::GatherOp op) { return emitGather(op); })
      .Case([&](arith::SelectOp op) {
        return isa<tile::ViewType>(op.getType()) ? selectView(op)
                                                 : emitLazy(op);
      })
      .Case([&](scf::ForOp op) { return emitFor(op); })
      .Case([&](scf::WhileOp op) { return emitWhile(op); })
      .Case([&](scf::IfOp op) { return emitIf(op); })
      .Case([&](scf::IndexSwitchOp op) { return emitIndexSwitch(op); })
      .Case([&](tile::AssertOp op) { return emitAssert(op); })
      .Case([&](tile::TunableOp op) {
        return op.emitError("tile.tunable: \"")
               << op.getName()
               << "\" is not bound; bind it before the kernel is lowered "
                  "(--bind-tunables)";
      })
      .Case([&](tile::PrintOp op) { return emitPrint(op); })
      .Case([&](tile::InlinePtxOp op) {
        return op.emitError("tile.inline_ptx is not lowered for the cpu "
                            "target: it is text for NVIDIA GPUs");
      })
      .Default([&](Operation *op) { return emitLazy(op); });
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
    if (failed(schedule) ||
        failed(TileEmitter(kernel, target, getOperation(), *schedule).run()))
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
