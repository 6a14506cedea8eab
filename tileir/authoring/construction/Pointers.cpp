// Pointers, atomic operations, fences.
#include "tileir/authoring/construction/Address.h"
#include "tileir/authoring/construction/Handles.h"
#include "tileir/authoring/construction/Literals.h"
#include "tileir/authoring/construction/Types.h"

using namespace mlir;

namespace tilewright::authoring::detail {

static tile::MemoryOrder orderOf(Order order) {
  switch (order) {
  case Order::weak:
    return tile::MemoryOrder::weak;
  case Order::relaxed:
    return tile::MemoryOrder::relaxed;
  case Order::acquire:
    return tile::MemoryOrder::acquire;
  case Order::release:
    return tile::MemoryOrder::release;
  case Order::acqRel:
    return tile::MemoryOrder::acq_rel;
  case Order::seqCst:
    return tile::MemoryOrder::seq_cst;
  }
  return tile::MemoryOrder::weak;
}

static tile::MemoryScope scopeOf(Scope scope) {
  switch (scope) {
  case Scope::program:
    return tile::MemoryScope::program;
  case Scope::cluster:
    return tile::MemoryScope::cluster;
  case Scope::device:
    return tile::MemoryScope::device;
  case Scope::system:
    return tile::MemoryScope::system;
  }
  return tile::MemoryScope::device;
}

/// The scope of an access; a weak one has none.
static tile::MemoryScopeAttr scopeAttr(KernelBuilder &c, Ordering ordering) {
  return ordering.order == Order::weak
             ? tile::MemoryScopeAttr()
             : tile::MemoryScopeAttr::get(&c.context, scopeOf(ordering.scope));
}

static tile::AtomicKind kindOf(Atomic op, ElementTraits elementTraits) {
  bool isUnsigned = !elementTraits.isFloat && !elementTraits.isSigned;
  switch (op) {
  case Atomic::exchange:
    return tile::AtomicKind::exchange;
  case Atomic::add:
    return tile::AtomicKind::add;
  case Atomic::bitAnd:
    return tile::AtomicKind::and_;
  case Atomic::bitOr:
    return tile::AtomicKind::or_;
  case Atomic::bitXor:
    return tile::AtomicKind::xor_;
  case Atomic::max:
    return isUnsigned ? tile::AtomicKind::umax : tile::AtomicKind::max;
  case Atomic::min:
    return isUnsigned ? tile::AtomicKind::umin : tile::AtomicKind::min;
  }
  return tile::AtomicKind::add;
}

namespace {
/// An access through a pointer or a tile of pointers.
struct Access {
  KernelBuilder &c;
  Value pointer;
  std::source_location where;

  static std::optional<Access> at(Handle pointer,
                                  const std::source_location &where) {
    KernelBuilder *c = KernelBuilder::current();
    Value value = c ? valueOf(*c, pointer, where) : Value();
    return value ? std::optional<Access>({*c, value, where}) : std::nullopt;
  }

  /// An operand as one value for each pointer; null where there is an error.
  Value value(const Operand &operand, Type element, bool isSigned) const {
    Type type = tile::withElementType(pointer.getType(), element);
    if (operand.literal.kind != Literal::none)
      return constantOf(c, operand.literal, type, isSigned, operand.where);
    Value given = valueOf(c, operand.handle, operand.where);
    if (!given || given.getType() == type)
      return given;
    if (auto tile = dyn_cast<RankedTensorType>(given.getType())) {
      c.error(where, "access_shape",
              "a value or mask of " + shapeText(tile.getShape()) +
                  " for pointers of " +
                  shapeText(cast<RankedTensorType>(type).getShape()) +
                  "; expected one shape, or a scalar");
      return {};
    }
    return c.createOrFold<tile::SplatOp>(operand.where, type, given);
  }
  Value element(const Operand &operand, ElementTraits elementTraits) const {
    return value(operand, typeOf(c, elementTraits.type),
                 elementTraits.isSigned);
  }
  Value mask(const Operand *operand) const {
    return operand ? value(*operand, c.builder.getI1Type(), false) : Value();
  }
};
} // namespace

Handle offset(Handle pointer, const Operand &elements,
              std::source_location where) {
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, pointer, where) : Value();
  Value count = value ? indexOf(*c, elements) : Value();
  if (!count)
    return {};
  if (auto pointers = dyn_cast<RankedTensorType>(value.getType());
      pointers && !isa<RankedTensorType>(count.getType()))
    count = c->createOrFold<tile::SplatOp>(
        where, pointers.clone(count.getType()), count);
  auto op = c->create<tile::OffsetOp>(where, value, count);
  return op ? handleOf(*c, op.getResult()) : Handle();
}

/// Appends a conversion of a pointer, or of an address, to elements of `to`.
template <class Op>
static Handle converted(Handle handle, function_ref<Type(KernelBuilder &)> to,
                        const std::source_location &where) {
  KernelBuilder *c = KernelBuilder::current();
  Value value = c ? valueOf(*c, handle, where) : Value();
  if (!value)
    return {};
  auto op = c->create<Op>(where, tile::withElementType(value.getType(), to(*c)),
                          value);
  return op ? handleOf(*c, op.getResult()) : Handle();
}

static auto pointerTo(ElementType pointee) {
  return [pointee](KernelBuilder &c) -> Type {
    return tile::PtrType::get(typeOf(c, pointee));
  };
}

Handle pointerAt(Handle address, ElementType pointee,
                 std::source_location where) {
  return converted<tile::IntToPtrOp>(address, pointerTo(pointee), where);
}

Handle addressOf(Handle pointer, std::source_location where) {
  return converted<tile::PtrToIntOp>(
      pointer, [](KernelBuilder &c) { return c.builder.getI64Type(); }, where);
}

Handle pointerCast(Handle pointer, ElementType pointee,
                   std::source_location where) {
  return converted<tile::PtrCastOp>(pointer, pointerTo(pointee), where);
}

Handle loadPointer(Handle pointer, const Operand *mask, const Operand *other,
                   ElementTraits elementTraits, Ordering ordering,
                   std::source_location where) {
  std::optional<Access> access = Access::at(pointer, where);
  if (!access)
    return {};
  KernelBuilder &c = access->c;
  Value given = access->mask(mask),
        instead = other ? access->element(*other, elementTraits) : Value();
  if (c.hasFailed())
    return {};
  auto op = c.create<tile::LoadPtrOp>(
      where,
      tile::withElementType(access->pointer.getType(),
                            typeOf(c, elementTraits.type)),
      access->pointer, given, instead, orderOf(ordering.order),
      scopeAttr(c, ordering));
  return op ? handleOf(c, op.getResult()) : Handle();
}

void storePointer(Handle pointer, const Operand &value, const Operand *mask,
                  ElementTraits elementTraits, Ordering ordering,
                  std::source_location where) {
  std::optional<Access> access = Access::at(pointer, where);
  Value stored = access ? access->element(value, elementTraits) : Value();
  if (!stored)
    return;
  KernelBuilder &c = access->c;
  Value given = access->mask(mask);
  c.create<tile::StorePtrOp>(where, stored, access->pointer, given,
                             orderOf(ordering.order), scopeAttr(c, ordering));
}

Handle atomic(Atomic kind, Handle pointer, const Operand &value,
              const Operand *mask, ElementTraits elementTraits,
              Ordering ordering, std::source_location where) {
  std::optional<Access> access = Access::at(pointer, where);
  Value operand = access ? access->element(value, elementTraits) : Value();
  if (!operand)
    return {};
  KernelBuilder &c = access->c;
  Value given = access->mask(mask);
  auto op = c.create<tile::AtomicRmwOp>(
      where, operand.getType(), kindOf(kind, elementTraits),
      orderOf(ordering.order), scopeOf(ordering.scope), operand,
      access->pointer, given);
  return op ? handleOf(c, op.getResult()) : Handle();
}

Handle atomicCompareExchange(Handle pointer, const Operand &expected,
                             const Operand &desired, const Operand *mask,
                             ElementTraits elementTraits, Ordering ordering,
                             std::source_location where) {
  std::optional<Access> access = Access::at(pointer, where);
  Value before = access ? access->element(expected, elementTraits) : Value();
  Value after = before ? access->element(desired, elementTraits) : Value();
  if (!after)
    return {};
  KernelBuilder &c = access->c;
  Value given = access->mask(mask);
  auto op = c.create<tile::AtomicCasOp>(
      where, before.getType(), orderOf(ordering.order), scopeOf(ordering.scope),
      before, after, access->pointer, given);
  return op ? handleOf(c, op.getResult()) : Handle();
}

void atomicReduce(Atomic kind, Handle view, const Address &address, Handle tile,
                  ElementTraits elementTraits, Ordering ordering,
                  std::source_location where) {
  std::optional<PlacedView> placed = PlacedView::of(view, address, where);
  Value value = placed ? valueOf(placed->c, tile, where) : Value();
  if (!value)
    return;
  placed->c.create<tile::AtomicReduceOp>(
      where, kindOf(kind, elementTraits), orderOf(ordering.order),
      scopeOf(ordering.scope), value, Value(placed->view),
      ValueRange(placed->at), address.byElement,
      ArrayRef<int64_t>(address.steps.data(), address.steps.size()));
}

void fence(Ordering ordering, std::source_location where) {
  if (KernelBuilder *c = KernelBuilder::current())
    c->create<tile::FenceOp>(where, orderOf(ordering.order),
                             scopeOf(ordering.scope));
}

} // namespace tilewright::authoring::detail
