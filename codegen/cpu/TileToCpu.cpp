//===- TileToCpu.cpp - One tile kernel as a host function -----------------===//
#include "codegen/cpu/TileEmitter.h"

using namespace mlir;

namespace tilewright::cpu {

TileEmitter::TileEmitter(tile::KernelOp kernel, const CpuTarget &target,
                         ModuleOp module)
    : kernel(kernel), target(target), module(module), b(kernel.getContext()),
      loc(kernel.getLoc()) {}

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
      Type type = argument.getType();
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
    read.strides.resize(read.dims.size());
    Value stride = index(1);
    for (int64_t d = read.dims.size() - 1; d >= 0; --d) {
      read.strides[d] = stride;
      stride = mul(stride, read.dims[d]);
    }
  }
}

/// id0 is the fastest part of the linear id.
void TileEmitter::readProgramIds(Value linear, Value grid) {
  programIds.clear();
  int64_t rank = kernel.getGridRank();
  Value rest = linear;
  for (int64_t d = 0; d < rank; ++d) {
    if (d + 1 == rank) {
      programIds.push_back(rest);
      break;
    }
    Value at =
        LLVM::GEPOp::create(b, loc, grid.getType(), b.getI64Type(), grid,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(d)});
    Value extent = arith::IndexCastOp::create(
        b, loc, b.getIndexType(),
        LLVM::LoadOp::create(b, loc, b.getI64Type(), at));
    programIds.push_back(arith::RemUIOp::create(b, loc, rest, extent));
    rest = arith::DivUIOp::create(b, loc, rest, extent);
  }
}

FailureOr<CpuFunction> TileEmitter::run() {
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
  return CpuFunction{function, scratchBytes};
}

LogicalResult TileEmitter::emitBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    loc = op.getLoc();
    for (Type type : op.getResultTypes())
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
          element && element.getWidth() < 16)
        return op.emitError("elements of type ")
               << element << " are not lowered for the cpu target";
    if (failed(emitOp(&op)))
      return failure();
  }
  return success();
}

/// An op that works on scalars only: the same op, on the mapped values.
LogicalResult TileEmitter::emitScalarOp(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (op->getNumRegions() != 0 || (dialect != "arith" && dialect != "math"))
    return op->emitError("this op is not lowered for the cpu target");
  b.clone(*op, scalars);
  return success();
}

LogicalResult TileEmitter::emitOp(Operation *op) {
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    for (auto [result, value] : llvm::zip(id->getResults(), programIds))
      scalars.map(result, value);
    return success();
  }
  if (auto dim = dyn_cast<tile::DimOp>(op)) {
    scalars.map(dim.getResult(), views[dim.getView()].dims[dim.getDim()]);
    return success();
  }
  if (auto stride = dyn_cast<tile::StrideOp>(op)) {
    scalars.map(stride.getResult(),
                views[stride.getView()].strides[stride.getDim()]);
    return success();
  }
  if (auto count = dyn_cast<tile::CountOp>(op)) {
    Value extent = views[count.getView()].dims[count.getDim()];
    scalars.map(
        count.getResult(),
        arith::CeilDivUIOp::create(b, loc, extent, index(count.getExtent())));
    return success();
  }
  if (auto base = dyn_cast<tile::BaseOp>(op)) {
    scalars.map(base.getResult(),
                LLVM::PtrToIntOp::create(b, loc, b.getI64Type(),
                                         views[base.getView()].pointer));
    return success();
  }
  if (auto store = dyn_cast<tile::StoreOp>(op))
    return emitStore(store);
  if (auto store = dyn_cast<tile::StorePtrOp>(op))
    return emitStorePtr(store);
  if (auto dot = dyn_cast<tile::DotOp>(op))
    return emitDot(dot);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    return emitReduce(reduce);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
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

FailureOr<CpuFunction> emitCpuFunction(tile::KernelOp kernel,
                                       const CpuTarget &target,
                                       ModuleOp module) {
  return TileEmitter(kernel, target, module).run();
}

} // namespace tilewright::cpu
