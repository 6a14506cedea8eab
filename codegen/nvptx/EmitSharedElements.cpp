//===- EmitSharedElements.cpp - Single elements in shared memory ----------===//
//
// Parts of tiles, and tiles of another shape: the memory is dense, so an
// element's place in it is a sum over its coordinates. LLVM joins accesses of
// neighbours to vectors where it finds them aligned.
//
//===----------------------------------------------------------------------===//
#include "codegen/layout/Access.h"
#include "codegen/nvptx/ElementPlaces.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

using layout::Axis;
using tilegpu::layoutOf;
using tilegpu::toDims;

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
  if (!layout::isSeparable(layout))
    return places;
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    int64_t sum = places.constant;
    layout::Dims at = layout.apply(layout::inRegister(reg, 0));
    for (size_t dim = 0; dim < shape.size(); ++dim)
      sum += at[dim] * places.factors[dim];
    places.ofRegister.push_back(sum);
  }
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

void ThreadEmitter::storeElements(tilegpu::StoreSharedOp op, Value value) {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  const layout::Layout &layout = layoutOf(tile);
  Value inside = inTile(layout, tile.getShape());
  ElementPlaces places = placesIn(op.getMemory(), layout, tile.getShape(),
                                  op.getOffsets(), op.getSteps());
  emitWhen(ownsElements(layout), [&] {
    for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout))) {
      layout::Coverage coverage =
          layout.coverage(int64_t(reg), toDims(tile.getShape()));
      if (size_t(source) != reg || coverage == layout::Coverage::never)
        continue;
      bool always = coverage == layout::Coverage::always;
      emitWhen(always ? Value() : element(inside, int64_t(reg)),
               [&, reg = int64_t(reg)] {
                 LLVM::StoreOp::create(b, loc, element(value, reg),
                                       addressOf(places, reg), places.bytes);
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
  std::vector<int32_t> from;
  SmallVector<Value> loaded;
  for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout))) {
    layout::Coverage coverage =
        layout.coverage(int64_t(reg), toDims(tile.getShape()));
    if (size_t(source) != reg || coverage == layout::Coverage::never) {
      from.push_back(size_t(source) != reg ? from[source] : -1);
      continue;
    }
    Value address = coverage == layout::Coverage::always
                        ? addressOf(places, int64_t(reg))
                        : boundedAddress(places, int64_t(reg));
    from.push_back(int32_t(loaded.size()));
    loaded.push_back(
        LLVM::LoadOp::create(b, loc, stored, address, places.bytes));
  }
  set(op, numeric::fromMemory(b, loc, pick(vectorOf(loaded), from),
                              type.getElementType()));
}

} // namespace tilewright::nvptx
