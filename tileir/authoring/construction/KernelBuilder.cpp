#include "tileir/authoring/construction/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tileir/diagnostics/DiagnosticData.h"
#include "llvm/Support/FormatVariadic.h"

#include <atomic>

using namespace mlir;

namespace tilewright::authoring {

using detail::Handle;
using detail::Handles;
using detail::Literal;
using detail::Operand;
using detail::ParameterType;
using detail::Sizes;

static thread_local KernelBuilder *currentKernelBuilder = nullptr;

static uint64_t nextId() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

KernelBuilder *KernelBuilder::current() { return currentKernelBuilder; }

KernelBuilder::KernelBuilder(const Bindings &bindings,
                             const BuildOptions &options)
    : context(MLIRContext::Threading::DISABLED), builder(&context),
      bindings(bindings), options(options), id(nextId()),
      outer(currentKernelBuilder),
      handler(&context, [this](mlir::Diagnostic &d) {
        if (d.getSeverity() == DiagnosticSeverity::Error && !hasFailed())
          diagnostics.push_back(toDiagnostic(d));
        return success();
      }) {
  context.loadDialect<tile::TileDialect, arith::ArithDialect, math::MathDialect,
                      scf::SCFDialect>();
  currentKernelBuilder = this;
}

KernelBuilder::~KernelBuilder() { currentKernelBuilder = outer; }

void KernelBuilder::discard(Operation *op) {
  if (discarded.empty())
    discarded.emplaceBlock();
  op->dropAllReferences();
  op->moveBefore(&discarded.front(), discarded.front().end());
}

//===--- Errors -----------------------------------------------------------===//

void KernelBuilder::error(const std::source_location &where, StringRef code,
                          const Twine &message) {
  if (hasFailed())
    return;
  tilewright::Diagnostic &diagnostic = diagnostics.emplace_back();
  diagnostic.code = code;
  diagnostic.message = message.str();
  diagnostic.where = {where.file_name(), where.line(), where.column()};
}

//===--- Values -----------------------------------------------------------===//

/// "kernel 'a'", for the kernel that contains the value.
static std::string ownerOf(Region *region) {
  auto kernel = region->getParentOfType<tile::KernelOp>();
  return kernel ? "kernel '" + kernel.getName().str() + "'"
                : std::string("another kernel");
}

Value KernelBuilder::valueOf(Handle handle, const std::source_location &where) {
  if (hasFailed())
    return {};
  if (!handle.value) {
    error(where, "empty_value",
          "a value that was never made: it was declared without one, or "
          "computed where no kernel is built; make it inside " +
              ownerOf(&kernel.getRegion()));
    return {};
  }
  if (handle.kernelBuilder != id) {
    error(where, "foreign_handle",
          "a value of another kernel, or of an earlier build of this one, is "
          "used in " +
              ownerOf(&kernel.getRegion()) +
              "; make it anew in this one, or pass it as an argument");
    return {};
  }
  Value value = Value::getFromOpaquePointer(handle.value);
  Region *here = builder.getInsertionBlock()->getParent();
  Region *home = value.getParentRegion();
  if (home->isAncestor(here))
    return value;
  if (tracedBefore && tracedBefore->isAncestor(home->getParentOp())) {
    error(where, "loop_variable",
          "a variable is read here that the body of a loop or a reduction "
          "assigned in the iteration before; iterations share no variables of "
          "C++: pass the value to the loop, take it as an argument of the body "
          "and return the next one");
    return {};
  }
  error(where, "escaped_value",
        "a value made inside the body of a loop, a condition or a reduction "
        "is used outside of it; return it from the body");
  return {};
}

Handles KernelBuilder::handlesOf(ValueRange values) const {
  Handles handles;
  for (Value value : values)
    handles.push_back(handleOf(value));
  return handles;
}

bool KernelBuilder::valuesOf(const Handles &handles,
                             const std::source_location &where,
                             SmallVectorImpl<Value> &values) {
  for (Handle handle : handles) {
    Value value = valueOf(handle, where);
    if (!value)
      return false;
    values.push_back(value);
  }
  return true;
}

//===--- Types ------------------------------------------------------------===//

Type KernelBuilder::typeOf(authoring::ElementType type) {
  if (type.isIndex)
    return builder.getIndexType();
  switch (type.dtype) {
  case runtime::DType::F16:
    return builder.getF16Type();
  case runtime::DType::BF16:
    return builder.getBF16Type();
  case runtime::DType::F32:
    return builder.getF32Type();
  case runtime::DType::F64:
    return builder.getF64Type();
  case runtime::DType::F8E4M3FN:
    return Float8E4M3FNType::get(&context);
  case runtime::DType::F8E5M2:
    return Float8E5M2Type::get(&context);
  case runtime::DType::F4E2M1FN:
    return Float4E2M1FNType::get(&context);
  case runtime::DType::F8E8M0FNU:
    return Float8E8M0FNUType::get(&context);
  default:
    return builder.getIntegerType(runtime::dtypeInfo(type.dtype).bits);
  }
}

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return shape.empty() ? "no dimensions" : text;
}

RankedTensorType KernelBuilder::tileType(Sizes shape, Type element,
                                         const std::source_location &where) {
  // Far beyond what a program can hold; code for it would take minutes.
  constexpr int64_t mostElements = int64_t{1} << 24;
  int64_t elements = 1;
  for (int64_t size : shape) {
    if (size < 1) {
      error(where, "tile_size",
            "a tile of " + shapeText({shape.data(), shape.size()}) +
                ": expected sizes of at least 1, found " + Twine(size));
      return {};
    }
    elements = size > mostElements ? size : elements * size;
    if (elements > mostElements) {
      error(where, "tile_size",
            "a tile of " + shapeText({shape.data(), shape.size()}) +
                ": expected at most " + Twine(mostElements) +
                " elements; let a loop or the grid go over smaller tiles");
      return {};
    }
  }
  return RankedTensorType::get({shape.data(), shape.size()}, element);
}

bool KernelBuilder::checkAxis(StringRef name, int &axis, Value tile,
                              const std::source_location &where) {
  int64_t rank = cast<RankedTensorType>(tile.getType()).getRank();
  if (axis >= -rank && axis < rank) {
    axis += axis < 0 ? static_cast<int>(rank) : 0;
    return true;
  }
  error(where, "axis",
        name + ": axis " + Twine(axis) + " of a tile with " +
            (rank == 0
                 ? std::string("no dimensions; expand it first")
                 : llvm::formatv("{0} dimension{1}; expected {2} to {3}, "
                                 "negative ones from the end",
                                 rank, rank == 1 ? "" : "s", -rank, rank - 1)
                       .str()));
  return false;
}

Location KernelBuilder::locationOf(const std::source_location &where) {
  if (!where.line())
    return builder.getUnknownLoc();
  return FileLineColLoc::get(&context, where.file_name(), where.line(),
                             where.column());
}

//===--- Operations -------------------------------------------------------===//

bool KernelBuilder::checked(Operation *op) {
  return succeeded(verify(op, /*verifyRecursively=*/false)) && !hasFailed();
}

Value KernelBuilder::scalar(const Operand &operand, Type type, bool isSigned) {
  if (operand.literal.kind != Literal::none)
    return constant(operand.literal, type, isSigned, operand.where);
  return valueOf(operand.handle, operand.where);
}

Value KernelBuilder::index(const Operand &operand) {
  return scalar(operand, builder.getIndexType(), true);
}

//===--- The kernel -------------------------------------------------------===//

Type KernelBuilder::parameterType(const ParameterType &parameter) {
  Type element = typeOf(parameter.element);
  switch (parameter.kind) {
  case ParameterType::Kind::scalar:
    return element;
  case ParameterType::Kind::pointer:
    return tile::PtrType::get(element);
  case ParameterType::Kind::view:
    break;
  }
  SmallVector<int64_t> dynamic(parameter.rank, ShapedType::kDynamic);
  return tile::ViewType::get(dynamic, element,
                             parameter.strided ? ArrayRef<int64_t>(dynamic)
                                               : ArrayRef<int64_t>());
}

void KernelBuilder::begin(StringRef name,
                          const std::vector<ParameterType> &parameters,
                          const std::source_location &where) {
  Location location = locationOf(where);
  module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> types;
  for (const ParameterType &parameter : parameters)
    types.push_back(parameterType(parameter));
  AffineMap oneProgram =
      AffineMap::get(0, tile::KernelOp::countGridSymbols(types),
                     builder.getAffineConstantExpr(1), &context);
  kernel = tile::KernelOp::create(builder, location, name, types, oneProgram);
  builder.setInsertionPoint(kernel.getRegion().front().getTerminator());
  bool isIdentifier =
      !name.empty() && !llvm::isDigit(name.front()) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!isIdentifier)
    error(where, "kernel_name",
          "a kernel is called '" + name +
              "': expected letters, digits and '_', not beginning with a "
              "digit");
}

void KernelBuilder::checkBindings(const std::source_location &where) {
  for (const auto &[name, value] : bindings) {
    auto isNamed = [&name = name](const Tunable &t) { return t.name == name; };
    if (llvm::any_of(tunables, isNamed))
      continue;
    std::string known;
    for (const Tunable &tunable : tunables)
      known += (known.empty() ? "" : ", ") + tunable.name;
    error(where, "tunable_unknown",
          "kernel '" + kernel.getName() + "' has no tunable '" + name + "'" +
              (known.empty() ? std::string("; it has none")
                             : "; its tunables are " + known));
  }
}

void KernelBuilder::finish(const std::source_location &where) {
  checkBindings(where);
  if (hasFailed())
    return;
  // What only the grid was computed from.
  IRRewriter rewriter(&context);
  (void)runRegionDCE(rewriter, kernel->getRegions());
  (void)verify(*module);
}

} // namespace tilewright::authoring
