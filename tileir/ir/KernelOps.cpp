// Kernels, device functions, program ids.
#include "tileir/ir/Support.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tilewright::tile;
using support::opError;

//===--- kernel -----------------------------------------------------------===//

int64_t KernelOp::countGridSymbols(TypeRange argumentTypes) {
  int64_t count = 0;
  for (Type type : argumentTypes) {
    if (auto view = dyn_cast<ViewType>(type))
      count += view.getRank();
    else if (type.isIntOrIndex())
      ++count;
  }
  return count;
}

unsigned KernelOp::getNumLaunchArguments() {
  const unsigned count = getNumArguments();
  return count && getArgAttr(count - 1, TileDialect::kWorkspaceAttr) ? count - 1
                                                                     : count;
}

SignatureAttr KernelOp::getSignature() {
  return SignatureAttr::get(getContext(), getFunctionType(), getGridAttr(),
                            getArgAttrsAttr());
}

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     TypeRange argumentTypes, AffineMap grid) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name),
                     TypeAttr::get(builder.getFunctionType(argumentTypes, {})));
  state.addAttribute(getGridAttrName(state.name), AffineMapAttr::get(grid));
  Region *region = state.addRegion();
  region->push_back(new Block);
  region->front().addArguments(
      argumentTypes,
      SmallVector<Location>(argumentTypes.size(), state.location));
  ensureTerminator(*region, builder, state.location);
}

/// The grid of a kernel with no `grid` clause: one program.
static AffineMap oneProgram(TypeRange argumentTypes, MLIRContext *context) {
  return AffineMap::get(0, KernelOp::countGridSymbols(argumentTypes),
                        getAffineConstantExpr(1, context), context);
}

/// Parses visibility, name, signature and, for a kernel, the grid.
static ParseResult parseFunction(OpAsmParser &parser, OperationState &state,
                                 StringAttr gridName, StringAttr argAttrsName,
                                 StringAttr resAttrsName) {
  Builder &builder = parser.getBuilder();
  (void)impl::parseOptionalVisibilityKeyword(parser, state.attributes);
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  bool isVariadic = false;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             state.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(
          parser, /*allowVariadic=*/false, arguments, isVariadic, resultTypes,
          resultAttrs))
    return failure();
  SmallVector<Type> argumentTypes;
  for (const OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(
                                          argumentTypes, resultTypes)));
  if (gridName) {
    auto grid =
        AffineMapAttr::get(oneProgram(argumentTypes, parser.getContext()));
    if (succeeded(parser.parseOptionalKeyword("grid")) &&
        parser.parseAttribute(grid))
      return failure();
    state.addAttribute(gridName, grid);
  }
  call_interface_impl::addArgAndResultAttrs(
      builder, state, arguments, resultAttrs, argAttrsName, resAttrsName);
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

/// Prints what parseFunction reads; a null `grid` prints none.
static void printFunction(OpAsmPrinter &printer, FunctionOpInterface op,
                          AffineMap grid, bool printTerminator) {
  printer << ' ';
  if (auto visibility = op->getAttrOfType<StringAttr>("sym_visibility"))
    printer << visibility.getValue() << ' ';
  printer.printSymbolName(op.getName());
  function_interface_impl::printFunctionSignature(
      printer, op, op.getArgumentTypes(), /*isVariadic=*/false,
      op.getResultTypes());
  if (grid && grid != oneProgram(op.getArgumentTypes(), op.getContext()))
    printer << " grid affine_map<" << grid << '>';
  function_interface_impl::printFunctionAttributes(
      printer, op,
      {"sym_visibility", "function_type", "grid", "arg_attrs", "res_attrs"});
  printer << ' ';
  printer.printRegion(op.getFunctionBody(), /*printEntryBlockArgs=*/false,
                      printTerminator);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  if (parseFunction(parser, state, getGridAttrName(state.name),
                    getArgAttrsAttrName(state.name),
                    getResAttrsAttrName(state.name)))
    return failure();
  ensureTerminator(*state.regions.front(), parser.getBuilder(), state.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printFunction(printer, *this, getGrid(), /*printTerminator=*/false);
}

LogicalResult KernelOp::verify() {
  // kernel_c1
  for (auto [number, type] : llvm::enumerate(getArgumentTypes()))
    if (!isa<ViewType>(type) && !isScalar(type))
      return opError(*this)
             << "argument " << number << " has type " << type
             << "; expected a view, pointer, index, integer or float "
                "(kernel_c1)";
  // kernel_c2
  if (!getResultTypes().empty())
    return opError(*this) << "a kernel has no results, found "
                          << getResultTypes().size() << " (kernel_c2)";
  // kernel_c3
  int64_t symbols = countGridSymbols(getArgumentTypes());
  if (getGrid().getNumDims() != 0 || getGrid().getNumSymbols() != symbols)
    return opError(*this) << "the grid has " << getGrid().getNumDims()
                          << " dims and " << getGrid().getNumSymbols()
                          << " symbols; the arguments have " << symbols
                          << " sizes, expected no dims and " << symbols
                          << " symbols (kernel_c3)";
  // kernel_c4
  if (getGridRank() < 1 || getGridRank() > 3)
    return opError(*this) << "the grid has " << getGridRank()
                          << " dimensions, expected 1 to 3 (kernel_c4)";
  return success();
}

//===--- func, return, call -----------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                   FunctionType type) {
  state.addAttribute(getSymNameAttrName(state.name),
                     builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  Region *region = state.addRegion();
  region->push_back(new Block);
  region->front().addArguments(
      type.getInputs(),
      SmallVector<Location>(type.getNumInputs(), state.location));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &state) {
  if (parseFunction(parser, state, /*gridName=*/{},
                    getArgAttrsAttrName(state.name),
                    getResAttrsAttrName(state.name)))
    return failure();
  ensureTerminator(*state.regions.front(), parser.getBuilder(), state.location);
  return success();
}

void FuncOp::print(OpAsmPrinter &printer) {
  printFunction(printer, *this, {},
                /*printTerminator=*/!getResultTypes().empty());
}

/// True if `function` can call itself, directly or through others.
static bool isRecursive(FuncOp function) {
  SmallVector<FuncOp> pending = {function};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    FuncOp caller = pending.pop_back_val();
    WalkResult result = caller->walk([&](CallOp call) {
      auto callee = SymbolTable::lookupNearestSymbolFrom<FuncOp>(
          caller, call.getCalleeAttr());
      if (callee == function)
        return WalkResult::interrupt();
      if (callee && seen.insert(callee).second)
        pending.push_back(callee);
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return true;
  }
  return false;
}

LogicalResult FuncOp::verify() {
  // func_c1
  auto isAllowed = [](Type type) {
    return isa<ViewType>(type) || isScalarOrTile(type);
  };
  for (Type type :
       llvm::concat<const Type>(getArgumentTypes(), getResultTypes()))
    if (!isAllowed(type))
      return opError(*this)
             << "type " << type
             << " is not allowed; expected a view, pointer, index, integer, "
                "float or tile (func_c1)";
  // func_c2
  if (isRecursive(*this))
    return opError(*this) << '@' << getSymName()
                          << " calls itself; recursion is not supported "
                             "(func_c2)";
  return success();
}

// return_c1
LogicalResult ReturnOp::verify() {
  auto function = cast<FunctionOpInterface>((*this)->getParentOp());
  if (TypeRange(function.getResultTypes()) == getOperandTypes())
    return success();
  InFlightDiagnostic diagnostic =
      opError(*this) << "returns (" << getOperandTypes() << "), @"
                     << function.getName() << " has results ("
                     << function.getResultTypes() << ") (return_c1)";
  diagnostic.attachNote(function.getLoc()) << "the function is declared here";
  return diagnostic;
}

void CallOp::build(OpBuilder &builder, OperationState &state, FuncOp callee,
                   ValueRange operands) {
  state.addOperands(operands);
  state.addAttribute(getCalleeAttrName(state.name),
                     FlatSymbolRefAttr::get(callee.getSymNameAttr()));
  state.addTypes(callee.getResultTypes());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  // call_c1
  if (!callee)
    return opError(*this) << getCalleeAttr()
                          << " is not a tile.func of this module (call_c1)";
  // call_c2
  if (TypeRange(callee.getArgumentTypes()) == getOperandTypes() &&
      TypeRange(callee.getResultTypes()) == getResultTypes())
    return success();
  InFlightDiagnostic diagnostic =
      opError(*this) << "calls " << getCalleeAttr() << " as ("
                     << getOperandTypes() << ") -> (" << getResultTypes()
                     << "), it is " << callee.getFunctionType() << " (call_c2)";
  diagnostic.attachNote(callee.getLoc()) << "the function is declared here";
  return diagnostic;
}

//===--- program_id, program_count ----------------------------------------===//

/// `%i, %j = tile.program_id`: the number of names determines the results.
static ParseResult parseIndexResults(OpAsmParser &parser,
                                     OperationState &state) {
  if (parser.parseOptionalAttrDict(state.attributes))
    return failure();
  state.addTypes(SmallVector<Type>(parser.getNumResults(),
                                   parser.getBuilder().getIndexType()));
  return success();
}

static LogicalResult verifyPerGridDimension(Operation *op, StringRef rule1,
                                            StringRef rule2) {
  auto kernel = op->getParentOfType<KernelOp>();
  if (!kernel)
    return opError(op) << "is allowed only in a tile.kernel; pass its results "
                          "to a device function ("
                       << rule1 << ")";
  if (static_cast<int64_t>(op->getNumResults()) == kernel.getGridRank())
    return success();
  InFlightDiagnostic diagnostic =
      opError(op) << "has " << op->getNumResults() << " results, the grid has "
                  << kernel.getGridRank() << " dimensions (" << rule2 << ")";
  diagnostic.attachNote(kernel.getLoc()) << "the grid is declared here";
  return diagnostic;
}

ParseResult ProgramIdOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseIndexResults(parser, state);
}

void ProgramIdOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs());
}

// program_id_c1, program_id_c2
LogicalResult ProgramIdOp::verify() {
  return verifyPerGridDimension(*this, "program_id_c1", "program_id_c2");
}

ParseResult ProgramCountOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseIndexResults(parser, state);
}

void ProgramCountOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs());
}

// program_count_c1, program_count_c2
LogicalResult ProgramCountOp::verify() {
  return verifyPerGridDimension(*this, "program_count_c1", "program_count_c2");
}
