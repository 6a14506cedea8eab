//===- Syntax.cpp - How lists of vectors are written ----------------------===//
//
// Indices are written in runs: `3` is one, `0+1*128` are 128, from 0 on, each
// one more than the one before; a step may be 0 or negative.
//
//===----------------------------------------------------------------------===//
#include "spatial/ir/Spatial.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tilewright::spatial {

//===--- Runs -------------------------------------------------------------===//

/// How many of `indices` are in one run: all of equal difference.
static size_t runLength(ArrayRef<int32_t> indices) {
  if (indices.size() < 2)
    return indices.size();
  const int64_t step = int64_t(indices[1]) - indices[0];
  size_t length = 2;
  while (length < indices.size() &&
         int64_t(indices[length]) - indices[length - 1] == step)
    ++length;
  return length;
}

static void printIndices(OpAsmPrinter &printer, ArrayRef<int32_t> indices) {
  printer << "[";
  bool first = true;
  while (!indices.empty()) {
    if (!first)
      printer << ", ";
    first = false;
    size_t length = runLength(indices);
    // Two equal differences make a run worth its text.
    if (length < 3)
      length = 1;
    printer << indices.front();
    if (length > 1) {
      const int64_t step = int64_t(indices[1]) - indices[0];
      printer << (step < 0 ? "-" : "+") << (step < 0 ? -step : step) << "*"
              << length;
    }
    indices = indices.drop_front(length);
  }
  printer << "]";
}

/// Of one list: more would be a mistake, or an attack.
static constexpr int64_t maxIndices = int64_t(1) << 28;

static ParseResult parseRun(OpAsmParser &parser,
                            SmallVectorImpl<int32_t> &indices) {
  int64_t start = 0, step = 0, count = 1;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseInteger(start))
    return failure();
  const bool ascends = succeeded(parser.parseOptionalPlus());
  if (ascends || succeeded(parser.parseOptionalMinus()))
    if (parser.parseInteger(step) || parser.parseStar() ||
        parser.parseInteger(count))
      return failure();
  if (!ascends)
    step = -step;
  if (count < 1 || int64_t(indices.size()) + count > maxIndices)
    return parser.emitError(location) << "expected between 1 and " << maxIndices
                                      << " indices, found " << count;
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = start + i * step;
    if (index < INT32_MIN || index > INT32_MAX)
      return parser.emitError(location, "an index that is too great");
    indices.push_back(static_cast<int32_t>(index));
  }
  return success();
}

static ParseResult parseIndices(OpAsmParser &parser,
                                DenseI32ArrayAttr &attribute) {
  SmallVector<int32_t> indices;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     [&] { return parseRun(parser, indices); }))
    return failure();
  attribute = parser.getBuilder().getDenseI32ArrayAttr(indices);
  return success();
}

//===--- Directives of assembly formats -----------------------------------===//

ParseResult parseIndex(OpAsmParser &parser, DenseI32ArrayAttr &indices) {
  return parseIndices(parser, indices);
}

void printIndex(OpAsmPrinter &printer, Operation *, DenseI32ArrayAttr indices) {
  printIndices(printer, indices);
}

ParseResult parseAluName(OpAsmParser &parser, StringAttr &attribute) {
  std::string name;
  if (parser.parseKeywordOrString(&name))
    return failure();
  attribute = parser.getBuilder().getStringAttr(name);
  return success();
}

void printAluName(OpAsmPrinter &printer, Operation *, StringAttr name) {
  printer.printKeywordOrString(name);
}

/// `%v[0+1*4]`.
static ParseResult
parseRead(OpAsmParser &parser,
          SmallVectorImpl<OpAsmParser::UnresolvedOperand> &reads,
          SmallVectorImpl<Attribute> &indices) {
  DenseI32ArrayAttr list;
  if (parser.parseOperand(reads.emplace_back()) || parseIndices(parser, list))
    return failure();
  indices.push_back(list);
  return success();
}

ParseResult parseReads(OpAsmParser &parser,
                       SmallVectorImpl<OpAsmParser::UnresolvedOperand> &reads,
                       ArrayAttr &indices) {
  SmallVector<Attribute> lists;
  if (parser.parseCommaSeparatedList(
          [&] { return parseRead(parser, reads, lists); }))
    return failure();
  indices = parser.getBuilder().getArrayAttr(lists);
  return success();
}

void printReads(OpAsmPrinter &printer, Operation *, OperandRange reads,
                ArrayAttr indices) {
  llvm::interleaveComma(llvm::zip(reads, indices), printer, [&](auto read) {
    printer << std::get<0>(read);
    printIndices(printer, cast<DenseI32ArrayAttr>(std::get<1>(read)));
  });
}

ParseResult
parseOperands(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &reads,
              ArrayAttr &indices, ArrayAttr &numbers) {
  SmallVector<Attribute> lists, entries;
  bool hasNumbers = false;
  Builder &builder = parser.getBuilder();
  auto parseOne = [&]() -> ParseResult {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
    if (!isOperand.has_value()) {
      double number = 0;
      if (parser.parseFloat(number))
        return failure();
      hasNumbers = true;
      entries.push_back(builder.getF64FloatAttr(number));
      return success();
    }
    DenseI32ArrayAttr list;
    if (*isOperand || parseIndices(parser, list))
      return failure();
    reads.push_back(operand);
    lists.push_back(list);
    entries.push_back(builder.getUnitAttr());
    return success();
  };
  if (parser.parseCommaSeparatedList(parseOne))
    return failure();
  indices = builder.getArrayAttr(lists);
  if (hasNumbers)
    numbers = builder.getArrayAttr(entries);
  return success();
}

void printOperands(OpAsmPrinter &printer, Operation *op, OperandRange reads,
                   ArrayAttr indices, ArrayAttr numbers) {
  if (!numbers)
    return printReads(printer, op, reads, indices);
  unsigned next = 0;
  llvm::interleaveComma(numbers, printer, [&](Attribute entry) {
    if (auto number = dyn_cast<FloatAttr>(entry)) {
      printer.printAttributeWithoutType(number);
      return;
    }
    printer << reads[next];
    printIndices(printer, cast<DenseI32ArrayAttr>(indices[next]));
    ++next;
  });
}

} // namespace tilewright::spatial

using namespace tilewright::spatial;

#include "spatial/ir/SpatialDialect.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "spatial/ir/SpatialTypes.cpp.inc"
#define GET_OP_CLASSES
#include "spatial/ir/SpatialOps.cpp.inc"

namespace tilewright::spatial {

void SpatialDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "spatial/ir/SpatialTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "spatial/ir/SpatialOps.cpp.inc"
      >();
}

} // namespace tilewright::spatial
