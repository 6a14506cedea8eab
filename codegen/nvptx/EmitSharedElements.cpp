//===- EmitSharedElements.cpp - Single elements in shared memory ----------===//
#include "codegen/nvptx/ElementLocations.h"

#include "codegen/gpu/TileGpu.h"
#include "codegen/layout/Access.h"
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/SharedLocation.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::nvptx {

using layout::HardwareDim;
using tilegpu::layoutOf;
using tilegpu::toDims;

ElementLocations locationsIn(Emission &e, const SharedWindow &window,
                             const layout::Layout &layout,
                             ArrayRef<int64_t> shape) {
  ImplicitLocOpBuilder &b = e.b;
  auto [memory, offsets, steps] = window;
  tilegpu::SharedType type = memory.getType();
  ElementLocations locations;
  locations.layout = layout;
  locations.base = sharedBase(e, memory);
  locations.bytes = tilegpu::elementBits(type.getElementType()) / 8;
  // Without a window, the same number of elements in another shape.
  bool isWhole = toDims(shape).product() == toDims(type.getShape()).product();
  int64_t stride = 1;
  locations.factors.resize(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    // Of one element, others are padding.
    if (shape[dim] > 1)
      locations.factors[dim] = stride * (steps.empty() ? 1 : steps[dim]);
    locations.constant += stride * (offsets.empty() ? 0 : offsets[dim]);
    stride *= isWhole ? shape[dim] : type.getShape()[dim];
  }
  locations.last = stride - 1;
  if (!layout::isSeparable(layout))
    return locations;
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    int64_t sum = locations.constant;
    layout::Dims at = layout.apply(layout::inRegister(reg, 0));
    for (size_t dim = 0; dim < shape.size(); ++dim)
      sum += at[dim] * locations.factors[dim];
    locations.ofRegister.push_back(sum);
  }
  locations.ofThread = integer(b, 0);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (locations.factors[dim])
      locations.ofThread = b.createOrFold<arith::AddIOp>(
          locations.ofThread,
          b.createOrFold<arith::MulIOp>(threadPart(e, layout, dim),
                                        integer(b, locations.factors[dim])));
  locations.threadAddress = addressAt(e, locations, locations.ofThread);
  return locations;
}

Value locationVector(Emission &e, const ElementLocations &locations) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t count = locations.layout.items();
  if (locations.ofThread) {
    SmallVector<int32_t> constants(locations.ofRegister.begin(),
                                   locations.ofRegister.end());
    Value ofRegister = arith::ConstantOp::create(
        b, DenseElementsAttr::get(VectorType::get({count}, b.getI32Type()),
                                  ArrayRef<int32_t>(constants)));
    return arith::AddIOp::create(b, splat(b, locations.ofThread, count),
                                 ofRegister);
  }
  Value sum = splat(b, integer(b, locations.constant), count);
  for (auto [dim, factor] : llvm::enumerate(locations.factors))
    if (factor)
      sum = arith::AddIOp::create(
          b, sum,
          arith::MulIOp::create(b, coordinates(e, locations.layout, dim),
                                splat(b, integer(b, factor), count)));
  return sum;
}

Value addressAt(Emission &e, const ElementLocations &locations,
                Value location) {
  ImplicitLocOpBuilder &b = e.b;
  if (locations.bytes > 1)
    location = arith::MulIOp::create(b, location, integer(b, locations.bytes));
  return LLVM::GEPOp::create(b, locations.base.getType(), b.getI8Type(),
                             locations.base, ArrayRef<LLVM::GEPArg>{location});
}

/// Of a register that holds an element.
static Value addressOf(Emission &e, const ElementLocations &locations,
                       int64_t reg) {
  ImplicitLocOpBuilder &b = e.b;
  if (!locations.ofThread)
    return addressAt(e, locations,
                     element(b, locationVector(e, locations), reg));
  return LLVM::GEPOp::create(b, locations.base.getType(), b.getI8Type(),
                             locations.threadAddress,
                             ArrayRef<LLVM::GEPArg>{int32_t(
                                 locations.ofRegister[reg] * locations.bytes)});
}

/// Of any register: within the memory.
static Value boundedAddress(Emission &e, const ElementLocations &locations,
                            int64_t reg) {
  ImplicitLocOpBuilder &b = e.b;
  Value location =
      locations.ofThread
          ? arith::AddIOp::create(b, locations.ofThread,
                                  integer(b, locations.ofRegister[reg]))
                .getResult()
          : element(b, locationVector(e, locations), reg);
  return addressAt(
      e, locations,
      arith::MinUIOp::create(b, location, integer(b, locations.last)));
}

void storeElements(Emission &e, const SharedWindow &window,
                   RankedTensorType tile, Value value) {
  ImplicitLocOpBuilder &b = e.b;
  const layout::Layout &layout = layoutOf(tile);
  Value inside = inTile(e, layout, tile.getShape());
  ElementLocations locations = locationsIn(e, window, layout, tile.getShape());
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
                                       addressOf(e, locations, reg),
                                       locations.bytes);
               });
    }
  });
}

Value loadElements(Emission &e, const SharedWindow &window,
                   RankedTensorType tile) {
  ImplicitLocOpBuilder &b = e.b;
  const layout::Layout &layout = layoutOf(tile);
  ElementLocations locations = locationsIn(e, window, layout, tile.getShape());
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
                        ? addressOf(e, locations, int64_t(reg))
                        : boundedAddress(e, locations, int64_t(reg));
    from.push_back(int32_t(loaded.size()));
    loaded.push_back(LLVM::LoadOp::create(b, stored, address, locations.bytes));
  }
  return numeric::fromMemory(b, b.getLoc(), pick(b, vectorOf(b, loaded), from),
                             type.getElementType());
}

} // namespace tilewright::nvptx
