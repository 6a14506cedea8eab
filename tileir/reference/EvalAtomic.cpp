// Atomic operations and fences. Programs run one after the other, so that
// each access is atomic and ordered as it is.
#include "tileir/reference/ProgramInstance.h"

using namespace mlir;
using llvm::APFloat;
using llvm::APInt;

namespace tilewright::reference {

static APInt updatedInteger(tile::AtomicKind kind, const APInt &old,
                            const APInt &value) {
  switch (kind) {
  case tile::AtomicKind::exchange:
    return value;
  case tile::AtomicKind::add:
    return old + value;
  case tile::AtomicKind::and_:
    return old & value;
  case tile::AtomicKind::or_:
    return old | value;
  case tile::AtomicKind::xor_:
    return old ^ value;
  case tile::AtomicKind::max:
    return old.sgt(value) ? old : value;
  case tile::AtomicKind::min:
    return old.slt(value) ? old : value;
  case tile::AtomicKind::umax:
    return old.ugt(value) ? old : value;
  case tile::AtomicKind::umin:
    return old.ult(value) ? old : value;
  }
  llvm_unreachable("all kinds are listed");
}

static APFloat updatedFloat(tile::AtomicKind kind, APFloat old,
                            const APFloat &value) {
  switch (kind) {
  case tile::AtomicKind::exchange:
    return value;
  case tile::AtomicKind::add:
    old.add(value, APFloat::rmNearestTiesToEven);
    return old;
  case tile::AtomicKind::max:
    return llvm::maximum(old, value);
  case tile::AtomicKind::min:
    return llvm::minimum(old, value);
  default:
    llvm_unreachable("the verifier allows no other kind for floats");
  }
}

static Element updated(tile::AtomicKind kind, const Element &old,
                       const Element &value) {
  if (isa<FloatType>(old.getType()))
    return Element::ofFloat(old.getType(),
                            updatedFloat(kind, old.real(), value.real()));
  return Element::ofInteger(
      old.getType(), updatedInteger(kind, old.integer(), value.integer()));
}

/// Replaces the element at `pointer` by the result of `update`; returns its old
/// value.
static FailureOr<Element>
updateAt(Operation *op, const Element &pointer, Type type,
         ProgramInstance &program,
         llvm::function_ref<Element(const Element &)> update) {
  if (pointer.isPoison())
    return poisonError(op, pointer, "the pointer is a poison value");
  StatusOr<Element> old = program.memory().load(pointer.pointer(), type);
  if (!old)
    return errorAt(op, old.status());
  if (Status stored = program.memory().store(pointer.pointer(), update(*old));
      !stored.ok())
    return errorAt(op, stored);
  return *old;
}

/// An atomic through pointers: element `i` of the result is what was in memory
/// before `update(i, old)` replaced it; zero where the mask is false.
template <typename Op>
static LogicalResult
updateThrough(Op op, ProgramInstance &program,
              llvm::function_ref<Element(size_t, const Element &)> update) {
  const TileValue &pointers = program.tile(op.getPtr());
  if (auto *poison = findPoison(program.tile(op.getValue()).elements))
    return poisonError(op, *poison, "stores a poison value");
  TileValue result{op.getType(), {}};
  for (size_t i = 0; i < pointers.elements.size(); ++i) {
    const Element *enabled =
        op.getMask() ? &program.tile(op.getMask()).elements[i] : nullptr;
    if (enabled && enabled->isPoison())
      return poisonError(op, *enabled, "the mask is a poison value");
    if (enabled && !enabled->isTrue()) {
      result.elements.push_back(Element::zero(result.elementType()));
      continue;
    }
    FailureOr<Element> old =
        updateAt(op, pointers.elements[i], result.elementType(), program,
                 [&](const Element &before) { return update(i, before); });
    if (failed(old))
      return failure();
    result.elements.push_back(std::move(*old));
  }
  return program.set(op, std::move(result));
}

static LogicalResult evalRmw(tile::AtomicRmwOp op, ProgramInstance &program) {
  const TileValue &value = program.tile(op.getValue());
  return updateThrough(op, program, [&](size_t i, const Element &old) {
    return updated(op.getKind(), old, value.elements[i]);
  });
}

static LogicalResult evalCas(tile::AtomicCasOp op, ProgramInstance &program) {
  const TileValue &expected = program.tile(op.getCompare());
  const TileValue &value = program.tile(op.getValue());
  if (auto *poison = findPoison(expected.elements))
    return poisonError(op, *poison, "compares with a poison value");
  return updateThrough(op, program, [&](size_t i, const Element &old) {
    bool isExpected = old.integer() == expected.elements[i].integer();
    return isExpected ? value.elements[i] : old;
  });
}

static LogicalResult evalAtomicReduce(tile::AtomicReduceOp op,
                                      ProgramInstance &program) {
  const ViewValue &view = program.view(op.getView());
  const TileValue &value = program.tile(op.getValue());
  if (auto *poison = findPoison(value.elements))
    return poisonError(op, *poison, "stores a poison value");
  FailureOr<Window> window = Window::of(op, value.shape(), program);
  if (failed(window))
    return failure();
  LogicalResult status = success();
  auto pointerType = tile::PtrType::get(view.elementType);
  forEachIndex(value.shape(), [&](Index i) {
    SmallVector<int64_t> index = window->at(i);
    if (failed(status) || !view.contains(index))
      return;
    auto pointer = Element::ofPointer(pointerType, view.address(index));
    status = LogicalResult(updateAt(
        op, pointer, view.elementType, program, [&](const Element &old) {
          return updated(op.getKind(), old, value.at(i));
        }));
  });
  return status;
}

void addAtomicOps(OpTable &table) {
  table.add<tile::AtomicRmwOp>(evalRmw);
  table.add<tile::AtomicCasOp>(evalCas);
  table.add<tile::AtomicReduceOp>(evalAtomicReduce);
  table.add<tile::FenceOp>(
      [](tile::FenceOp, ProgramInstance &) { return success(); });
}

} // namespace tilewright::reference
