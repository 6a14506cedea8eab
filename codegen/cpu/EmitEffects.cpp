//===- EmitEffects.cpp - Assertions and prints ----------------------------===//
//
// By functions of the cpu device (runtime/cpu/KernelCalls.h), which the code
// calls by name.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/Arithmetic.h"
#include "codegen/cpu/CpuOp.h"
#include "codegen/cpu/Elements.h"
#include "codegen/cpu/Loops.h"
#include "codegen/numeric/FloatBits.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tileir/diagnostics/DiagnosticData.h"

using namespace mlir;

namespace tilewright::cpu {

/// The address of constant data of a type of LLVM.
static Value dataOf(Attribute data, Type type, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  std::string name =
      (e.kernel.getSymName() + "_data" + Twine(e.data.count++)).str();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(e.data.module.getBody());
    LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Private,
                           name, data, 8);
  }
  return LLVM::AddressOfOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), name);
}

static Value stringOf(StringRef text, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  std::string bytes = text.str() + '\0';
  return dataOf(b.getStringAttr(bytes),
                LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()), e);
}

static Value arrayOf(ArrayRef<int64_t> numbers, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  // There are no arrays of nothing: that of a tile without dims is not read.
  SmallVector<int64_t> all(numbers);
  if (all.empty())
    all.push_back(0);
  return dataOf(b.getI64TensorAttr(all),
                LLVM::LLVMArrayType::get(b.getI64Type(), all.size()), e);
}

static void callDevice(StringRef name, ValueRange arguments, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto function = e.data.module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(e.data.module.getBody());
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    SmallVector<Type>(arguments.getTypes()));
    function = LLVM::LLVMFuncOp::create(b, name, type);
  }
  LLVM::CallOp::create(b, function, arguments);
}

/// The number of dims of the grid, and this program's three indices.
static Values programArguments(Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, value, 64);
  };
  Values arguments = {number(int64_t(e.programs.ids.size()))};
  for (size_t dim = 0; dim < 3; ++dim)
    arguments.push_back(dim < e.programs.ids.size()
                            ? toI64(b, e.programs.ids[dim])
                            : number(0));
  return arguments;
}

//===--- Assertions -------------------------------------------------------===//

/// Ends the program where `fails`, an i1, is true. `element` is the index of
/// the failing element.
static void failWhere(tile::AssertOp op, Value fails,
                      function_ref<Value()> element, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Values arguments = {stringOf(op.getMessage(), e),
                      stringOf(locationText(op.getLoc()), e), element()};
  llvm::append_range(arguments, programArguments(e));
  callDevice("tilewright_check_failed", arguments, e);
}

static LogicalResult emitAssert(tile::AssertOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Value condition = op.getCondition();
  auto negated = [&](Value holds) -> Value {
    Value yes = arith::ConstantOp::create(
        b, cast<TypedAttr>(b.getOneAttr(holds.getType())));
    return arith::XOrIOp::create(b, holds, yes);
  };
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  if (!type) {
    failWhere(
        op, negated(e.scalars.lookup(condition)),
        [&] { return toI64(b, index(b, 0)); }, e);
    return success();
  }
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  // The vector width of i32, the type that is compared most.
  return forEachVector(
      type.getShape(), b.getI32Type(), e,
      [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> holds = eval(condition, at, e);
        if (failed(holds))
          return failure();
        Value fails = negated(*holds), bits;
        if (Value there = laneMask(b, at))
          fails = arith::SelectOp::create(
              b, there, fails,
              arith::ConstantOp::create(b, b.getZeroAttr(fails.getType())));
        Value any = fails;
        if (at.width > 1) {
          bits = LLVM::BitcastOp::create(
              b, b.getIntegerType(unsigned(at.width)), fails);
          Value none =
              arith::ConstantOp::create(b, b.getIntegerAttr(bits.getType(), 0));
          any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits, none);
        }
        failWhere(
            op, any,
            [&] {
              Value element = toI64(b, index(b, 0));
              for (auto [i, stride] : llvm::zip(at.index, strides))
                element = arith::AddIOp::create(
                    b, element, toI64(b, mul(b, i, index(b, stride))));
              if (!bits)
                return element;
              Value first = math::CountTrailingZerosOp::create(b, bits);
              first = arith::ExtUIOp::create(b, b.getI64Type(), first);
              Value step =
                  arith::ConstantIntOp::create(b, strides[at.lane], 64);
              return arith::AddIOp::create(
                         b, element, arith::MulIOp::create(b, first, step))
                  .getResult();
            },
            e);
        return success();
      });
}

//===--- Prints -----------------------------------------------------------===//

/// One number, in 64 bits: a float as a double, with enough digits to identify
/// a value of its type.
static void printNumber(Value value, Type type, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  if (auto real = dyn_cast<FloatType>(type)) {
    Value digits = arith::ConstantIntOp::create(b, real.isF64() ? 17 : 9, 64);
    Value number =
        numeric::FloatBits(b, b.getLoc()).toFloat(value, real, b.getF64Type());
    return callDevice("tilewright_print_real", {number, digits}, e);
  }
  if (isa<tile::PtrType>(type))
    return callDevice("tilewright_print_pointer", {value}, e);
  if (type.isIndex())
    value = toI64(b, value);
  else if (type.isInteger(1))
    value = arith::ExtUIOp::create(b, b.getI64Type(), value);
  else if (!type.isInteger(64))
    value = arith::ExtSIOp::create(b, b.getI64Type(), value);
  callDevice("tilewright_print_integer", {value}, e);
}

/// Numbers one by one; the device derives the brackets from the shape.
static LogicalResult emitPrint(tile::PrintOp op, Emission &e) {
  Values begin = {stringOf(op.getText(), e)};
  llvm::append_range(begin, programArguments(e));
  callDevice("tilewright_print_begin", begin, e);
  for (Value value : op.getValues()) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!tile) {
      printNumber(e.scalars.lookup(value), value.getType(), e);
      continue;
    }
    Value rank = arith::ConstantIntOp::create(e.b, tile.getRank(), 64);
    callDevice("tilewright_print_tile", {rank, arrayOf(tile.getShape(), e)}, e);
    LogicalResult printed = forEachElement(
        tile.getShape(), e, [&](const Lanes &at) -> LogicalResult {
          FailureOr<Value> element = eval(value, at, e);
          if (succeeded(element))
            printNumber(*element, tile.getElementType(), e);
          return element;
        });
    if (failed(printed))
      return failure();
  }
  callDevice("tilewright_print_end", {}, e);
  return success();
}

void addEffectOps(CpuOps &ops) {
  ops.add<tile::AssertOp>({.emit = onOp(emitAssert)});
  ops.add<tile::PrintOp>({.emit = onOp(emitPrint)});
}

} // namespace tilewright::cpu
