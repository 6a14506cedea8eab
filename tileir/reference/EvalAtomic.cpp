// Atomic operations and fences. Programs run one after the other, so that
// each access is atomic and ordered as it is.
#include "tileir/reference/ProgramInstance.h"
#include "tileir/reference/SetOps.h"
#include "tileir/reference/SetRules.h"

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

/// What an update by this kind permits where one of both has a spread; floats
/// that are added are gathered apart.
static Permitted updatedSet(tile::AtomicKind kind, const Element &old,
                            const Element &value) {
  if (kind == tile::AtomicKind::exchange)
    return value.permitted();
  const bool isFloat = isa<FloatType>(old.getType());
  if (isFloat && kind == tile::AtomicKind::max)
    return maximum(old.permitted(), value.permitted());
  if (isFloat && kind == tile::AtomicKind::min)
    return minimum(old.permitted(), value.permitted());
  return Permitted::any();
}

static Element updated(tile::AtomicKind kind, const Element &old,
                       const Element &value) {
  const bool isSingle = !old.hasSpread() && !value.hasSpread();
  Element next =
      isa<FloatType>(old.getType())
          ? Element::ofFloat(old.getType(),
                             updatedFloat(kind, old.real(), value.real()))
          : Element::ofInteger(
                old.getType(),
                updatedInteger(kind, old.integer(), value.integer()));
  return isSingle ? next : settle(next, updatedSet(kind, old, value));
}

/// Replaces the element at `pointer` by the result of `update`; returns its old
/// value. A float to which `term` is added gathers its terms: in which order
/// they come is not specified.
static FailureOr<Element>
updateAt(Operation *op, const Element &pointer, Type type,
         ProgramInstance &program, const Element *term,
         llvm::function_ref<Element(const Element &)> update) {
  if (pointer.isPoison())
    return poisonError(op, pointer, "the pointer is a poison value");
  if (pointer.hasSpread())
    return program.stop(op, "an address");
  Type inMemory = cast<tile::PtrType>(pointer.getType()).getPointee();
  StatusOr<Element> old =
      program.memory().load(pointer.pointer(), inMemory, type);
  if (!old)
    return errorAt(op, old.status());
  Element next = update(*old);
  Memory &memory = program.memory();
  Status stored = program.isOpen() && term
                      ? memory.add(pointer.pointer(), *old, *term, next,
                                   program.getFreedom())
                      : memory.store(pointer.pointer(), inMemory, next);
  if (!stored.ok())
    return errorAt(op, stored);
  // Other programs may come before or behind this one.
  return program.isOpen() ? old->withSpread(Spread::any()) : *old;
}

/// The term of an atomic that adds floats.
static const Element *termOf(tile::AtomicKind kind, const Element &value) {
  const bool isSum =
      kind == tile::AtomicKind::add && isa<FloatType>(value.getType());
  return isSum ? &value : nullptr;
}

/// An atomic through pointers: element `i` of the result is what was in memory
/// before `update(i, old)` replaced it; zero where the mask is false.
template <typename Op>
static LogicalResult
updateThrough(Op op, ProgramInstance &program,
              llvm::function_ref<const Element *(size_t)> term,
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
    if (enabled && enabled->hasSpread())
      return program.stop(op, "a mask");
    if (enabled && !enabled->isTrue()) {
      result.elements.push_back(Element::zero(result.elementType()));
      continue;
    }
    FailureOr<Element> old = updateAt(
        op, pointers.elements[i], result.elementType(), program, term(i),
        [&](const Element &before) { return update(i, before); });
    if (failed(old))
      return failure();
    result.elements.push_back(std::move(*old));
  }
  return program.set(op, std::move(result));
}

static LogicalResult evalRmw(tile::AtomicRmwOp op, ProgramInstance &program) {
  const TileValue &value = program.tile(op.getValue());
  return updateThrough(
      op, program,
      [&](size_t i) { return termOf(op.getKind(), value.elements[i]); },
      [&](size_t i, const Element &old) {
        return updated(op.getKind(), old, value.elements[i]);
      });
}

static LogicalResult evalCas(tile::AtomicCasOp op, ProgramInstance &program) {
  const TileValue &expected = program.tile(op.getCompare());
  const TileValue &value = program.tile(op.getValue());
  if (auto *poison = findPoison(expected.elements))
    return poisonError(op, *poison, "compares with a poison value");
  return updateThrough(
      op, program, [](size_t) -> const Element * { return nullptr; },
      [&](size_t i, const Element &old) {
        bool isExpected = old.integer() == expected.elements[i].integer();
        Element next = isExpected ? value.elements[i] : old;
        const bool isOpen = old.hasSpread() || expected.elements[i].hasSpread();
        return isOpen ? next.withSpread(Spread::any()) : next;
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
    status = LogicalResult(
        updateAt(op, pointer, value.elementType(), program,
                 termOf(op.getKind(), value.at(i)), [&](const Element &old) {
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
