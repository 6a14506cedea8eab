//===- EmitSharedElements.cpp - Single elements in shared memory ----------===//
//
// Parts of tiles, and tiles of another shape: the memory is dense, so an
// element's place in it is a sum over its coordinates.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/nvptx/ElementPlaces.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <map>

using namespace mlir;

namespace tilewright::nvptx {

using layout::Axis;
using tilegpu::layoutOf;
using tilegpu::toDims;

/// Whether registers and threads choose different bits of all coordinates.
static bool isSeparable(const layout::Layout &layout) {
  layout::Bits registers = 0, threads = 0;
  for (layout::Bits column : layout.columns(Axis::reg))
    registers |= column;
  for (Axis axis : {Axis::lane, Axis::warp})
    for (layout::Bits column : layout.columns(axis))
      threads |= column;
  return !(registers & threads);
}

ThreadEmitter::ElementPlaces
ThreadEmitter::placesIn(TypedValue<tilegpu::SharedType> memory,
                        const layout::Layout &layout, ArrayRef<int64_t> shape,
                        ArrayRef<int64_t> offsets, ArrayRef<int64_t> steps) {
  tilegpu::SharedType type = memory.getType();
  ElementPlaces places;
  places.layout = layout;
  places.base = sharedBase(memory);
  places.bytes = tilegpu::elementBits(type.getElementType()) / 8;
  // Without a window, as many elements in another shape.
  bool isWhole = toDims(shape).product() == toDims(type.getShape()).product();
  int64_t stride = 1;
  places.factors.resize(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    // Of one element, others are padding.
    if (shape[dim] > 1)
      places.factors[dim] = stride * (steps.empty() ? 1 : steps[dim]);
    places.constant += stride * (offsets.empty() ? 0 : offsets[dim]);
    stride *= isWhole ? shape[dim] : type.getShape()[dim];
  }
  places.last = stride - 1;
  if (!isSeparable(layout))
    return places;
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    int64_t sum = places.constant;
    layout::Dims at = layout.apply(layout::inRegister(reg, 0));
    for (size_t dim = 0; dim < shape.size(); ++dim)
      sum += at[dim] * places.factors[dim];
    places.ofRegister.push_back(sum);
  }
  places.alignment = 16 / places.bytes;
  for (Axis axis : {Axis::lane, Axis::warp})
    for (layout::Bits column : layout.columns(axis))
      for (size_t dim = 0; dim < shape.size(); ++dim)
        if (int64_t added =
                layout.cellCoordinates(column)[dim] * places.factors[dim])
          places.alignment = std::min(places.alignment, added & -added);
  places.ofThread = integer(0);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (places.factors[dim])
      places.ofThread = b.createOrFold<arith::AddIOp>(
          loc, places.ofThread,
          b.createOrFold<arith::MulIOp>(loc, threadPart(layout, dim),
                                        integer(places.factors[dim])));
  places.threadAddress = addressAt(places, places.ofThread);
  return places;
}

/// The places of all registers, as a vector of i32.
Value ThreadEmitter::placeVector(const ElementPlaces &places) {
  int64_t count = places.layout.items();
  if (places.ofThread) {
    SmallVector<int32_t> constants(places.ofRegister.begin(),
                                   places.ofRegister.end());
    Value ofRegister = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(VectorType::get({count}, b.getI32Type()),
                               ArrayRef<int32_t>(constants)));
    return arith::AddIOp::create(b, loc, splat(places.ofThread, count),
                                 ofRegister);
  }
  Value sum = splat(integer(places.constant), count);
  for (auto [dim, factor] : llvm::enumerate(places.factors))
    if (factor)
      sum = arith::AddIOp::create(
          b, loc, sum,
          arith::MulIOp::create(b, loc, coordinates(places.layout, dim),
                                splat(integer(factor), count)));
  return sum;
}

Value ThreadEmitter::addressAt(const ElementPlaces &places, Value place) {
  if (places.bytes > 1)
    place = arith::MulIOp::create(b, loc, place, integer(places.bytes));
  return LLVM::GEPOp::create(b, loc, places.base.getType(), b.getI8Type(),
                             places.base, ArrayRef<LLVM::GEPArg>{place});
}

/// Of a register that holds an element.
Value ThreadEmitter::addressOf(const ElementPlaces &places, int64_t reg) {
  if (!places.ofThread)
    return addressAt(places, element(placeVector(places), reg));
  return LLVM::GEPOp::create(
      b, loc, places.base.getType(), b.getI8Type(), places.threadAddress,
      ArrayRef<LLVM::GEPArg>{int32_t(places.ofRegister[reg] * places.bytes)});
}

/// Of any register: within the memory.
Value ThreadEmitter::boundedAddress(const ElementPlaces &places, int64_t reg) {
  Value place = places.ofThread
                    ? arith::AddIOp::create(b, loc, places.ofThread,
                                            integer(places.ofRegister[reg]))
                          .getResult()
                    : element(placeVector(places), reg);
  return addressAt(places,
                   arith::MinUIOp::create(b, loc, place, integer(places.last)));
}

namespace {
/// Registers that one access moves, neighbours in memory.
struct Run {
  SmallVector<int32_t> registers;
  /// Whether they hold elements of the tile in all threads.
  bool always = true;
};
} // namespace

/// The registers that hold elements, each in one run. Registers that hold
/// copies of others are left out. `places` is empty where they are not known.
static SmallVector<Run> runsOf(const layout::Layout &layout,
                               const layout::Dims &shape,
                               ArrayRef<int64_t> places, int64_t widest) {
  std::vector<int32_t> copies = layout::registerCopies(layout);
  std::map<int64_t, int32_t> free; // By place.
  for (auto [reg, place] : llvm::enumerate(places))
    if (size_t(copies[reg]) == reg &&
        layout.coverage(int64_t(reg), shape) == layout::Coverage::always)
      free[place] = int32_t(reg);
  SmallVector<Run> runs;
  std::vector<bool> done(copies.size());
  for (int32_t reg = 0; reg < int32_t(copies.size()); ++reg) {
    layout::Coverage coverage = layout.coverage(reg, shape);
    if (done[reg] || copies[reg] != reg || coverage == layout::Coverage::never)
      continue;
    Run run{{reg}, coverage == layout::Coverage::always};
    for (int64_t width = widest; run.always && !places.empty() && width > 1;
         width /= 2) {
      int64_t first = places[reg] & -width;
      SmallVector<int32_t> found;
      for (int64_t i = first; i < first + width && free.contains(i); ++i)
        found.push_back(free[i]);
      if (int64_t(found.size()) < width)
        continue;
      run.registers = found;
      break;
    }
    for (int32_t member : run.registers) {
      done[member] = true;
      if (!places.empty())
        free.erase(places[member]);
    }
    runs.push_back(run);
  }
  return runs;
}

void ThreadEmitter::storeElements(tilegpu::StoreSharedOp op, Value value) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  const layout::Layout &layout = layoutOf(tile);
  Value inside = inTile(layout, tile.getShape());
  ElementPlaces places = placesIn(op.getMemory(), layout, tile.getShape(),
                                  op.getOffsets(), op.getSteps());
  emitWhen(ownsElements(layout), [&] {
    for (const Run &run : runsOf(layout, toDims(tile.getShape()),
                                 places.ofRegister, places.alignment)) {
      ArrayRef<int32_t> registers = run.registers;
      emitWhen(run.always ? Value() : element(inside, registers[0]), [&] {
        LLVM::StoreOp::create(b, loc, pick(value, registers),
                              addressOf(places, registers[0]),
                              unsigned(places.bytes * registers.size()));
      });
    }
  });
}

void ThreadEmitter::loadElements(tilegpu::LoadSharedOp op) {
  auto tile = cast<RankedTensorType>(op.getType());
  const layout::Layout &layout = layoutOf(tile);
  ElementPlaces places = placesIn(op.getMemory(), layout, tile.getShape(),
                                  op.getOffsets(), op.getSteps());
  auto type = cast<VectorType>(typeOf(tile));
  Type stored = numeric::storedType(type.getElementType());
  std::vector<int32_t> from(size_t(type.getNumElements()), -1);
  SmallVector<Value> loaded;
  for (const Run &run : runsOf(layout, toDims(tile.getShape()),
                               places.ofRegister, places.alignment)) {
    int32_t first = run.registers[0];
    auto part = VectorType::get({int64_t(run.registers.size())}, stored);
    Value vector = LLVM::LoadOp::create(
        b, loc, part,
        run.always ? addressOf(places, first) : boundedAddress(places, first),
        unsigned(places.bytes * run.registers.size()));
    for (auto [i, reg] : llvm::enumerate(run.registers)) {
      from[reg] = int32_t(loaded.size());
      loaded.push_back(element(vector, int64_t(i)));
    }
  }
  for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout)))
    from[reg] = from[source];
  set(op, numeric::fromMemory(b, loc, pick(vectorOf(loaded), from),
                              type.getElementType()));
}

} // namespace tilewright::nvptx
