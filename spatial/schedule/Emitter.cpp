#include "spatial/schedule/Emitter.h"

#include <algorithm>
#include <utility>

namespace tilewright::spatial {

/// Applies `visit` to all numbers of the form n+s of an instruction and of
/// another one that differs in nothing else; false where `visit` is once.
template <typename Visit>
static bool forNumbers(Instruction &a, const Instruction &b, Visit visit) {
  auto ports = [&](PortList &first, const PortList &second) {
    for (size_t i = 0; i < first.size(); ++i)
      if (!visit(first[i].index, second[i].index) ||
          !visit(first[i].bufferRow, second[i].bufferRow) ||
          !visit(first[i].name.index, second[i].name.index))
        return false;
    return true;
  };
  return ports(a.operands, b.operands) && ports(a.results, b.results);
}

/// Whether two ports differ in numbers n+s alone, and of ALUs not at all.
static bool isAlike(const Port &a, const Port &b) {
  return a.kind == b.kind && a.streams == b.streams &&
         a.name.value == b.name.value && a.plane == b.plane &&
         a.number == b.number &&
         (a.kind != Port::Kind::alu || a.index == b.index);
}

static bool isAlike(const Instruction &a, const Instruction &b) {
  auto ports = [](const PortList &first, const PortList &second) {
    return std::equal(
        first.begin(), first.end(), second.begin(), second.end(),
        [](const Port &x, const Port &y) { return isAlike(x, y); });
  };
  return a.queue == b.queue && a.opcode == b.opcode && a.alu == b.alu &&
         a.type == b.type && a.rows == b.rows && a.map == b.map &&
         ports(a.operands, b.operands) && ports(a.results, b.results);
}

bool Emitter::Run::join(const Instruction &next) {
  if (!isAlike(*current, next))
    return false;
  if (current->count == 1) {
    const int64_t step = next.cycle - current->cycle;
    if (step < 1)
      return false;
    current->step = step;
    forNumbers(*current, next, [](Affine &first, const Affine &second) {
      first.step = second.start - first.start;
      return true;
    });
    current->count = 2;
    return true;
  }
  const int64_t count = current->count;
  if (next.cycle != current->cycle + count * current->step)
    return false;
  if (!forNumbers(*current, next, [&](Affine &first, const Affine &second) {
        return first.at(count) == second.start;
      }))
    return false;
  ++current->count;
  return true;
}

void Emitter::Run::add(Instruction instruction) {
  if (!emitter.keepsLines)
    return;
  if (current && join(instruction))
    return;
  flush();
  current = std::move(instruction);
}

void Emitter::Run::flush() {
  if (current)
    emitter.instructions.push_back(std::move(*current));
  current.reset();
}

/// Puts item order[i] at i. There may be a million of them, so it is done in
/// place, each circle of moves from its first item on.
static void permute(std::vector<Instruction> &items,
                    std::vector<uint32_t> order) {
  for (uint32_t first = 0; first < order.size(); ++first) {
    if (order[first] == first)
      continue;
    Instruction held = std::move(items[first]);
    uint32_t at = first;
    for (uint32_t from = order[at]; from != first; from = order[at]) {
      items[at] = std::move(items[from]);
      order[at] = at;
      at = from;
    }
    items[at] = std::move(held);
    order[at] = at;
  }
}

std::vector<Instruction> Emitter::take() {
  permute(instructions, lineOrder(instructions));
  return std::exchange(instructions, {});
}

} // namespace tilewright::spatial
