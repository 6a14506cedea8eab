//===- TileToThreads.cpp - A scheduled kernel as a function ---------------===//
#include "codegen/nvptx/TileToThreads.h"

#include "codegen/nvptx/ThreadEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::nvptx {

LogicalResult emitThreads(tile::KernelOp kernel, ModuleOp module) {
  return ThreadEmitter(kernel, module).emit();
}

LogicalResult ThreadEmitter::refuse(Operation *op, const Twine &why) {
  return op->emitError() << op->getName() << ": " << why;
}

LogicalResult ThreadEmitter::checkElement(Operation *op, Type element) {
  if (tile::getStorageBits(element) < 8)
    return refuse(op, "elements of less than a byte are not supported on a "
                      "GPU yet");
  return success();
}

LogicalResult ThreadEmitter::checkView(Operation *op, Value view) {
  if (!views.contains(view))
    return refuse(op, "a view that control flow carries is not supported on a "
                      "GPU yet");
  return success();
}

void ThreadEmitter::emitWhen(Value condition, llvm::function_ref<void()> body) {
  if (!condition)
    return body();
  scf::IfOp::create(b, loc, condition, [&](OpBuilder &, Location) {
    body();
    scf::YieldOp::create(b, loc);
  });
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
  func::ReturnOp::create(b, loc);
  return success();
}

ThreadEmitter::View ThreadEmitter::bindView(tile::ViewType type, Block &entry,
                                            unsigned &word) {
  View view;
  view.base = entry.getArgument(word++);
  auto next = [&](int64_t known) -> Value {
    if (!ShapedType::isDynamic(known))
      return index(known);
    return arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                      entry.getArgument(word++));
  };
  for (int64_t size : type.getShape())
    view.sizes.push_back(next(size));
  if (type.hasExplicitStrides()) {
    for (int64_t stride : type.getStrides())
      view.strides.push_back(next(stride));
    return view;
  }
  // Row-major.
  view.strides.resize(view.sizes.size());
  Value stride = index(1);
  for (size_t dim = view.sizes.size(); dim-- > 0;) {
    view.strides[dim] = stride;
    stride = b.createOrFold<arith::MulIOp>(loc, stride, view.sizes[dim]);
  }
  return view;
}

void ThreadEmitter::bindArguments(Block &entry) {
  unsigned word = 0;
  for (BlockArgument argument : kernel.getBody()->getArguments()) {
    if (auto view = dyn_cast<tile::ViewType>(argument.getType())) {
      views[argument] = bindView(view, entry, word);
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
    if (failed(emitOp(&op)))
      return failure();
  }
  return success();
}

void ThreadEmitter::emitProgramIds(Operation *op, bool counts) {
  Type i32 = b.getI32Type();
  for (auto [dim, result] : llvm::enumerate(op->getResults())) {
    Value id;
    if (counts)
      id = dim == 0   ? NVVM::GridDimXOp::create(b, loc, i32).getResult()
           : dim == 1 ? NVVM::GridDimYOp::create(b, loc, i32).getResult()
                      : NVVM::GridDimZOp::create(b, loc, i32).getResult();
    else
      id = dim == 0   ? NVVM::BlockIdXOp::create(b, loc, i32).getResult()
           : dim == 1 ? NVVM::BlockIdYOp::create(b, loc, i32).getResult()
                      : NVVM::BlockIdZOp::create(b, loc, i32).getResult();
    set(result, arith::IndexCastUIOp::create(b, loc, b.getIndexType(), id));
  }
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
          [&](Operation *op) -> LogicalResult {
            if (failed(checkView(op, op->getOperand(0))))
              return failure();
            return emitViewQuery(op), success();
          })
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
      .Case([&](tilegpu::ConvertLayoutOp op) { return emitConversion(op); })
      .Case([&](tilegpu::ReduceOp op) { return emitReduction(op); })
      .Case([&](tilegpu::ScanOp op) { return emitScan(op); })
      .Case([&](tilegpu::AllocOp) { return success(); })
      .Case([&](tilegpu::StoreSharedOp op) { return emitStoreShared(op); })
      .Case([&](tilegpu::LoadSharedOp op) { return emitLoadShared(op); })
      .Case([&](tilegpu::GatherSharedOp op) { return emitGatherShared(op); })
      .Case([&](tilegpu::ReadSharedOp op) {
        return emitReadShared(op), success();
      })
      .Case([&](tilegpu::CountSharedOp op) {
        return emitCountShared(op), success();
      })
      .Case([&](tilegpu::BarrierOp) {
        NVVM::BarrierOp::create(b, loc);
        return success();
      })
      .Case([&](scf::ForOp op) { return emitFor(op); })
      .Case([&](scf::IfOp op) { return emitIf(op); })
      .Case([&](scf::YieldOp op) { return emitYield(op); })
      .Case([&](tile::ReturnOp) { return success(); })
      .Default([&](Operation *op) -> LogicalResult {
        if (op->hasTrait<OpTrait::Elementwise>() ||
            isa<affine::AffineApplyOp, affine::AffineMinOp,
                affine::AffineMaxOp>(op))
          return emitElementwise(op);
        return refuse(op, "not supported on a GPU yet");
      });
}

//===--- Control flow -----------------------------------------------------===//

LogicalResult ThreadEmitter::emitYield(Operation *op) {
  SmallVector<Value> yielded;
  for (Value operand : op->getOperands())
    yielded.push_back(get(operand));
  scf::YieldOp::create(b, loc, yielded);
  return success();
}

LogicalResult ThreadEmitter::emitFor(scf::ForOp op) {
  SmallVector<Value> inits;
  for (Value init : op.getInitArgs()) {
    if (!values.contains(init))
      return refuse(op, "a view that control flow carries is not supported on "
                        "a GPU yet");
    inits.push_back(get(init));
  }
  auto loop =
      scf::ForOp::create(b, loc, get(op.getLowerBound()),
                         get(op.getUpperBound()), get(op.getStep()), inits);
  set(op.getInductionVar(), loop.getInductionVar());
  for (auto [old, made] :
       llvm::zip(op.getRegionIterArgs(), loop.getRegionIterArgs()))
    set(old, made);
  OpBuilder::InsertionGuard guard(b);
  // Without carried values the loop has its terminator already.
  if (inits.empty())
    loop.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(loop.getBody());
  if (failed(emitBlock(*op.getBody())))
    return failure();
  for (auto [old, made] : llvm::zip(op.getResults(), loop.getResults()))
    set(old, made);
  return success();
}

LogicalResult ThreadEmitter::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes()) {
    if (isa<tile::ViewType>(type))
      return refuse(op, "a view that control flow carries is not supported on "
                        "a GPU yet");
    types.push_back(typeOf(type));
  }
  auto branches = scf::IfOp::create(b, loc, types, get(op.getCondition()),
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  auto fill = [&](Region &from, Block *to) -> LogicalResult {
    to->clear();
    b.setInsertionPointToEnd(to);
    if (!from.empty())
      return emitBlock(from.front());
    scf::YieldOp::create(b, loc);
    return success();
  };
  if (failed(fill(op.getThenRegion(), branches.thenBlock())) ||
      failed(fill(op.getElseRegion(), branches.elseBlock())))
    return failure();
  for (auto [old, made] : llvm::zip(op.getResults(), branches.getResults()))
    set(old, made);
  return success();
}

} // namespace tilewright::nvptx
