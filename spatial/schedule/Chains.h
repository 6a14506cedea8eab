//===- Chains.h - ALU operations with no stop in memory ---------*- C++ -*-===//
//
// A chain is a set of operations of the vector unit in which one takes the
// result of another in exactly the cycle in which it is there. It may begin
// with a product, as it arrives from its plane. Chains of the same operations
// run one after the other, at a steady pace.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_SPATIAL_SCHEDULE_CHAINS_H
#define TILEWRIGHT_SPATIAL_SCHEDULE_CHAINS_H

#include "spatial/schedule/VectorProgram.h"

namespace tilewright::spatial {

struct Chain {
  /// The product that it begins with.
  std::optional<Ref> product;
  /// Its operations, by the vectors that they make, operands first.
  llvm::SmallVector<Ref, 4> nodes;
  /// Chains read what chains and ops of lower levels make.
  int32_t level = 0;
};

/// What an operation takes: the product, a node or a source, `moves` moves
/// later.
struct ChainInput {
  enum class Kind : uint8_t { product, node, source } kind = Kind::source;
  size_t number = 0;
  int64_t moves = 0;
};

/// When the operations of a chain run. Cycle 0 is when its product arrives, or
/// its first operation begins.
struct ChainTiming {
  struct Node {
    int64_t begin = 0, delay = 0;
    /// Of the result: moves that keep it for later.
    int64_t moves = 0;
    llvm::SmallVector<ChainInput, 3> inputs;
  };
  struct Source {
    Ref ref;
    int64_t at = 0, moves = 0;
  };
  std::vector<Node> nodes;
  std::vector<Source> sources;
  int64_t productMoves = 0;
  /// ALUs that one instance takes.
  int64_t alus = 0;
};

/// Chains of the same ops, one for each instance.
struct ChainGroup {
  bool hasProduct = false;
  std::vector<int32_t> chains;
};

class Chains {
public:
  Chains(const VectorProgram &program, const Machine &machine);

  std::vector<Chain> chains;
  std::vector<ChainGroup> groups;
  /// By vector: the chain that makes it (or begins with it), or -1.
  std::vector<int32_t> chainOf;
  /// By vector: whether something reads it from memory.
  std::vector<bool> isRead;
  /// By chain: its group.
  std::vector<int32_t> groupOf;
  /// By value: who reads its vectors from memory.
  std::vector<Readers> readers;
  /// Ops whose products are added to the same sums; by op, which of them, or
  /// -1.
  std::vector<std::vector<int32_t>> sums;
  std::vector<int32_t> sumsOf;
  /// By level: how many sums it has, which can be made at a time.
  std::map<int32_t, int64_t> sumsAt;
  /// By sums.
  std::vector<int32_t> levelOfSums;

  /// Nothing if no times are right for all of them.
  [[nodiscard]] std::optional<ChainTiming> timing(const Chain &chain) const;

private:
  void collectSums();
  void countUses();
  void form();
  void addAlu(const VectorOp &op, int32_t i);
  /// The level that an op needs to read a vector from memory.
  [[nodiscard]] int32_t levelBehind(const Ref &ref) const {
    return levels[program.flat(ref)];
  }
  /// The chain that a vector joins, or -1.
  [[nodiscard]] int32_t join(const VectorOp &op, const Ref &result,
                             int32_t level);
  [[nodiscard]] std::optional<Chain> openChain(const Ref &ref,
                                               bool merges) const;
  [[nodiscard]] bool isSum(const Ref &ref) const;
  void findReads();
  void makeGroups();
  [[nodiscard]] std::vector<int32_t> keyOf(const Chain &chain) const;

  const VectorProgram &program;
  const Machine &machine;
  /// By vector: the level behind it, and who uses it. Empty when all is formed.
  std::vector<int32_t> levels;
  struct Uses {
    int32_t count = 0;
    int64_t lastOp = -1, lastResult = -1;
    /// Used by something that is no ALU.
    bool isOther = false;
    /// Used for several results of one op.
    bool isWide = false;
    /// It is an output.
    bool isKept = false;
  };
  std::vector<Uses> uses;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SCHEDULE_CHAINS_H
