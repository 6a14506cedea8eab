//===- PeakMemory.cpp - What kernels hold for each other ------------------===//
#include "graph/analysis/PeakMemory.h"

#include "graph/analysis/Access.h"

using namespace mlir;

namespace tilewright::graph {

static int64_t bytesOf(Value value) {
  constexpr int64_t unknownSize = 1024;
  constexpr unsigned bitsOfIndex = 64;
  auto type = cast<RankedTensorType>(value.getType());
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    elements *= ShapedType::isDynamic(size) ? unknownSize : size;
  Type element = type.getElementType();
  const unsigned bits =
      element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : bitsOfIndex;
  return elements * int64_t(llvm::divideCeil(bits, 8));
}

/// The last group that reads `value`, itself or as a view of its memory;
/// nothing where the model returns it.
static std::optional<size_t>
lastReader(Value value, const DenseMap<Operation *, size_t> &groupOf,
           size_t writer) {
  Block *block = value.getParentBlock();
  size_t last = writer;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Value read = pending.pop_back_val();
    for (OpOperand &use : read.getUses()) {
      if (!readsContent(use))
        continue;
      Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      if (user->hasTrait<OpTrait::IsTerminator>())
        return std::nullopt;
      if (auto known = groupOf.find(user); known != groupOf.end())
        last = std::max(last, known->second);
      else
        pending.append(user->result_begin(), user->result_end());
    }
  }
  return last;
}

PeakMemory peakMemory(ArrayRef<Group> groups) {
  DenseMap<Operation *, size_t> groupOf;
  for (auto [number, group] : llvm::enumerate(groups))
    for (Operation *op : group.ops)
      groupOf[op] = number;
  // What changes before each group, and after the last.
  std::vector<int64_t> change(groups.size() + 1, 0);
  for (auto [number, group] : llvm::enumerate(groups))
    for (Value result : group.results())
      if (std::optional<size_t> last = lastReader(result, groupOf, number)) {
        change[number] += bytesOf(result);
        change[*last + 1] -= bytesOf(result);
      }
  PeakMemory peak;
  int64_t live = 0;
  for (size_t number = 0; number < groups.size(); ++number) {
    live += change[number];
    if (live > peak.bytes)
      peak = {live, number};
  }
  return peak;
}

} // namespace tilewright::graph
