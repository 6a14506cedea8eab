#include "graph/reference/Sums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewright::graph::reference {

//===--- Chains -----------------------------------------------------------===//

namespace {
/// Who writes a slot of a body, and how many read it.
class Uses {
public:
  explicit Uses(const Body &body) : writers(body.slots), readers(body.slots) {
    addAll(body.sequence.instructions);
    for (unsigned slot : body.sequence.yielded)
      ++readers[slot];
  }

  const Instruction *writer(unsigned slot) const { return writers[slot]; }
  bool isReadOnce(unsigned slot) const { return readers[slot] == 1; }
  /// Whether a slot depends on the accumulator.
  bool dependsOn(unsigned slot, unsigned accumulator) const;

private:
  void addAll(ArrayRef<Instruction> code) {
    for (const Instruction &instruction : code) {
      for (unsigned slot : instruction.operands)
        ++readers[slot];
      for (unsigned slot : instruction.results)
        writers[slot] = &instruction;
      // What regions read counts twice, so that it is no chain.
      for (const Sequence &region : instruction.regions) {
        addAll(region.instructions);
        addAll(region.instructions);
        for (unsigned slot : region.yielded)
          readers[slot] += 2;
      }
      if (instruction.closure)
        for (auto [outer, inner] : instruction.closure->captures)
          readers[outer] += 2;
    }
  }

  // By slot.
  std::vector<const Instruction *> writers;
  std::vector<unsigned> readers;
};
} // namespace

bool Uses::dependsOn(unsigned slot, unsigned accumulator) const {
  SmallVector<unsigned> pending = {slot};
  std::set<unsigned> seen;
  while (!pending.empty()) {
    const unsigned next = pending.pop_back_val();
    if (next == accumulator)
      return true;
    if (const Instruction *from = writer(next);
        from && seen.insert(next).second)
      pending.append(from->operands.begin(), from->operands.end());
  }
  return false;
}

using Kind = numerics::AnyOrder::Kind;

/// The kind of a step of a chain.
static std::optional<Kind> kindOf(Operation *op) {
  if (isa<arith::AddFOp, math::FmaOp>(op))
    return Kind::sum;
  if (isa<arith::MulFOp>(op))
    return Kind::product;
  return std::nullopt;
}

/// The step `from` of a chain: adds its term, and returns the slot before it.
static std::optional<unsigned> stepBack(const Instruction &from,
                                        unsigned accumulator, const Uses &uses,
                                        SumChain &chain) {
  ArrayRef<unsigned> operands = from.operands;
  if (isa<math::FmaOp>(from.op)) {
    if (uses.dependsOn(operands[0], accumulator) ||
        uses.dependsOn(operands[1], accumulator))
      return std::nullopt;
    chain.terms.push_back({operands[0], operands[1]});
    return operands[2];
  }
  const bool isFirst = uses.dependsOn(operands[0], accumulator);
  if (isFirst && uses.dependsOn(operands[1], accumulator))
    return std::nullopt;
  chain.terms.push_back({operands[isFirst ? 1 : 0], std::nullopt});
  return operands[isFirst ? 0 : 1];
}

std::optional<SumChain> findSumChain(const Body &body, unsigned argument,
                                     unsigned yielded) {
  const Uses uses(body);
  std::optional<SumChain> chain;
  unsigned slot = yielded;
  while (slot != argument) {
    const Instruction *from = uses.writer(slot);
    std::optional<Kind> kind = from ? kindOf(from->op) : std::nullopt;
    if (!kind || (chain && chain->kind != *kind) || !uses.isReadOnce(slot))
      return std::nullopt;
    if (!chain)
      chain = {*kind, {}};
    std::optional<unsigned> before = stepBack(*from, argument, uses, *chain);
    if (!before)
      return std::nullopt;
    slot = *before;
  }
  if (!chain || !uses.isReadOnce(argument))
    return std::nullopt;
  return chain;
}

//===--- OpenSum ----------------------------------------------------------===//

void OpenSum::add(Scalar term) {
  isPoison |= term.isPoison();
  areSingle &= !term.hasSpread();
  if (!isPoison)
    sum.add(term.element(type).permitted());
}

void OpenSum::addPoint(const Frame &frame) {
  for (const SumChain::Term &term : chain.terms) {
    const Scalar number = frame[term.slot].scalar;
    if (!term.factor) {
      add(number);
      continue;
    }
    const Scalar factor = frame[*term.factor].scalar;
    isPoison |= number.isPoison() || factor.isPoison();
    areSingle &= !number.hasSpread() && !factor.hasSpread();
    if (isPoison)
      continue;
    // A partial sum may begin with the product, which is then rounded.
    const numerics::Permitted product = numerics::exactProduct(
        number.element(type).permitted(), factor.element(type).permitted());
    const numerics::Permitted wide =
        product.unite(sum.getRules().round(product));
    sum.add(wide, /*isOfType=*/wide.least == wide.greatest);
  }
}

Scalar OpenSum::result(Scalar computed) const {
  if (isPoison)
    return computed;
  return settle(computed, sum.result(), type, areSingle);
}

} // namespace tilewright::graph::reference
