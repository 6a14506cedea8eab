// Helpers of this folder's verifiers and parsers; not for other components.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "tilewright/mlir/Tile.h"
#include <string>

namespace tilewright::tile::support {

/// An error at `op` that begins with its name: "tile.dot: ".
mlir::InFlightDiagnostic opError(mlir::Operation *op);

/// "128x64", or "scalar" for no dims.
std::string shapeText(llvm::ArrayRef<int64_t> shape);
/// The shape of a tile, none for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
/// The type without its layout.
mlir::Type withoutLayout(mlir::Type type);
/// Whether types are the same but for layouts.
bool sameButLayouts(mlir::TypeRange a, mlir::TypeRange b);
/// The type of an access through a pointer or tile of pointers.
mlir::Type accessedType(mlir::Type pointer);
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return shapeOf(value.getType());
}

/// The rules shared by accesses to tiles of views: names in the spec.
struct AccessRules {
  llvm::StringRef rank, offsets, element, steps;
};
/// Checks a tile of type `tile` accessed in `view`.
mlir::LogicalResult
verifyAccess(mlir::Operation *op, mlir::RankedTensorType tile,
             mlir::TypedValue<ViewType> view, size_t offsets, bool byElement,
             llvm::ArrayRef<int64_t> steps, const AccessRules &rules);

/// Adds a note at the op that defines `value`, if there is one.
void noteAt(mlir::InFlightDiagnostic &diagnostic, mlir::Value value,
            const llvm::Twine &text);

/// Parses a number (`0`, `-1.5`, `inf`, `-inf`, `nan`) that is to become an
/// attribute of a type that is known only later.
struct NumberLiteral {
  bool isFloat = false;
  double real = 0;
  llvm::APInt integer;
};
mlir::ParseResult parseNumber(mlir::OpAsmParser &parser, NumberLiteral &number);
/// The attribute of type `element`; an error at `loc` if it does not fit.
mlir::FailureOr<mlir::TypedAttr> makeNumber(mlir::OpAsmParser &parser,
                                            llvm::SMLoc loc,
                                            const NumberLiteral &number,
                                            mlir::Type element);
void printNumber(mlir::OpAsmPrinter &printer, mlir::TypedAttr number);

} // namespace tilewright::tile::support

namespace tilewright::tile {

/// `[%i, %j]` or `at [%r, %c] step [1, 2]`.
mlir::ParseResult parseAddress(
    mlir::OpAsmParser &parser,
    llvm::SmallVectorImpl<mlir::OpAsmParser::UnresolvedOperand> &offsets,
    mlir::UnitAttr &byElement, mlir::DenseI64ArrayAttr &steps);
void printAddress(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::OperandRange offsets, mlir::UnitAttr byElement,
                  mlir::DenseI64ArrayAttr steps);

/// ` acquire device`; nothing for a weak access.
mlir::ParseResult parseOrder(mlir::OpAsmParser &parser, MemoryOrderAttr &order,
                             MemoryScopeAttr &scope);
void printOrder(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                MemoryOrderAttr order, MemoryScopeAttr scope);

/// The type of the pointers alone, from which those of mask and values follow.
using OptionalOperand = std::optional<mlir::OpAsmParser::UnresolvedOperand>;
mlir::ParseResult parsePtrTypes(mlir::OpAsmParser &parser, mlir::Type &pointer,
                                mlir::Type &mask,
                                const OptionalOperand &maskOperand,
                                mlir::Type &value);
mlir::ParseResult parsePtrTypes(mlir::OpAsmParser &parser, mlir::Type &pointer,
                                mlir::Type &mask,
                                const OptionalOperand &maskOperand,
                                mlir::Type &other,
                                const OptionalOperand &otherOperand);
void printPtrTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::Type pointer, mlir::Type mask, mlir::Value maskValue,
                   mlir::Type value);
void printPtrTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                   mlir::Type pointer, mlir::Type mask, mlir::Value maskValue,
                   mlir::Type other, mlir::Value otherValue);

/// Nothing: the results' types are those of the inputs.
mlir::ParseResult parseSameTypes(mlir::OpAsmParser &parser,
                                 llvm::ArrayRef<mlir::Type> inputs,
                                 llvm::SmallVectorImpl<mlir::Type> &results);
void printSameTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                    mlir::TypeRange inputs, mlir::TypeRange results);

/// `SOURCE -> RESULT`; the optional operand in between has the source's shape
/// and elements i1 (of a histogram's mask) or i32 (of random numbers).
mlir::ParseResult parseHistogramTypes(mlir::OpAsmParser &parser,
                                      mlir::Type &source, mlir::Type &mask,
                                      const OptionalOperand &maskOperand,
                                      mlir::Type &result);
void printHistogramTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                         mlir::Type source, mlir::Type mask,
                         mlir::Value maskValue, mlir::Type result);
mlir::ParseResult parseConvertTypes(mlir::OpAsmParser &parser,
                                    mlir::Type &source, mlir::Type &random,
                                    const OptionalOperand &randomOperand,
                                    mlir::Type &result);
void printConvertTypes(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                       mlir::Type source, mlir::Type random,
                       mlir::Value randomValue, mlir::Type result);

} // namespace tilewright::tile
