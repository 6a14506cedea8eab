//===- EmitSharedElements.cpp - Single elements in shared memory ----------===//
#include "codegen/nvptx/ElementPlaces.h"

#include "codegen/gpu/TileGpu.h"
#include "codegen/layout/Access.h"
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/SharedPlace.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::nvptx {

using layout::Axis;
using tilegpu::layoutOf;
using tilegpu::toDims;

ElementPlaces placesIn(Emission &e, const SharedWindow &window,
                       const layout::Layout &layout, ArrayRef<int64_t> shape) {
  ImplicitLocOpBuilder &b = e.b;
  auto [memory, offsets, steps] = window;
  tilegpu::SharedType type = memory.getType();
  ElementPlaces places;
  places.layout = layout;
  places.base = sharedBase(e, memory);
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
  places.ofThread = integer(b, 0);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (places.factors[dim])
      places.ofThread = b.createOrFold<arith::AddIOp>(
          places.ofThread,
          b.createOrFold<arith::MulIOp>(threadPart(e, layout, dim),
                                        integer(b, places.factors[dim])));
  places.threadAddress = addressAt(e, places, places.ofThread);
  return places;
}

Value placeVector(Emission &e, const ElementPlaces &places) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t count = places.layout.items();
  if (places.ofThread) {
    SmallVector<int32_t> constants(places.ofRegister.begin(),
                                   places.ofRegister.end());
    Value ofRegister = arith::ConstantOp::create(
        b, DenseElementsAttr::get(VectorType::get({count}, b.getI32Type()),
                                  ArrayRef<int32_t>(constants)));
    return arith::AddIOp::create(b, splat(b, places.ofThread, count),
                                 ofRegister);
  }
  Value sum = splat(b, integer(b, places.constant), count);
  for (auto [dim, factor] : llvm::enumerate(places.factors))
    if (factor)
      sum = arith::AddIOp::create(
          b, sum,
          arith::MulIOp::create(b, coordinates(e, places.layout, dim),
                                splat(b, integer(b, factor), count)));
  return sum;
}

Value addressAt(Emission &e, const ElementPlaces &places, Value place) {
  ImplicitLocOpBuilder &b = e.b;
  if (places.bytes > 1)
    place = arith::MulIOp::create(b, place, integer(b, places.bytes));
  return LLVM::GEPOp::create(b, places.base.getType(), b.getI8Type(),
                             places.base, ArrayRef<LLVM::GEPArg>{place});
}

/// Of a register that holds an element.
static Value addressOf(Emission &e, const ElementPlaces &places, int64_t reg) {
  ImplicitLocOpBuilder &b = e.b;
  if (!places.ofThread)
    return addressAt(e, places, element(b, placeVector(e, places), reg));
  return LLVM::GEPOp::create(
      b, places.base.getType(), b.getI8Type(), places.threadAddress,
      ArrayRef<LLVM::GEPArg>{int32_t(places.ofRegister[reg] * places.bytes)});
}

/// Of any register: within the memory.
static Value boundedAddress(Emission &e, const ElementPlaces &places,
                            int64_t reg) {
  ImplicitLocOpBuilder &b = e.b;
  Value place = places.ofThread
                    ? arith::AddIOp::create(b, places.ofThread,
                                            integer(b, places.ofRegister[reg]))
                          .getResult()
                    : element(b, placeVector(e, places), reg);
  return addressAt(e, places,
                   arith::MinUIOp::create(b, place, integer(b, places.last)));
}

void storeElements(Emission &e, const SharedWindow &window,
                   RankedTensorType tile, Value value) {
  ImplicitLocOpBuilder &b = e.b;
  const layout::Layout &layout = layoutOf(tile);
  Value inside = inTile(e, layout, tile.getShape());
  ElementPlaces places = placesIn(e, window, layout, tile.getShape());
  emitWhen(b, ownsElements(e, layout), [&] {
    for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout))) {
      layout::Coverage coverage =
          layout.coverage(int64_t(reg), toDims(tile.getShape()));
      if (size_t(source) != reg || coverage == layout::Coverage::never)
        continue;
      bool always = coverage == layout::Coverage::always;
      emitWhen(b, always ? Value() : element(b, inside, int64_t(reg)),
               [&, reg = int64_t(reg)] {
                 LLVM::StoreOp::create(b, element(b, value, reg),
                                       addressOf(e, places, reg), places.bytes);
               });
    }
  });
}

Value loadElements(Emission &e, const SharedWindow &window,
                   RankedTensorType tile) {
  ImplicitLocOpBuilder &b = e.b;
  const layout::Layout &layout = layoutOf(tile);
  ElementPlaces places = placesIn(e, window, layout, tile.getShape());
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
                        ? addressOf(e, places, int64_t(reg))
                        : boundedAddress(e, places, int64_t(reg));
    from.push_back(int32_t(loaded.size()));
    loaded.push_back(LLVM::LoadOp::create(b, stored, address, places.bytes));
  }
  return numeric::fromMemory(b, b.getLoc(), pick(b, vectorOf(b, loaded), from),
                             type.getElementType());
}

} // namespace tilewright::nvptx
