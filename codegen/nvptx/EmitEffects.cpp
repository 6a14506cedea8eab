//===- EmitEffects.cpp - Inline PTX, assertions, prints -------------------===//
#include "codegen/layout/Access.h"
#include "codegen/numeric/ElementTypes.h"
#include "codegen/numeric/FloatBits.h"
#include "codegen/nvptx/Constants.h"
#include "codegen/nvptx/Emission.h"
#include "codegen/nvptx/GpuOpTable.h"
#include "codegen/nvptx/Threads.h"
#include "codegen/nvptx/Values.h"
#include "codegen/tilegpu/TileGpu.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewright::nvptx {

using tilegpu::layoutOf;

//===--- Inline PTX -------------------------------------------------------===//

/// The text for one element of each operand.
static SmallVector<Value> inlinePtx(Emission &e, tile::InlinePtxOp op,
                                    ValueRange operands) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(numeric::registerType(getElementTypeOrSelf(type)));
  // Several results come as a struct.
  SmallVector<Type> result(types);
  if (types.size() > 1)
    result = {LLVM::LLVMStructType::getLiteral(b.getContext(), types)};
  std::string constraints = op.getConstraints().str();
  if (!op.getIsPure())
    constraints += ",~{memory}";
  auto text = LLVM::InlineAsmOp::create(
      b, TypeRange(result), operands, op.getPtx(), constraints,
      /*has_side_effects=*/!op.getIsPure(),
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  if (types.size() < 2)
    return SmallVector<Value>(text->getResults());
  SmallVector<Value> results;
  for (int64_t i = 0; i < int64_t(types.size()); ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, text.getRes(), i));
  return results;
}

/// Under `condition` (null: always); where it does not hold, results are 0.
static SmallVector<Value>
valuesWhen(ImplicitLocOpBuilder &b, Value condition, TypeRange types,
           llvm::function_ref<SmallVector<Value>()> body) {
  if (!condition)
    return body();
  auto branch = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, body()); },
      [&](OpBuilder &, Location) {
        SmallVector<Value> zeros;
        for (Type type : types)
          zeros.push_back(arith::ConstantOp::create(
              b, cast<TypedAttr>(b.getZeroAttr(type))));
        scf::YieldOp::create(b, zeros);
      });
  return SmallVector<Value>(branch.getResults());
}

static LogicalResult emitInlinePtx(tile::InlinePtxOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<Value> operands, results;
  for (Value operand : op.getOperands())
    operands.push_back(e.get(operand));
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(numeric::registerType(getElementTypeOrSelf(type)));
  RankedTensorType tile;
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op.getOperandTypes()),
                                      SmallVector<Type>(op.getResultTypes())))
    if (auto found = dyn_cast<RankedTensorType>(type))
      tile = found;
  // What has an effect happens once for each element: in one thread.
  Value own = op.getIsPure() ? Value()
              : tile         ? ownsElements(e, layoutOf(tile))
                             : isFirstThread(e);
  if (own && !types.empty())
    return reject(op, "expected `pure`: several threads need the results, and "
                      "one of them has the effects");
  if (!tile) {
    results =
        valuesWhen(b, own, types, [&] { return inlinePtx(e, op, operands); });
    for (auto [result, value] : llvm::zip(op.getResults(), results))
      e.set(result, value);
    return success();
  }
  const layout::Layout &layout = layoutOf(tile);
  Value inside = op.getIsPure() ? Value() : inTile(e, layout, tile.getShape());
  SmallVector<SmallVector<Value>> made(types.size());
  emitWhen(b, own, [&] {
    for (auto [reg, source] : llvm::enumerate(layout::registerCopies(layout))) {
      SmallVector<Value> inputs;
      for (Value operand : operands)
        inputs.push_back(element(b, operand, int64_t(reg)));
      SmallVector<Value> values;
      if (size_t(source) == reg)
        values = valuesWhen(b, inside ? element(b, inside, reg) : Value(),
                            types, [&] { return inlinePtx(e, op, inputs); });
      for (auto [i, vector] : llvm::enumerate(made))
        vector.push_back(size_t(source) == reg ? values[i] : vector[source]);
    }
  });
  for (auto [result, elements] : llvm::zip(op.getResults(), made))
    e.set(result, vectorOf(b, elements));
  return success();
}

//===--- Assertions and prints --------------------------------------------===//

/// A function of the driver, declared once.
static LLVM::LLVMFuncOp driverFunction(Emission &e, StringRef name,
                                       LLVM::LLVMFunctionType type) {
  ImplicitLocOpBuilder &b = e.b;
  if (auto known = e.module.lookupSymbol<LLVM::LLVMFuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(e.module.getBody());
  return LLVM::LLVMFuncOp::create(b, name, type);
}

/// The address of a zero-terminated string, a generic pointer.
static Value stringOf(Emission &e, StringRef text) {
  ImplicitLocOpBuilder &b = e.b;
  std::string bytes = text.str() + '\0';
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), bytes.size());
  return LLVM::AddrSpaceCastOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()),
      dataOf(e, b.getStringAttr(bytes), type));
}

/// As assert of CUDA C++: the driver prints the message, and the kernel ends
/// with an error.
static void emitAssert(tile::AssertOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  Value fails = e.get(op.getCondition());
  Value yes = arith::ConstantOp::create(
      b, cast<TypedAttr>(b.getOneAttr(fails.getType())));
  fails = arith::XOrIOp::create(b, fails, yes);
  if (auto tile = dyn_cast<RankedTensorType>(op.getCondition().getType())) {
    if (Value inside = inTile(e, layoutOf(tile), tile.getShape()))
      fails =
          arith::SelectOp::create(b, inside, fails, zero(b, fails.getType()));
    fails = vector::ReductionOp::create(b, vector::CombiningKind::OR, fails);
  }
  std::string file;
  int32_t line = 0;
  if (auto location = op.getLoc()->findInstanceOf<FileLineColLoc>()) {
    file = location.getFilename().str();
    line = int32_t(location.getLine());
  }
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  // message, file, line, function, bytes of a character
  LLVM::LLVMFuncOp function = driverFunction(
      e, "__assertfail",
      LLVM::LLVMFunctionType::get(
          LLVM::LLVMVoidType::get(b.getContext()),
          {pointer, pointer, b.getI32Type(), pointer, b.getI64Type()}));
  emitWhen(b, fails, [&] {
    LLVM::CallOp::create(b, function,
                         ValueRange{stringOf(e, op.getMessage()),
                                    stringOf(e, file), integer(b, line),
                                    stringOf(e, e.kernel.getSymName()),
                                    integer(b, 1, 64)});
  });
}

/// Memory of this thread for a number of 8-byte words, allocated at the
/// kernel's entry: elsewhere an alloca would have a dynamic size.
static Value words(Emission &e, size_t count) {
  ImplicitLocOpBuilder &b = e.b;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(e.thread.getDefiningOp());
  return LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                b.getI64Type(), integer(b, int64_t(count)),
                                /*alignment=*/8);
}

/// One value as vprintf takes it, and its format.
static std::pair<Value, StringRef> printable(ImplicitLocOpBuilder &b,
                                             Value value, Type type,
                                             numeric::FloatBits bits) {
  if (isa<FloatType>(type)) {
    bool isDouble = type.isF64();
    return {bits.toFloat(value, type, b.getF64Type()),
            isDouble ? "%.17g" : "%.9g"};
  }
  Type wide = b.getI64Type();
  if (type.isIndex())
    return {arith::IndexCastOp::create(b, wide, value), "%lld"};
  if (value.getType() != wide)
    value = type.isInteger(1)
                ? arith::ExtUIOp::create(b, wide, value).getResult()
                : arith::ExtSIOp::create(b, wide, value).getResult();
  return {value, isa<tile::PtrType>(type) ? "0x%llx" : "%lld"};
}

/// By one thread, as the interpreter prints: "program [1, 0]: x = 2".
static LogicalResult emitPrint(tile::PrintOp op, Emission &e) {
  ImplicitLocOpBuilder &b = e.b;
  SmallVector<std::pair<Value, Type>> values;
  std::string format = "program [";
  for (int64_t dim = 0; dim < e.kernel.getGridRank(); ++dim) {
    values.push_back({programId(e, unsigned(dim)), b.getIndexType()});
    format += dim ? ", %lld" : "%lld";
  }
  format += "]: ";
  for (char c : op.getText())
    format += c == '%' ? "%%" : std::string(1, c);
  for (Value value : op.getValues()) {
    if (isa<RankedTensorType>(value.getType()))
      return reject(op, "expected scalars, found a tile: print elements of it "
                        "(tile.extract), or print on the interpreter");
    values.push_back({e.get(value), value.getType()});
  }
  // CUDA C++ Programming Guide, "Formatted Output": at most 32 arguments.
  if (values.size() > 32)
    return reject(op, "expected at most " + Twine(32 - e.kernel.getGridRank()) +
                          " values, found " + Twine(op.getValues().size()));
  Value first = isFirstThread(e);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  LLVM::LLVMFuncOp function = driverFunction(
      e, "vprintf",
      LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer}));
  emitWhen(b, first, [&] {
    Value arguments = words(e, values.size());
    size_t firstValue = values.size() - op.getValues().size();
    for (auto [i, value] : llvm::enumerate(values)) {
      auto [stored, part] = printable(b, value.first, value.second,
                                      numeric::FloatBits(b, b.getLoc()));
      Value at = LLVM::GEPOp::create(b, pointer, b.getI64Type(), arguments,
                                     ArrayRef<LLVM::GEPArg>{int32_t(i)});
      LLVM::StoreOp::create(b, stored, at);
      if (i >= firstValue)
        format += (i > firstValue ? ", " : "") + part.str();
    }
    LLVM::CallOp::create(b, function,
                         ValueRange{stringOf(e, format + "\n"), arguments});
  });
  return success();
}

void addEffectOps(GpuOps &ops) {
  add(ops, emitInlinePtx);
  add(ops, emitAssert);
  add(ops, emitPrint);
}

} // namespace tilewright::nvptx
