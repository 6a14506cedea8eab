#include "runtime/emulator/counters/Registers.h"
#include "runtime/emulator/program/Form.h"
#include "runtime/emulator/program/Symbols.h"
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace tilewright::emulator {

namespace {

/// A set of a function's registers, by number.
class RegisterSet {
public:
  explicit RegisterSet(size_t count = 0) : words((count + 63) / 64) {}
  [[nodiscard]] bool has(uint32_t reg) const {
    return words[reg / 64] >> reg % 64 & 1;
  }
  void add(uint32_t reg) { words[reg / 64] |= uint64_t{1} << reg % 64; }
  void remove(uint32_t reg) { words[reg / 64] &= ~(uint64_t{1} << reg % 64); }
  /// Returns whether there was anything new.
  bool unite(const RegisterSet &other) {
    uint64_t news = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      news |= other.words[i] & ~words[i];
      words[i] |= other.words[i];
    }
    return news != 0;
  }
  template <typename F> void each(F function) const {
    for (size_t i = 0; i < words.size(); ++i)
      for (uint64_t rest = words[i]; rest; rest &= rest - 1)
        function(uint32_t(i * 64) + uint32_t(__builtin_ctzll(rest)));
  }

private:
  std::vector<uint64_t> words;
};

/// A function's registers, numbered.
class Registers {
public:
  static constexpr uint32_t none = ~uint32_t{0};

  explicit Registers(const Function &function) {
    for (const RegisterRun &run : function.registers)
      runs.push_back({run, 0});
    std::sort(runs.begin(), runs.end(), [](const Run &a, const Run &b) {
      return a.run.offset < b.run.offset;
    });
    for (Run &run : runs) {
      run.first = uint32_t(types.size());
      types.insert(types.end(), run.run.count, run.run.type);
    }
  }
  [[nodiscard]] size_t count() const { return types.size(); }
  [[nodiscard]] bool isPredicate(uint32_t reg) const {
    return types[reg] == Type::pred;
  }
  /// Registers of 32 bits that it takes.
  [[nodiscard]] uint32_t units(uint32_t reg) const {
    return isPredicate(reg) ? 0 : std::max(1u, typeBits(types[reg]) / 32);
  }
  /// The number of the one at `ref`; none: it is no register.
  [[nodiscard]] uint32_t find(Ref ref) const {
    if (!ref.present() || ref.bank() != Ref::frame)
      return none;
    auto after = std::upper_bound(runs.begin(), runs.end(), ref.offset(),
                                  [](uint32_t offset, const Run &run) {
                                    return offset < run.run.offset;
                                  });
    if (after == runs.begin())
      return none;
    const Run &run = *--after;
    uint32_t index =
        (ref.offset() - run.run.offset) / registerBytes(run.run.type);
    return index < run.run.count ? run.first + index : none;
  }

private:
  struct Run {
    RegisterRun run;
    uint32_t first;
  };
  std::vector<Run> runs;
  std::vector<Type> types;
};

/// Instructions that run one after another, [first, end).
struct BasicBlock {
  uint32_t first = 0, end = 0;
  std::vector<uint32_t> successors;
  RegisterSet liveIn, liveOut;
};

/// Live registers, found backwards from the ends of blocks (any textbook on
/// compilers: liveness by iteration to a fixed point).
class Liveness {
public:
  Liveness(const Program &program, const Function &function)
      : program(program), code(function.code), registers(function) {}

  RegisterEstimate run() {
    makeBlocks();
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = blocks.size(); i-- > 0;) {
        BasicBlock &block = blocks[i];
        for (uint32_t successor : block.successors)
          block.liveOut.unite(blocks[successor].liveIn);
        RegisterSet live = block.liveOut;
        for (uint32_t index = block.end; index-- > block.first;)
          stepBack(code[index], live);
        changed |= block.liveIn.unite(live);
      }
    }
    uint32_t least = 0;
    for (const BasicBlock &block : blocks) {
      std::vector<uint32_t> order(block.end - block.first);
      std::iota(order.begin(), order.end(), block.first);
      const uint32_t written = mostLive(block, order, true);
      const uint32_t late = mostLive(block, lateOrder(block), false);
      least = std::max(least, std::min(written, late));
    }
    estimate.registers = std::min(255u, 8 + (4 * least + 4) / 5);
    return estimate;
  }

private:
  [[nodiscard]] static bool is(const Instruction &in, std::string_view opcode) {
    return in.form->opcode == opcode;
  }

  template <typename F> void eachRegister(Ref ref, F function) const {
    if (uint32_t reg = registers.find(ref); reg != Registers::none)
      function(reg);
  }
  template <typename F> void eachUse(const Instruction &in, F function) const {
    eachRegister(in.guard, function);
    // wgmma adds to what its results hold.
    uint32_t first = is(in, "wgmma") ? 0 : in.resultCount;
    for (uint32_t i = first; i < in.operandCount; ++i)
      eachRegister(in.operands[i], function);
    if (is(in, "call"))
      for (const RegisterCopy &copy :
           program.calls[in.target].registerArguments)
        eachRegister(copy.callers, function);
  }
  template <typename F>
  void eachResult(const Instruction &in, F function) const {
    for (uint32_t i = 0; i < in.resultCount; ++i)
      eachRegister(in.operands[i], function);
    if (is(in, "call"))
      for (const RegisterCopy &copy : program.calls[in.target].registerResults)
        eachRegister(copy.callers, function);
  }

  /// From the live registers after an instruction to those before it. Where the
  /// guard is false, results keep their values.
  void stepBack(const Instruction &in, RegisterSet &live) const {
    if (!in.guard.present())
      eachResult(in, [&](uint32_t reg) { live.remove(reg); });
    eachUse(in, [&](uint32_t reg) { live.add(reg); });
  }

  [[nodiscard]] std::vector<uint32_t> targetsOf(const Instruction &in) const {
    if (is(in, "bra"))
      return {in.target};
    if (is(in, "brx"))
      return program.branchTargets[in.target];
    return {};
  }
  [[nodiscard]] static bool endsBlock(const Instruction &in) {
    return is(in, "bra") || is(in, "brx") || is(in, "ret") || is(in, "exit") ||
           is(in, "trap");
  }

  void makeBlocks() {
    std::vector<bool> leads(code.size() + 1);
    leads[0] = true;
    for (size_t index = 0; index < code.size(); ++index) {
      for (uint32_t target : targetsOf(code[index]))
        leads[target] = true;
      if (endsBlock(code[index]))
        leads[index + 1] = true;
    }
    std::vector<uint32_t> blockAt(code.size() + 1);
    for (uint32_t index = 0; index < code.size(); ++index) {
      if (leads[index])
        blocks.push_back({index,
                          index,
                          {},
                          RegisterSet(registers.count()),
                          RegisterSet(registers.count())});
      blocks.back().end = index + 1;
      blockAt[index] = uint32_t(blocks.size() - 1);
    }
    for (BasicBlock &block : blocks) {
      const Instruction &last = code[block.end - 1];
      for (uint32_t target : targetsOf(last))
        if (target < code.size())
          block.successors.push_back(blockAt[target]);
      bool goesOn = !endsBlock(last) || last.guard.present();
      if (goesOn && block.end < code.size())
        block.successors.push_back(blockAt[block.end]);
    }
  }

  /// Whether ptxas may run it later than where it stands: it has no effect but
  /// its results.
  [[nodiscard]] static bool mayWait(const Instruction &in) {
    static const std::unordered_set<std::string_view> arithmetic = {
        "abs",   "add",  "and",      "bfe", "bfi",   "bfind", "bmsk", "brev",
        "clz",   "cnot", "copysign", "cos", "cvt",   "cvta",  "div",  "dp2a",
        "dp4a",  "ex2",  "fma",      "fns", "lg2",   "lop3",  "mad",  "mad24",
        "max",   "min",  "mov",      "mul", "mul24", "neg",   "not",  "or",
        "popc",  "prmt", "rcp",      "rem", "rsqrt", "sad",   "selp", "set",
        "setp",  "shf",  "shl",      "shr", "sin",   "slct",  "sqrt", "sub",
        "szext", "tanh", "testp",    "xor"};
    return arithmetic.contains(in.form->opcode);
  }

  /// The block with each piece of arithmetic just before what needs it; all
  /// else stays in its order.
  [[nodiscard]] std::vector<uint32_t> lateOrder(const BasicBlock &block) const {
    const uint32_t count = block.end - block.first;
    // What has to run before each: definitions of what it reads, and what still
    // needs the old values of what it writes.
    std::vector<std::vector<uint32_t>> before(count);
    std::unordered_map<uint32_t, uint32_t> defined;
    std::unordered_map<uint32_t, std::vector<uint32_t>> readers;
    for (uint32_t at = 0; at < count; ++at) {
      const Instruction &in = code[block.first + at];
      eachUse(in, [&](uint32_t reg) {
        if (auto known = defined.find(reg); known != defined.end())
          before[at].push_back(known->second);
        readers[reg].push_back(at);
      });
      eachResult(in, [&](uint32_t reg) {
        for (uint32_t reader : readers[reg])
          if (reader != at)
            before[at].push_back(reader);
        readers[reg].clear();
        // One instruction may write a register twice.
        if (auto [known, isNew] = defined.try_emplace(reg, at);
            !isNew && known->second != at) {
          before[at].push_back(known->second);
          known->second = at;
        }
      });
    }
    std::vector<uint32_t> order;
    std::vector<bool> done(count);
    // Depth first, without recursion: chains are as long as blocks.
    auto run = [&](uint32_t wanted) {
      std::vector<std::pair<uint32_t, size_t>> stack = {{wanted, 0}};
      while (!stack.empty()) {
        auto &[at, next] = stack.back();
        if (done[at] || next == before[at].size()) {
          if (!done[at])
            order.push_back(block.first + at);
          done[at] = true;
          stack.pop_back();
          continue;
        }
        const uint32_t needed = before[at][next++];
        if (!done[needed])
          stack.emplace_back(needed, 0);
      }
    };
    // What lives behind the block is computed before its last jump.
    for (uint32_t at = 0; at < count; ++at)
      if (const Instruction &in = code[block.first + at];
          !mayWait(in) && !endsBlock(in))
        run(at);
    for (uint32_t at = 0; at < count; ++at)
      run(at);
    return order;
  }

  /// Of the live registers before each location of a block in this order, and
  /// of results with what lives behind, the most. Noted where asked for.
  uint32_t mostLive(const BasicBlock &block, const std::vector<uint32_t> &order,
                    bool isNoted) {
    uint32_t most = 0;
    auto see = [&](const RegisterSet &live, uint32_t index) {
      const Sum sum = sumOf(live);
      most = std::max(most, sum.units);
      if (isNoted)
        note(sum, index);
    };
    RegisterSet live = block.liveOut;
    for (size_t i = order.size(); i-- > 0;) {
      RegisterSet behind = live;
      eachResult(code[order[i]], [&](uint32_t reg) { behind.add(reg); });
      see(behind, order[i]);
      stepBack(code[order[i]], live);
      see(live, order[i]);
    }
    return most;
  }
  struct Sum {
    uint32_t units = 0, predicates = 0;
  };
  [[nodiscard]] Sum sumOf(const RegisterSet &live) const {
    Sum sum;
    live.each([&](uint32_t reg) {
      sum.units += registers.units(reg);
      sum.predicates += registers.isPredicate(reg);
    });
    return sum;
  }
  void note(const Sum &sum, uint32_t index) {
    estimate.predicates = std::max(estimate.predicates, sum.predicates);
    if (sum.units <= estimate.live)
      return;
    estimate.live = sum.units;
    estimate.index = index;
  }

  const Program &program;
  const std::vector<Instruction> &code;
  Registers registers;
  std::vector<BasicBlock> blocks;
  RegisterEstimate estimate;
};
} // namespace

RegisterEstimate estimateRegisters(const Program &program,
                                   const Function &function) {
  return Liveness(program, function).run();
}

RegisterEstimate estimateRegisters(const Program &program) {
  RegisterEstimate most;
  for (const std::unique_ptr<Function> &function : program.functions) {
    RegisterEstimate own = estimateRegisters(program, *function);
    most.registers = std::max(most.registers, own.registers);
    if (own.live > most.live) {
      most.live = own.live;
      most.index = own.index;
    }
    most.predicates = std::max(most.predicates, own.predicates);
  }
  return most;
}

} // namespace tilewright::emulator
