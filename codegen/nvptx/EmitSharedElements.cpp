//===- EmitSharedElements.cpp - Single elements in shared memory ----------===//
#include "codegen/nvptx/ElementLocations.h"

#include "codegen/layout/Access.h"
#include "codegen/numeric/ElementTypes.h"
#include "codegen/nvptx/SharedLocation.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewright::nvptx {

using layout::HardwareDim;
using tilegpu::layoutOf;
using tilegpu::toDims;

/// The offsets of all registers where threads and registers choose the same
/// bits.
static Value sumOfCoordinates(Emission &e, const ElementLocations &locations) {
  ImplicitLocOpBuilder &b = e.b;
  int64_t count = locations.layout.items();
  Value sum = splat(b, integer(b, locations.constant), count);
  for (auto [dim, factor] : llvm::enumerate(locations.factors))
    if (factor)
      sum = arith::AddIOp::create(
          b, sum,
          arith::MulIOp::create(b, coordinates(e, locations.layout, dim),
                                splat(b, integer(b, factor), count)));
  return sum;
}

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
  if (!layout::hasSeparableCell(layout)) {
    locations.all = sumOfCoordinates(e, locations);
    return locations;
  }
  for (int64_t reg = 0; reg < layout.items(); ++reg) {
    int64_t sum = locations.constant;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      sum += registerPart(layout, reg, dim) * locations.factors[dim];
    locations.ofRegister.push_back(sum);
  }
  auto along = [&](unsigned dim, Value coordinate) {
    return b.createOrFold<arith::MulIOp>(coordinate,
                                         integer(b, locations.factors[dim]));
  };
  Value ofThread = integer(b, 0);
  for (unsigned dim = 0; dim < layout.rank(); ++dim)
    if (locations.factors[dim])
      ofThread = b.createOrFold<arith::AddIOp>(
          ofThread, along(dim, threadPart(e, layout, dim)));
  int64_t ofCell = layout.itemOfRound(1);
  int64_t rounds =
      layout.repeats().isSeparable() ? 1 : layout.repeats().rounds();
  for (int64_t round = 0; round < rounds; ++round) {
    Value first = ofThread;
    for (unsigned dim = 0; dim < layout.rank(); ++dim)
      if (Value repeat = repeatPart(e, layout, round * ofCell, dim);
          repeat && locations.factors[dim])
        first = b.createOrFold<arith::AddIOp>(first, along(dim, repeat));
    locations.ofRound.push_back(first);
    locations.roundAddress.push_back(addressAt(e, locations, first));
  }
  return locations;
}

/// The place of a register in the lists that have one entry for each round, or
/// one for all.
static size_t roundOf(const ElementLocations &locations, int64_t reg) {
  return locations.ofRound.size() == 1
             ? 0
             : size_t(reg / locations.layout.itemOfRound(1));
}

Value locationVector(Emission &e, const ElementLocations &locations) {
  ImplicitLocOpBuilder &b = e.b;
  if (locations.all)
    return locations.all;
  int64_t count = locations.layout.items();
  SmallVector<int32_t> constants(locations.ofRegister.begin(),
                                 locations.ofRegister.end());
  Value ofRegister = arith::ConstantOp::create(
      b, DenseElementsAttr::get(VectorType::get({count}, b.getI32Type()),
                                ArrayRef<int32_t>(constants)));
  Value first;
  if (locations.ofRound.size() == 1) {
    first = splat(b, locations.ofRound.front(), count);
  } else {
    SmallVector<Value> each;
    for (int64_t reg = 0; reg < count; ++reg)
      each.push_back(locations.ofRound[roundOf(locations, reg)]);
    first = vectorOf(b, each);
  }
  return arith::AddIOp::create(b, first, ofRegister);
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
  if (locations.all)
    return addressAt(e, locations, element(b, locations.all, reg));
  return LLVM::GEPOp::create(b, locations.base.getType(), b.getI8Type(),
                             locations.roundAddress[roundOf(locations, reg)],
                             ArrayRef<LLVM::GEPArg>{int32_t(
                                 locations.ofRegister[reg] * locations.bytes)});
}

/// Of any register: within the memory.
static Value boundedAddress(Emission &e, const ElementLocations &locations,
                            int64_t reg) {
  ImplicitLocOpBuilder &b = e.b;
  Value location =
      locations.all
          ? element(b, locations.all, reg)
          : arith::AddIOp::create(b, locations.ofRound[roundOf(locations, reg)],
                                  integer(b, locations.ofRegister[reg]))
                .getResult();
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
