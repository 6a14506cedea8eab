#include "tilewright/mlir/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "tileir/ir/TileTypes.cpp.inc"

namespace tilewright::tile {

void TileDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tileir/ir/TileTypes.cpp.inc"
      >();
}

bool isMemoryElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1, 4, 8, 16, 32, 64}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type,
             Float8E4M3FNType, Float8E5M2Type, Float4E2M1FNType,
             Float8E8M0FNUType>(type);
}

bool isScalar(Type type) {
  return isMemoryElement(type) || isa<IndexType, PtrType>(type);
}

bool isTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() > 0 &&
         (!tensor.getEncoding() ||
          isa<VerifiableTensorEncoding>(tensor.getEncoding())) &&
         isScalar(tensor.getElementType());
}

bool isScalarOrTile(Type type) { return isScalar(type) || isTile(type); }

bool isPtrLike(Type type) {
  return isScalarOrTile(type) && isa<PtrType>(getElementTypeOrSelf(type));
}

int64_t getStorageBits(Type element) {
  if (isa<PtrType>(element))
    return 64;
  return std::max(8u, element.getIntOrFloatBitWidth());
}

Type withElementType(Type like, Type element) {
  if (auto tensor = dyn_cast<RankedTensorType>(like))
    return tensor.clone(element);
  return element;
}

static LogicalResult
checkMemoryElement(llvm::function_ref<InFlightDiagnostic()> emitError,
                   Type element) {
  if (isMemoryElement(element))
    return success();
  return emitError() << "element type " << element
                     << " cannot be in memory; expected i1, i4, i8, i16, i32, "
                        "i64, f16, bf16, f32, f64, f8E4M3FN, f8E5M2, "
                        "f4E2M1FN or f8E8M0FNU";
}

// ptr_c1
LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError,
                              Type pointee) {
  return checkMemoryElement(
      [&] { return emitError() << "!tile.ptr (ptr_c1): "; }, pointee);
}

LogicalResult ViewType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType,
                               ArrayRef<int64_t> strides) {
  // view_c1
  if (failed(checkMemoryElement(
          [&] { return emitError() << "!tile.view (view_c1): "; },
          elementType)))
    return failure();
  // view_c2
  if (!strides.empty() && strides.size() != shape.size())
    return emitError() << "!tile.view: " << strides.size() << " strides for "
                       << shape.size() << " dimensions (view_c2)";
  return success();
}

int64_t ViewType::getNumDynamicDims() const {
  return llvm::count_if(getShape(), ShapedType::isDynamic);
}

int64_t ViewType::getNumDynamicStrides() const {
  return llvm::count_if(getStrides(), ShapedType::isDynamic);
}

int64_t ViewType::getKnownStride(int64_t dim) const {
  if (hasExplicitStrides())
    return getStrides()[dim];
  int64_t stride = 1;
  for (int64_t size : getShape().drop_front(dim + 1)) {
    if (ShapedType::isDynamic(size))
      return ShapedType::kDynamic;
    stride *= size;
  }
  return stride;
}

Type ViewType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape, strides;
  Type element;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape) ||
      parser.parseType(element))
    return {};
  auto parseStride = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      strides.push_back(ShapedType::kDynamic);
      return success();
    }
    return parser.parseInteger(strides.emplace_back());
  };
  if (succeeded(parser.parseOptionalComma()))
    if (parser.parseKeyword("strides") || parser.parseLess() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseStride) ||
        parser.parseGreater())
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ViewType>(loc, parser.getContext(), shape, element,
                                     strides);
}

void ViewType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getShape());
  if (getRank() > 0)
    printer << 'x';
  printer << getElementType();
  if (hasExplicitStrides()) {
    printer << ", strides<[";
    llvm::interleaveComma(getStrides(), printer, [&](int64_t stride) {
      if (ShapedType::isDynamic(stride))
        printer << '?';
      else
        printer << stride;
    });
    printer << "]>";
  }
  printer << '>';
}

} // namespace tilewright::tile
