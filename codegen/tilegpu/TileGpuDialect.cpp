//===- TileGpuDialect.cpp - Layouts and types of the scheduled level ------===//
#include "codegen/tilegpu/TileGpu.h"

#include "codegen/layout/Families.h"
#include "codegen/layout/Text.h"
#include "codegen/tilegpu/WarpReduction.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

#include "codegen/tilegpu/TileGpuDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "codegen/tilegpu/TileGpuAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "codegen/tilegpu/TileGpuTypes.cpp.inc"

namespace {
/// Prints aliases for layouts at the top of a module: types would be unreadable
/// else.
struct LayoutAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    auto named = dyn_cast<LayoutAttr>(attribute);
    if (!named)
      return AliasResult::NoAlias;
    bool inMemory = named.getLayout().kind() == layout::Kind::memory;
    os << (inMemory ? "memory" : "layout");
    return AliasResult::FinalAlias;
  }
};
} // namespace

void TileGpuDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
  addInterfaces<LayoutAliases>();
}

void TileGpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "codegen/tilegpu/TileGpuAttrs.cpp.inc"
      >();
}

void TileGpuDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "codegen/tilegpu/TileGpuTypes.cpp.inc"
      >();
}

//===--- Layouts ----------------------------------------------------------===//

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::string text;
  SMLoc where;
  if (parser.parseLess())
    return {};
  where = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater())
    return {};
  StatusOr<layout::Layout> parsed = layout::parse(text);
  if (!parsed.ok()) {
    parser.emitError(where) << parsed.status().message();
    return {};
  }
  return get(parser.getContext(), *parsed);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << layout::print(getLayout()) << "\">";
}

// layout_c1, layout_c2, layout_c3
LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                           function_ref<InFlightDiagnostic()> emitError) const {
  const layout::Layout &layout = getLayout();
  if (layout.kind() != layout::Kind::registers)
    return emitError() << "a tile's layout says what registers hold, found "
                          "one of memory (layout_c1)";
  if (layout.rank() != shape.size())
    return emitError() << "a layout of " << layout.rank()
                       << " dimensions for a tile of " << shape.size()
                       << " (layout_c2)";
  if (!layout.covers(toDims(shape)))
    return emitError() << "the layout covers " << layout.shape().text()
                       << ", the tile is " << toDims(shape).text()
                       << " (layout_c3)";
  return success();
}

//===--- Shared memory ----------------------------------------------------===//

Type SharedType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  LayoutAttr layout;
  int64_t slots = 1;
  SMLoc where = parser.getCurrentLocation();
  if (parser.parseLess() ||
      parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseComma() ||
      parser.parseAttribute(layout))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("slots") || parser.parseEqual() ||
       parser.parseInteger(slots)))
    return {};
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(where); },
                    parser.getContext(), shape, element, layout, slots);
}

void SharedType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << (getShape().empty() ? "" : "x") << getElementType() << ", "
          << getLayout();
  if (getSlots() != 1)
    printer << ", slots = " << getSlots();
  printer << ">";
}

// shared_c1, shared_c2, shared_c3, shared_c4
LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<int64_t> shape, Type elementType,
                                 LayoutAttr attribute, int64_t slots) {
  const layout::Layout &layout = attribute.getLayout();
  if (layout.kind() != layout::Kind::memory)
    return emitError() << "shared memory has a layout of memory, found one of "
                          "registers (shared_c1)";
  if (layout.rank() != shape.size() || !layout.covers(toDims(shape)))
    return emitError() << "the layout covers " << layout.shape().text()
                       << ", the tile is " << toDims(shape).text()
                       << " (shared_c2)";
  if (!tile::isScalar(elementType))
    return emitError() << "elements of shared memory are scalars, found "
                       << elementType << " (shared_c3)";
  if (slots < 1 || slots > 8)
    return emitError() << "a ring has 1 to 8 slots, found " << slots
                       << " (shared_c4)";
  return success();
}

/// Of a tile without padding between slots.
static int64_t bytesOfSlot(SharedType type) {
  return type.getLayout().getLayout().items() *
         elementBits(type.getElementType()) / 8;
}

int64_t SharedType::getSlotStride() const {
  // All banks once: slots have the bank conflicts of the first.
  constexpr int64_t ofBanks = 128;
  return llvm::alignTo(bytesOfSlot(*this), ofBanks);
}

int64_t SharedType::getBytes() const {
  return (getSlots() - 1) * getSlotStride() + bytesOfSlot(*this);
}

SharedType SharedType::getSlotType() const {
  return get(getContext(), getShape(), getElementType(), getLayout());
}

namespace tilewright::tilegpu {

bool hasLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
}

const layout::Layout &layoutOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return cast<LayoutAttr>(tensor.getEncoding()).getLayout();
}

RankedTensorType withLayout(RankedTensorType tile,
                            const layout::Layout &layout) {
  return RankedTensorType::get(tile.getShape(), tile.getElementType(),
                               LayoutAttr::get(tile.getContext(), layout));
}

StatusOr<RankedTensorType> warpReducedType(RankedTensorType tile,
                                           unsigned axis) {
  TILEWRIGHT_ASSIGN_OR_RETURN(
      WarpReduction reduced,
      warpReduction(layoutOf(tile), axis, tile.getDimSize(axis)));
  SmallVector<int64_t> shape(tile.getShape());
  shape[axis] = reduced.parts;
  return withLayout(RankedTensorType::get(shape, tile.getElementType()),
                    reduced.layout);
}

StatusOr<RankedTensorType> totalsType(RankedTensorType tile, unsigned axis) {
  TILEWRIGHT_ASSIGN_OR_RETURN(RankedTensorType parts,
                              warpReducedType(tile, axis));
  TILEWRIGHT_ASSIGN_OR_RETURN(layout::Layout gathered,
                              gatherWarps(layoutOf(parts), axis));
  return withLayout(parts, gathered);
}

bool isDense(SharedType memory) {
  StatusOr<layout::Layout> dense = layout::dense(toDims(memory.getShape()));
  return dense.ok() && *dense == memory.getLayout().getLayout();
}

layout::Dims toDims(ArrayRef<int64_t> shape) {
  return layout::Dims(std::span<const int64_t>(shape.data(), shape.size()));
}

SmallVector<int64_t> fromDims(const layout::Dims &dims) {
  return SmallVector<int64_t>(dims.begin(), dims.end());
}

unsigned elementBits(Type element) {
  if (element.isIndex() || isa<tile::PtrType>(element))
    return 64;
  return std::max(8u, element.getIntOrFloatBitWidth());
}

} // namespace tilewright::tilegpu
