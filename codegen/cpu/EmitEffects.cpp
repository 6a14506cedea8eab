//===- EmitEffects.cpp - Assertions and prints ----------------------------===//
//
// By functions of the cpu device (runtime/cpu/KernelCalls.h), which the code
// calls by name.
//
//===----------------------------------------------------------------------===//
#include "codegen/cpu/TileEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tileir/diagnostics/DiagnosticData.h"

using namespace mlir;

namespace tilewright::cpu {

/// The address of constant data of a type of LLVM.
Value TileEmitter::dataOf(Attribute data, Type type) {
  std::string name = (kernel.getSymName() + "_data" + Twine(dataCount++)).str();
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, loc, type, /*isConstant=*/true,
                           LLVM::Linkage::Private, name, data, 8);
  }
  return LLVM::AddressOfOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), name);
}

Value TileEmitter::stringOf(StringRef text) {
  std::string bytes = text.str() + '\0';
  return dataOf(b.getStringAttr(bytes),
                LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size()));
}

Value TileEmitter::arrayOf(ArrayRef<int64_t> numbers) {
  // There are no arrays of nothing: that of a tile without dims is not read.
  SmallVector<int64_t> all(numbers);
  if (all.empty())
    all.push_back(0);
  return dataOf(b.getI64TensorAttr(all),
                LLVM::LLVMArrayType::get(b.getI64Type(), all.size()));
}

void TileEmitter::callDevice(StringRef name, ValueRange arguments) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type =
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    SmallVector<Type>(arguments.getTypes()));
    function = LLVM::LLVMFuncOp::create(b, loc, name, type);
  }
  LLVM::CallOp::create(b, loc, function, arguments);
}

/// The number of dims of the grid, and this program's three indices.
TileEmitter::Values TileEmitter::programArguments() {
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(b, loc, value, 64);
  };
  Values arguments = {number(int64_t(programIds.size()))};
  for (size_t dim = 0; dim < 3; ++dim)
    arguments.push_back(dim < programIds.size() ? toI64(programIds[dim])
                                                : number(0));
  return arguments;
}

//===--- Assertions -------------------------------------------------------===//

/// Ends the program where `fails`, an i1, is true. `element` gives the index of
/// the element that does.
void TileEmitter::failWhere(tile::AssertOp op, Value fails,
                            function_ref<Value()> element) {
  auto branch = scf::IfOp::create(b, loc, fails, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Values arguments = {stringOf(op.getMessage()),
                      stringOf(placeText(op.getLoc())), element()};
  llvm::append_range(arguments, programArguments());
  callDevice("tilewright_check_failed", arguments);
}

LogicalResult TileEmitter::emitAssert(tile::AssertOp op) {
  Value condition = op.getCondition();
  auto negated = [&](Value holds) -> Value {
    Value yes = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(b.getOneAttr(holds.getType())));
    return arith::XOrIOp::create(b, loc, holds, yes);
  };
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  if (!type) {
    failWhere(op, negated(scalars.lookup(condition)),
              [&] { return toI64(index(0)); });
    return success();
  }
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  // As many elements at once as of the integers that are compared most.
  return forEachVector(
      type.getShape(), b.getI32Type(), [&](const Lanes &at) -> LogicalResult {
        FailureOr<Value> holds = eval(condition, at);
        if (failed(holds))
          return failure();
        Value fails = negated(*holds), bits;
        if (Value there = laneMask(at))
          fails = arith::SelectOp::create(
              b, loc, there, fails,
              arith::ConstantOp::create(b, loc,
                                        b.getZeroAttr(fails.getType())));
        Value any = fails;
        if (at.width > 1) {
          bits = LLVM::BitcastOp::create(
              b, loc, b.getIntegerType(unsigned(at.width)), fails);
          Value none = arith::ConstantOp::create(
              b, loc, b.getIntegerAttr(bits.getType(), 0));
          any = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bits,
                                      none);
        }
        failWhere(op, any, [&] {
          Value element = toI64(index(0));
          for (auto [i, stride] : llvm::zip(at.index, strides))
            element = arith::AddIOp::create(b, loc, element,
                                            toI64(mul(i, index(stride))));
          if (!bits)
            return element;
          Value first = math::CountTrailingZerosOp::create(b, loc, bits);
          first = arith::ExtUIOp::create(b, loc, b.getI64Type(), first);
          Value step =
              arith::ConstantIntOp::create(b, loc, strides[at.lane], 64);
          return arith::AddIOp::create(
                     b, loc, element,
                     arith::MulIOp::create(b, loc, first, step))
              .getResult();
        });
        return success();
      });
}

//===--- Prints -----------------------------------------------------------===//

/// One number, in 64 bits: a float as a double with the digits that tell those
/// of its type apart.
void TileEmitter::printNumber(Value value, Type type) {
  if (auto real = dyn_cast<FloatType>(type)) {
    Value digits =
        arith::ConstantIntOp::create(b, loc, real.isF64() ? 17 : 9, 64);
    Value number =
        numeric::FloatBits(b, loc).toFloat(value, real, b.getF64Type());
    return callDevice("tilewright_print_real", {number, digits});
  }
  if (isa<tile::PtrType>(type))
    return callDevice("tilewright_print_pointer", {value});
  if (type.isIndex())
    value = toI64(value);
  else if (type.isInteger(1))
    value = arith::ExtUIOp::create(b, loc, b.getI64Type(), value);
  else if (!type.isInteger(64))
    value = arith::ExtSIOp::create(b, loc, b.getI64Type(), value);
  callDevice("tilewright_print_integer", {value});
}

/// Numbers one by one; the device knows from the shape where brackets stand.
LogicalResult TileEmitter::emitPrint(tile::PrintOp op) {
  Values begin = {stringOf(op.getText())};
  llvm::append_range(begin, programArguments());
  callDevice("tilewright_print_begin", begin);
  for (Value value : op.getValues()) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!tile) {
      printNumber(scalars.lookup(value), value.getType());
      continue;
    }
    Value rank = arith::ConstantIntOp::create(b, loc, tile.getRank(), 64);
    callDevice("tilewright_print_tile", {rank, arrayOf(tile.getShape())});
    LogicalResult printed =
        forEachElement(tile.getShape(), [&](const Lanes &at) -> LogicalResult {
          FailureOr<Value> element = eval(value, at);
          if (succeeded(element))
            printNumber(*element, tile.getElementType());
          return element;
        });
    if (failed(printed))
      return failure();
  }
  callDevice("tilewright_print_end", {});
  return success();
}

} // namespace tilewright::cpu
