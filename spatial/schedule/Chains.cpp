#include "spatial/schedule/Chains.h"

#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace tilewright::spatial {

Chains::Chains(const VectorProgram &program, const Machine &machine)
    : chainOf(program.vectors(), -1), isRead(program.vectors(), false),
      readers(program.values.size()), program(program), machine(machine),
      levels(program.vectors(), 0), uses(program.vectors()) {
  collectSums();
  countUses();
  form();
  findReads();
  makeGroups();
  levels = {};
  uses = {};
}

/// Products that are added to others belong together.
void Chains::collectSums() {
  const auto count = static_cast<int32_t>(program.ops.size());
  sumsOf.assign(count, -1);
  llvm::EquivalenceClasses<int32_t> classes;
  for (int32_t i = 0; i < count; ++i) {
    const VectorOp &op = program.ops[i];
    if (!isa<MultiplyOp>(op.op))
      continue;
    classes.insert(i);
    if (op.operands.size() == 3)
      for (const Ref &ref : op.operands[2])
        if (int32_t maker = program.makers[ref.value];
            maker >= 0 && isa<MultiplyOp>(program.ops[maker].op))
          classes.unionSets(i, maker);
  }
  llvm::DenseMap<int32_t, int32_t> numbers;
  for (int32_t i = 0; i < count; ++i) {
    if (!isa<MultiplyOp>(program.ops[i].op))
      continue;
    auto [found, isNew] = numbers.insert(
        {classes.getLeaderValue(i), static_cast<int32_t>(sums.size())});
    if (isNew)
      sums.emplace_back();
    sumsOf[i] = found->second;
    sums[found->second].push_back(i);
  }
  levelOfSums.assign(sums.size(), 0);
}

void Chains::countUses() {
  for (size_t number = 0; number < program.ops.size(); ++number) {
    const VectorOp &op = program.ops[number];
    const bool isAlu = isa<VectorAluOp>(op.op);
    op.forReads([&](size_t, size_t i, const Ref &ref) {
      Uses &used = uses[program.flat(ref)];
      // An op may take a vector twice for one result, and no more.
      const auto user = static_cast<int64_t>(number);
      const auto result = static_cast<int64_t>(i);
      if (used.lastOp == user && used.lastResult == result)
        return;
      used.isOther |= !isAlu;
      used.isWide |= used.lastOp == user;
      ++used.count;
      used.lastOp = user;
      used.lastResult = result;
    });
  }
  func::FuncOp function = program.function;
  Operation *end = function.getBody().front().getTerminator();
  for (mlir::Value value : end->getOperands())
    for (int64_t i = 0; i < program.values[program.numberOf(value)].vectors;
         ++i)
      uses[program.flat({program.numberOf(value), static_cast<int32_t>(i)})]
          .isKept = true;
}

//===--- Which operations join --------------------------------------------===//

void Chains::form() {
  for (size_t number = 0; number < program.ops.size(); ++number) {
    const VectorOp &op = program.ops[number];
    if (isa<VectorAluOp>(op.op)) {
      for (int64_t i = 0; i < program.values[op.value].vectors; ++i)
        addAlu(op, static_cast<int32_t>(i));
      continue;
    }
    // The vectors of other ops are made together, those of sums by their last.
    std::vector<int32_t> together = {static_cast<int32_t>(number)};
    if (const int32_t sum = sumsOf[number]; sum >= 0) {
      if (sums[sum].back() != static_cast<int32_t>(number))
        continue;
      together = sums[sum];
    }
    int32_t level = 0;
    for (int32_t part : together)
      program.ops[part].forReads([&](size_t operand, size_t, const Ref &ref) {
        if (operand < 2)
          level = std::max(level, levelBehind(ref));
      });
    if (const int32_t sum = sumsOf[number]; sum >= 0) {
      levelOfSums[sum] = level;
      ++sumsAt[level];
    }
    for (int32_t part : together) {
      const uint32_t value = program.ops[part].value;
      for (int64_t i = 0; i < program.values[value].vectors; ++i)
        levels[program.flat({value, static_cast<int32_t>(i)})] = level + 1;
    }
  }
}

bool Chains::isSum(const Ref &ref) const {
  const int32_t maker = program.makers[ref.value];
  return maker >= 0 && sumsOf[maker] >= 0;
}

/// The chain of a vector, if more operations may join it; that of a product is
/// new.
std::optional<Chain> Chains::openChain(const Ref &ref, bool merges) const {
  const Uses &used = uses[program.flat(ref)];
  if (const int32_t number = chainOf[program.flat(ref)]; number >= 0) {
    if (merges && (used.count > 1 || used.isKept))
      return std::nullopt;
    return chains[number];
  }
  if (!isSum(ref) || used.count != 1 || used.isKept || used.isOther)
    return std::nullopt;
  Chain chain;
  chain.product = ref;
  chain.level = levelBehind(ref) - 1;
  return chain;
}

void Chains::addAlu(const VectorOp &op, int32_t i) {
  int32_t level = 0;
  for (const std::vector<Ref> &refs : op.operands)
    level = std::max(level, levelBehind(refs[i]));
  const Ref result{op.value, i};
  int32_t number = join(op, result, level);
  if (number < 0) {
    number = static_cast<int32_t>(chains.size());
    Chain &chain = chains.emplace_back();
    chain.level = level;
    chain.nodes.push_back(result);
  }
  chainOf[program.flat(result)] = number;
  levels[program.flat(result)] = chains[number].level + 1;
}

int32_t Chains::join(const VectorOp &op, const Ref &result, int32_t level) {
  // Operands that are made last must all come from chains that may be joined.
  SmallVector<Ref, 3> last;
  SmallVector<int32_t, 3> numbers;
  for (const std::vector<Ref> &refs : op.operands) {
    const Ref &ref = refs[result.index];
    if (levelBehind(ref) < level || llvm::is_contained(last, ref))
      continue;
    const int32_t number = chainOf[program.flat(ref)];
    if (number >= 0 && llvm::is_contained(numbers, number))
      continue;
    last.push_back(ref);
    numbers.push_back(number);
  }
  if (level == 0 || last.empty())
    return -1;
  Chain joined;
  joined.level = level - 1;
  for (const Ref &ref : last) {
    if (uses[program.flat(ref)].isWide)
      return -1;
    std::optional<Chain> chain = openChain(ref, last.size() > 1);
    if (!chain || (chain->product && joined.product))
      return -1;
    if (chain->product)
      joined.product = chain->product;
    llvm::append_range(joined.nodes, chain->nodes);
  }
  joined.nodes.push_back(result);
  if (!timing(joined))
    return -1;
  int32_t number = *llvm::max_element(numbers);
  if (number < 0) {
    number = static_cast<int32_t>(chains.size());
    chains.emplace_back();
  }
  for (int32_t other : numbers)
    if (other >= 0 && other != number)
      chains[other] = {};
  for (const Ref &node : joined.nodes)
    chainOf[program.flat(node)] = number;
  if (joined.product)
    chainOf[program.flat(*joined.product)] = number;
  chains[number] = std::move(joined);
  return number;
}

//===--- When they run ----------------------------------------------------===//

std::optional<ChainTiming> Chains::timing(const Chain &chain) const {
  ChainTiming timing;
  const int64_t move = machine.delayOf(AluOp::move);
  auto inputOf = [&](const Ref &ref) -> ChainInput {
    if (chain.product && *chain.product == ref)
      return {ChainInput::Kind::product, 0, 0};
    for (size_t k = 0; k < timing.nodes.size(); ++k)
      if (chain.nodes[k] == ref)
        return {ChainInput::Kind::node, k, 0};
    for (size_t k = 0; k < timing.sources.size(); ++k)
      if (timing.sources[k].ref == ref)
        return {ChainInput::Kind::source, k, 0};
    timing.sources.push_back({ref, INT64_MAX, 0});
    return {ChainInput::Kind::source, timing.sources.size() - 1, 0};
  };
  for (const Ref &ref : chain.nodes) {
    const VectorOp &op = program.ops[program.makers[ref.value]];
    ChainTiming::Node node;
    node.delay = machine.delayOf(*aluFromName(op.alu().getName()));
    for (const std::vector<Ref> &refs : op.operands) {
      const ChainInput input = inputOf(refs[ref.index]);
      if (input.kind == ChainInput::Kind::node)
        node.begin = std::max(node.begin, timing.nodes[input.number].begin +
                                              timing.nodes[input.number].delay);
      node.inputs.push_back(input);
    }
    for (const ChainInput &input : node.inputs)
      if (input.kind == ChainInput::Kind::source) {
        int64_t &at = timing.sources[input.number].at;
        at = std::min(at, node.begin);
      }
    timing.nodes.push_back(std::move(node));
  }
  // What is needed later than it is there is moved on from ALU to ALU.
  timing.alus = static_cast<int64_t>(timing.nodes.size());
  for (ChainTiming::Node &node : timing.nodes)
    for (ChainInput &input : node.inputs) {
      int64_t from = 0;
      int64_t *most = &timing.productMoves;
      if (input.kind == ChainInput::Kind::node) {
        ChainTiming::Node &other = timing.nodes[input.number];
        from = other.begin + other.delay;
        most = &other.moves;
      } else if (input.kind == ChainInput::Kind::source) {
        from = timing.sources[input.number].at;
        most = &timing.sources[input.number].moves;
      }
      const int64_t slack = node.begin - from;
      if (slack % move != 0)
        return std::nullopt;
      input.moves = slack / move;
      if (input.moves > *most) {
        timing.alus += input.moves - *most;
        *most = input.moves;
      }
    }
  int64_t streams = 0;
  for (const ChainTiming::Source &source : timing.sources)
    streams += machine.planesOf(program.values[source.ref.value].dtype);
  const int64_t most = std::min(machine.streams[0], machine.streams[1]);
  if (chain.nodes.size() > 1 &&
      (timing.alus > machine.vxm.alus || streams > most))
    return std::nullopt;
  return timing;
}

//===--- What goes through memory, and which chains are alike -------------===//

void Chains::findReads() {
  for (size_t number = 0; number < program.ops.size(); ++number) {
    const VectorOp &op = program.ops[number];
    op.forReads([&](size_t operand, size_t i, const Ref &ref) {
      Readers &reader = readers[ref.value];
      if (isa<VectorAluOp>(op.op)) {
        const int32_t chain = chainOf[program.flat(ref)];
        const Ref result{op.value, static_cast<int32_t>(i)};
        if (chain >= 0 && chainOf[program.flat(result)] == chain)
          return;
        reader.alus = true;
      } else if (isa<MultiplyOp>(op.op)) {
        // Terms of a sum stay in accumulators.
        if (operand == 2)
          return;
        reader.planes |= operand == 0;
        reader.loads |= operand == 1;
      } else if (isa<GatherOp>(op.op)) {
        reader.gathers = true;
      } else {
        reader.ports = true;
      }
      isRead[program.flat(ref)] = true;
      ++reader.reads;
    });
  }
  for (size_t i = 0; i < uses.size(); ++i)
    if (uses[i].isKept)
      isRead[i] = true;
}

std::vector<int32_t> Chains::keyOf(const Chain &chain) const {
  const ChainTiming times = *timing(chain);
  std::vector<int32_t> key = {chain.level, -1};
  if (chain.product)
    key.back() = sumsOf[program.makers[chain.product->value]];
  for (auto [ref, node] : llvm::zip(chain.nodes, times.nodes)) {
    key.push_back(program.makers[ref.value]);
    key.push_back(isRead[program.flat(ref)]);
    for (const ChainInput &input : node.inputs)
      key.push_back(static_cast<int32_t>(input.number) * 3 +
                    static_cast<int32_t>(input.kind));
  }
  return key;
}

void Chains::makeGroups() {
  std::map<std::vector<int32_t>, size_t> numbers;
  groupOf.assign(chains.size(), -1);
  for (size_t i = 0; i < chains.size(); ++i) {
    if (chains[i].nodes.empty())
      continue;
    auto [found, isNew] = numbers.insert({keyOf(chains[i]), groups.size()});
    if (isNew) {
      groups.emplace_back();
      groups.back().hasProduct = chains[i].product.has_value();
    }
    groups[found->second].chains.push_back(static_cast<int32_t>(i));
    groupOf[i] = static_cast<int32_t>(found->second);
  }
}

} // namespace tilewright::spatial
