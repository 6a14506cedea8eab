#include "tilewright/mlir/Tile.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_ATTRDEF_CLASSES
#include "tileir/ir/TileAttrs.cpp.inc"

std::optional<int64_t> ScheduleAttr::find(StringRef name) const {
  for (NamedAttribute parameter : getParameters())
    if (auto number = dyn_cast<IntegerAttr>(parameter.getValue());
        number && parameter.getName() == name)
      return number.getInt();
  return std::nullopt;
}

std::string ScheduleAttr::getText() const {
  std::string text;
  for (NamedAttribute parameter : getParameters()) {
    auto name = dyn_cast<StringAttr>(parameter.getValue());
    text += (text.empty() ? "" : " ") + parameter.getName().str() + "=" +
            (name ? name.str()
                  : std::to_string(
                        cast<IntegerAttr>(parameter.getValue()).getInt()));
  }
  return text;
}

ScheduleAttr ScheduleAttr::fromText(MLIRContext *context, StringRef text) {
  Builder builder(context);
  SmallVector<NamedAttribute> parameters;
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    auto [name, value] = word.split('=');
    int64_t number = 0;
    if (name.empty() || value.empty())
      return {};
    Attribute parsed = builder.getStringAttr(value);
    if (!value.getAsInteger(10, number))
      parsed = builder.getI64IntegerAttr(number);
    parameters.emplace_back(builder.getStringAttr(name), parsed);
  }
  return getChecked([&] { return emitError(builder.getUnknownLoc()); }, context,
                    parameters);
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<NamedAttribute> parameters) {
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    auto number = dyn_cast<IntegerAttr>(parameter.getValue());
    if (!(number && number.getType().isInteger(64)) &&
        !isa<StringAttr>(parameter.getValue()))
      return emitError() << "#tile.schedule: expected an integer or a name for "
                         << parameter.getName();
    if (llvm::is_contained(llvm::map_range(parameters.take_front(i),
                                           [](NamedAttribute other) {
                                             return other.getName();
                                           }),
                           parameter.getName()))
      return emitError() << "#tile.schedule: " << parameter.getName()
                         << " is there twice";
  }
  return success();
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SmallVector<NamedAttribute> parameters;
  SMLoc start = parser.getCurrentLocation();
  auto parseParameter = [&]() -> ParseResult {
    std::string name, value;
    int64_t number = 0;
    if (parser.parseKeywordOrString(&name) || parser.parseEqual())
      return failure();
    Builder &builder = parser.getBuilder();
    Attribute parsed;
    if (succeeded(parser.parseOptionalString(&value)))
      parsed = builder.getStringAttr(value);
    else if (succeeded(parser.parseInteger(number)))
      parsed = builder.getI64IntegerAttr(number);
    else
      return failure();
    parameters.emplace_back(builder.getStringAttr(name), parsed);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseParameter))
    return {};
  return getChecked([&] { return parser.emitError(start); },
                    parser.getContext(), parameters);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(
      getParameters(), printer, [&](NamedAttribute parameter) {
        printer.printKeywordOrString(parameter.getName());
        printer << " = ";
        if (auto number = dyn_cast<IntegerAttr>(parameter.getValue()))
          printer << number.getInt();
        else
          printer << parameter.getValue();
      });
  printer << ">";
}

LogicalResult
SignatureAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      FunctionType type, AffineMapAttr grid,
                      ArrayAttr arguments) {
  AffineMap map = grid.getValue();
  if (map.getNumDims() != 0 ||
      map.getNumSymbols() != KernelOp::countGridSymbols(type.getInputs()))
    return emitError() << "expected a grid of "
                       << KernelOp::countGridSymbols(type.getInputs())
                       << " symbols, found " << grid;
  if (arguments && (arguments.size() != type.getNumInputs() ||
                    !llvm::all_of(arguments, llvm::IsaPred<DictionaryAttr>)))
    return emitError() << "expected a dictionary for each of "
                       << type.getNumInputs() << " arguments, found "
                       << arguments;
  return success();
}

Attribute SignatureAttr::getArgAttr(unsigned i, StringRef name) const {
  return getArguments() ? cast<DictionaryAttr>(getArguments()[i]).get(name)
                        : Attribute();
}

void TileDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tileir/ir/TileAttrs.cpp.inc"
      >();
}
