#include "frontends/torch/Values.h"

namespace tilewright::torch {

static Slot &rootOf(Slot &slot) {
  Slot *root = &slot;
  while (root->base)
    root = root->base.get();
  return *root;
}

std::shared_ptr<Slot> makeSlot(Tensor tensor) {
  auto slot = std::make_shared<Slot>();
  slot->tensor = std::move(tensor);
  return slot;
}

FailureOr<std::shared_ptr<Slot>> makeView(const std::shared_ptr<Slot> &base,
                                          View view) {
  TRY(Tensor whole, readSlot(*base));
  TRY(Tensor part, view.read(whole));
  auto slot = makeSlot(std::move(part));
  slot->base = base;
  slot->view = std::move(view);
  slot->seen = rootOf(*base).writes;
  return slot;
}

FailureOr<Tensor> readSlot(Slot &slot) {
  const int64_t writes = rootOf(slot).writes;
  if (slot.seen == writes || !slot.base)
    return slot.tensor;
  TRY(Tensor base, readSlot(*slot.base));
  TRY(slot.tensor, slot.view.read(base));
  slot.seen = writes;
  return slot.tensor;
}

/// Writes from a view to its bases, without counting.
static LogicalResult writeThrough(GraphBuilder &b, Slot &slot,
                                  const Tensor &value) {
  if (slot.base) {
    if (!slot.view.write)
      return b.fail("writes in place to a view that is not supported: one "
                    "whose elements overlap or are computed");
    TRY(Tensor base, readSlot(*slot.base));
    TRY(Tensor changed, slot.view.write(base, value));
    if (failed(writeThrough(b, *slot.base, changed)))
      return failure();
  }
  slot.tensor = value;
  slot.seen = rootOf(slot).writes + 1;
  return success();
}

LogicalResult writeSlot(GraphBuilder &b, Slot &slot, const Tensor &value) {
  if (failed(writeThrough(b, slot, value)))
    return failure();
  ++rootOf(slot).writes;
  return success();
}

} // namespace tilewright::torch
