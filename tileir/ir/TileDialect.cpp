#include "tileir/ir/CallerAttributes.h"
#include "tileir/ir/Support.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tilewright::tile;

#include "tileir/ir/TileDialect.cpp.inc"
#include "tileir/ir/TileEnums.cpp.inc"
#include "tileir/ir/TileInterfaces.cpp.inc"

void TileDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerTileDialectOperations(this);
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

/// Checks `tile.dim_divisible` and `tile.stride_divisible`.
static LogicalResult verifyDivisors(Operation *op, NamedAttribute attribute,
                                    Type type) {
  auto view = dyn_cast<ViewType>(type);
  auto divisors = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (!view || !divisors || divisors.size() != view.getRank() ||
      llvm::any_of(divisors.asArrayRef(), [](int64_t d) { return d < 1; }))
    return support::opError(op)
           << attribute.getName().getValue()
           << " must be an array<i64> of one positive number for each "
              "dimension of a view (kernel_c5)";
  return success();
}

/// Checks `tile.disjoint`.
static LogicalResult verifyDisjoint(FunctionOpInterface op, unsigned index,
                                    NamedAttribute attribute) {
  ArrayRef<Type> types = op.getArgumentTypes();
  auto others = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  auto isOther = [&](int64_t other) {
    return other >= 0 && other < int64_t(types.size()) &&
           other != int64_t(index) && isa<ViewType>(types[other]);
  };
  if (!isa<ViewType>(types[index]) || !others ||
      !llvm::all_of(others.asArrayRef(), isOther))
    return support::opError(op)
           << attribute.getName().getValue()
           << " must be an array<i64> of the numbers of other arguments, all "
              "views (kernel_c5)";
  return success();
}

/// Checks `tile.workspace` and `tile.zeroed`.
static LogicalResult verifyWorkspace(FunctionOpInterface op, unsigned index,
                                     NamedAttribute attribute) {
  const bool isLastOfKernel = isa<KernelOp>(op) &&
                              index + 1 == op.getNumArguments() &&
                              isa<PtrType>(op.getArgumentTypes()[index]);
  if (attribute.getName() == TileDialect::kZeroedAttr) {
    auto when = dyn_cast<StringAttr>(attribute.getValue());
    if (!when || !llvm::is_contained({"never", "once", "launch"}, when) ||
        !op.getArgAttr(index, TileDialect::kWorkspaceAttr))
      return support::opError(op)
             << attribute.getName().getValue()
             << " must be \"never\", \"once\" or \"launch\", on a workspace "
                "(kernel_c6)";
    return success();
  }
  auto align = dyn_cast_or_null<IntegerAttr>(
      op.getArgAttr(index, TileDialect::kAlignAttr));
  if (align && align.getInt() > 64)
    return support::opError(op) << "a workspace has an alignment of 64, found "
                                << align.getInt() << " (kernel_c6)";
  auto bytes = dyn_cast<AffineMapAttr>(attribute.getValue());
  if (!isLastOfKernel || !bytes || bytes.getValue().getNumResults() != 1 ||
      bytes.getValue().getNumDims() != 0 ||
      bytes.getValue().getNumSymbols() !=
          KernelOp::countGridSymbols(op.getArgumentTypes()))
    return support::opError(op)
           << attribute.getName().getValue()
           << " must be an affine map of the kernel's sizes to one number of "
              "bytes, on its last argument, a pointer (kernel_c6)";
  return success();
}

/// An error at an argument that begins with its attribute's name.
static InFlightDiagnostic argumentError(FunctionOpInterface op, unsigned index,
                                        NamedAttribute attribute) {
  Location loc = op.isExternal() ? op.getLoc() : op.getArgument(index).getLoc();
  return emitError(loc) << "argument " << index << " of @" << op.getName()
                        << ": " << attribute.getName().getValue() << ": ";
}

/// Checks `tile.name`, `tile.dims` and `tile.value`.
static LogicalResult verifyForCallers(FunctionOpInterface op, unsigned index,
                                      NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Type type = op.getArgumentTypes()[index];
  if (!isa<KernelOp>(op))
    return argumentError(op, index, attribute)
           << "expected a kernel, found a function (kernel_c8)";
  if (name == kDimsAttr) {
    auto view = dyn_cast<ViewType>(type);
    if (!view)
      return argumentError(op, index, attribute)
             << "expected a view, found " << type << " (kernel_c8)";
    auto dims = dyn_cast<ArrayAttr>(attribute.getValue());
    if (!dims || int64_t(dims.size()) != view.getRank() ||
        !llvm::all_of(dims, llvm::IsaPred<StringAttr>))
      return argumentError(op, index, attribute)
             << "expected a text for each of " << view.getRank()
             << " dimensions, such as \"M\" or \"\", found "
             << attribute.getValue() << " (kernel_c8)";
    return success();
  }
  if (name == kValueAttr && !type.isIntOrIndex())
    return argumentError(op, index, attribute)
           << "expected an integer or an index, found " << type
           << " (kernel_c8)";
  auto text = dyn_cast<StringAttr>(attribute.getValue());
  if (!text || text.empty())
    return argumentError(op, index, attribute)
           << "expected a text that is not empty, found "
           << attribute.getValue() << " (kernel_c8)";
  return success();
}

// kernel_c5, kernel_c6, kernel_c8
LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                    unsigned index,
                                                    NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  Type type = function.getArgumentTypes()[index];
  StringRef name = attribute.getName();
  if (name == kDimDivisibleAttr || name == kStrideDivisibleAttr)
    return verifyDivisors(op, attribute, type);
  if (name == kDisjointAttr)
    return verifyDisjoint(function, index, attribute);
  if (name == kWorkspaceAttr || name == kZeroedAttr)
    return verifyWorkspace(function, index, attribute);
  if (name == kNameAttr || name == kDimsAttr || name == kValueAttr)
    return verifyForCallers(function, index, attribute);
  bool isAlign = name == kAlignAttr;
  if (!isAlign && name != kDivisibleAttr)
    return argumentError(function, index, attribute)
           << "is unknown; expected tile.name, dims, value, align, divisible, "
              "dim_divisible, stride_divisible, disjoint, workspace or zeroed "
              "(kernel_c5)";
  bool fits = isAlign ? isa<ViewType, PtrType>(type) : type.isIntOrIndex();
  auto number = dyn_cast<IntegerAttr>(attribute.getValue());
  if (!fits || !number || number.getInt() < 1 ||
      (isAlign && !llvm::isPowerOf2_64(number.getInt())))
    return support::opError(op)
           << name
           << (isAlign ? " must be a power of two, on a view or pointer"
                       : " must be a positive number, on an index or integer")
           << " (kernel_c5)";
  return success();
}

/// Checks that attributes are on the ops, and in the form, that passes expect.
LogicalResult TileDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kTargetAttr &&
      !(isa<ModuleOp>(op) && isa<TargetAttr>(attribute.getValue())))
    return op->emitError() << name << ": expected a #tile.target, on a module";
  if (name == kScheduleAttr &&
      !((isa<KernelOp>(op) || op->hasAttr(kSignatureAttr)) &&
        isa<ScheduleAttr>(attribute.getValue())))
    return op->emitError() << name
                           << ": expected a #tile.schedule, on a tile.kernel";
  // kernel_c7
  if (name == kPersistentAttr) {
    auto programs = dyn_cast<IntegerAttr>(attribute.getValue());
    auto kernel = dyn_cast<KernelOp>(op);
    if (!programs || programs.getInt() < 1 || programs.getInt() > 32 ||
        !(op->hasAttr(kSignatureAttr) || (kernel && kernel.getGridRank() == 1)))
      return op->emitError()
             << name
             << ": expected 1 to 32 programs for each multiprocessor, "
                "on a tile.kernel with a grid of one dimension "
                "(kernel_c7)";
  }
  if ((name == kFastMathAttr || name == kVariantAttr) &&
      !isa<StringAttr>(attribute.getValue()))
    return op->emitError() << name << ": expected a string";
  if (name == kSignatureAttr && !(isa<FunctionOpInterface>(op) &&
                                  isa<SignatureAttr>(attribute.getValue())))
    return op->emitError() << name
                           << ": expected a #tile.signature, on a function";
  if (name == kBuffersAttr &&
      !(isa<KernelOp>(op) && isa<IntegerAttr>(attribute.getValue())))
    return op->emitError() << name << ": expected a count, on a tile.kernel";
  auto results = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  auto isTile = [&](int64_t result) {
    return result >= 0 && result < op->getNumResults() &&
           isa<RankedTensorType>(op->getResult(result).getType());
  };
  if (name == kBufferedAttr &&
      !(results && llvm::all_of(results.asArrayRef(), isTile)))
    return op->emitError()
           << name << ": expected the numbers of results that are tiles";
  return success();
}
