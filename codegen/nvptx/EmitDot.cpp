//===- EmitDot.cpp - Dots by multiplying and adding -----------------------===//
//
// Each thread iterates over the depth of its fibers in chunks: a loop whose
// body reads one chunk from shared memory and accumulates products, position by
// position.
//
//===----------------------------------------------------------------------===//
#include "codegen/nvptx/DotReader.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/SharedLocation.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <unordered_map>

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::DotSide;
using tilegpu::layoutOf;

/// Products of one thread in the body of the loop over chunks: enough that the
/// loop costs little, few enough for the instruction cache.
static constexpr int64_t productsOfChunk = 1024;

namespace {
/// One operand of a dot that is being emitted.
struct DotSource {
  DotReader reader;
  ChunkSteps steps;
  Type element;
  bool isUnsigned = false;
  SharedLocation location;
  /// What the latest accesses brought, brought to the type of the arithmetic:
  /// and where in it each register's element is.
  ArrayRef<int32_t> loadedAccesses;
  Value loaded;
  std::unordered_map<int32_t, int32_t> positions;
};
} // namespace

/// Where a thread's accesses of a chunk (i32) begin.
static SharedLocation chunkLocation(Emission &e, const DotSource &source,
                                    Value chunk) {
  ImplicitLocOpBuilder &b = e.b;
  SharedLocation location = source.location;
  const layout::LinearMap &linear = source.steps.linear;
  int64_t bytes = location.elementBytes;
  if (linear.inBits()) {
    layout::LinearMap inBytes(0, 64);
    for (layout::Bits column : linear.allColumns()) {
      inBytes.append(column * layout::Bits(bytes));
      location.mask |= int64_t(column) * bytes;
    }
    location.offset = b.createOrFold<arith::XOrIOp>(location.offset,
                                                    applyTo(e, chunk, inBytes));
  }
  if (source.steps.stride) {
    Value high = arith::ShRUIOp::create(b, chunk, integer(b, linear.inBits()));
    Value moved =
        arith::MulIOp::create(b, high, integer(b, source.steps.stride * bytes));
    location.address =
        LLVM::GEPOp::create(b, location.address.getType(), b.getI8Type(),
                            location.address, ArrayRef<LLVM::GEPArg>{moved});
  }
  return location;
}

/// Elements of an operand in the type that is multiplied.
static Value widened(Emission &e, const DotSource &source, Value elements,
                     Type arithmetic) {
  ImplicitLocOpBuilder &b = e.b;
  if (source.element == arithmetic)
    return elements;
  auto type = VectorType::get(cast<VectorType>(elements.getType()).getShape(),
                              arithmetic);
  if (isa<FloatType>(arithmetic))
    return arith::ExtFOp::create(b, type, elements);
  if (source.isUnsigned)
    return arith::ExtUIOp::create(b, type, elements);
  return arith::ExtSIOp::create(b, type, elements);
}

/// For each sum, in its register, the element that it needs at a position.
static Value dotElements(Emission &e, DotSource &source,
                         const SharedLocation &location, int64_t position,
                         int64_t accumulators, Type arithmetic) {
  ImplicitLocOpBuilder &b = e.b;
  const DotReader &reader = source.reader;
  ArrayRef<int32_t> accesses = reader.accessesAt(position);
  if (accesses != source.loadedAccesses) {
    int64_t width = reader.access().elements;
    auto type = VectorType::get({width}, source.element);
    SmallVector<Value> parts;
    source.positions.clear();
    for (auto [n, access] : llvm::enumerate(accesses)) {
      parts.push_back(LLVM::LoadOp::create(
          b, type,
          sharedAddress(e, location, reader.access().instructions[access]),
          unsigned(width * location.elementBytes)));
      for (auto [i, reg] : llvm::enumerate(reader.loadedBy(access)))
        if (reg >= 0)
          source.positions[reg] = int32_t(int64_t(n) * width + int64_t(i));
    }
    source.loaded = widened(e, source, concatenated(b, parts), arithmetic);
    source.loadedAccesses = accesses;
  }
  SmallVector<int32_t> from;
  for (int64_t accumulator = 0; accumulator < accumulators; ++accumulator) {
    int32_t reg = reader.registerFor(accumulator, position);
    from.push_back(reg < 0 ? -1 : source.positions.at(reg));
  }
  return pick(b, source.loaded, from);
}

/// The accumulators after one chunk.
static Value addChunk(Emission &e, DotSource &lhs, DotSource &rhs,
                      ArrayRef<int64_t> positions, Value chunk,
                      Value accumulator) {
  ImplicitLocOpBuilder &b = e.b;
  SharedLocation left = chunk ? chunkLocation(e, lhs, chunk) : lhs.location;
  SharedLocation right = chunk ? chunkLocation(e, rhs, chunk) : rhs.location;
  lhs.loadedAccesses = rhs.loadedAccesses = {};
  auto type = cast<VectorType>(accumulator.getType());
  int64_t accumulators = type.getNumElements();
  Type arithmetic = type.getElementType();
  for (int64_t position : positions) {
    Value a = dotElements(e, lhs, left, position, accumulators, arithmetic);
    Value c = dotElements(e, rhs, right, position, accumulators, arithmetic);
    if (isa<FloatType>(arithmetic))
      accumulator = math::FmaOp::create(b, a, c, accumulator);
    else
      accumulator =
          arith::AddIOp::create(b, accumulator, arith::MulIOp::create(b, a, c));
  }
  return accumulator;
}

static FailureOr<DotSource> dotSource(Emission &e, tilegpu::DotOp op,
                                      DotSide side) {
  bool isLhs = side == DotSide::lhs;
  auto memory = isLhs ? op.getLhs() : op.getRhs();
  tilegpu::SharedType type = memory.getType();
  unsigned bits = tilegpu::elementBits(type.getElementType());
  StatusOr<DotReader> reader = DotReader::create(
      layoutOf(op.getType()), side, op.getLhs().getType().getShape().back(),
      type.getLayout().getLayout(), bits);
  if (!reader.ok())
    return reject(op, reader.status().message());
  DotSource source;
  source.reader = std::move(*reader);
  source.element = type.getElementType();
  source.isUnsigned = isLhs ? op.getLhsUnsigned() : op.getRhsUnsigned();
  source.location =
      sharedLocation(e, memory, source.reader.access().threadOffset, bits / 8);
  return source;
}

static LogicalResult emitDot(tilegpu::DotOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  FailureOr<DotSource> lhs = dotSource(e, op, DotSide::lhs);
  FailureOr<DotSource> rhs = dotSource(e, op, DotSide::rhs);
  if (failed(lhs) || failed(rhs))
    return failure();
  Value acc = e.get(op.getAcc());
  auto type = cast<VectorType>(acc.getType());
  Value accumulator = addedUp(b, acc);
  DotChunks chunks = chooseChunks(
      lhs->reader, rhs->reader,
      std::max<int64_t>(1, productsOfChunk / type.getNumElements()));
  lhs->steps = chunks.lhs;
  rhs->steps = chunks.rhs;
  if (chunks.count == 1) {
    accumulator = addChunk(e, *lhs, *rhs, chunks.positions, {}, accumulator);
  } else {
    auto loop = scf::ForOp::create(
        b, integer(b, 0), integer(b, chunks.count), integer(b, 1), accumulator,
        [&](OpBuilder &, Location, Value chunk, ValueRange carried) {
          scf::YieldOp::create(b, addChunk(e, *lhs, *rhs, chunks.positions,
                                           chunk, carried.front()));
        });
    accumulator = loop.getResult(0);
  }
  e.set(op, rounded(b, accumulator, type));
  return success();
}

void addDotOps(GpuOps &ops) { add(ops, emitDot); }

} // namespace tilewright::nvptx
