// Names of vectors as numbers, and how each name is made (M12).
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_NAMES_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_NAMES_H

#include "spatial/numeric/Numeric.h"
#include "spatial/program/Schedule.h"
#include <unordered_map>

namespace tilewright::spatial {

/// VALUE[i] of one repetition of the schedule; constants are the same in all.
using NameId = uint64_t;

/// What M12 compares: how an instruction makes a name.
struct Definition {
  struct Operand {
    enum class Kind : uint8_t { none, vector, number };
    Kind kind = Kind::none;
    /// A NameId, or a lane.
    uint64_t value = 0;
    friend bool operator==(const Operand &, const Operand &) = default;
  };
  Opcode opcode = Opcode::alu;
  AluOp alu = AluOp::move;
  DType type = DType::F32;
  /// The first of all maps that are equal.
  uint32_t map = 0;
  int64_t rows = 0;
  /// Of a transpose: which of its results.
  int64_t part = 0;
  std::array<Operand, 3> operands;
  friend bool operator==(const Definition &, const Definition &) = default;
};

class Names {
public:
  /// Error: more names than there are numbers.
  static StatusOr<Names> create(const Schedule &schedule, int64_t repetitions);

  /// NAME[i]; `i` is one of the value's vectors.
  [[nodiscard]] NameId of(uint32_t value, int64_t i, int64_t repetition) const {
    const Range &range = ranges[value];
    auto id = static_cast<NameId>(range.first + i);
    return range.isConstant ? id
                            : id + static_cast<NameId>(repetition) *
                                       static_cast<NameId>(total);
  }
  /// "x[3]", with the repetition if there are several.
  [[nodiscard]] std::string print(NameId name) const;

  enum class Made : uint8_t { well, inSecondWay, butGiven };
  /// Records that `name` is made so; says whether that is allowed.
  Made make(uint32_t value, NameId name, const Definition &definition);

  /// The first map that is equal to `map`.
  [[nodiscard]] uint32_t firstEqualMap(uint32_t map) const {
    return firstEqual[map];
  }

private:
  struct Range {
    int64_t first = 0;
    bool isConstant = false, isInput = false;
  };
  const Schedule *schedule = nullptr;
  int64_t total = 0, repetitions = 1;
  std::vector<Range> ranges;
  std::vector<uint32_t> firstEqual;
  std::unordered_map<NameId, Definition> definitions;
};

/// The definition of an instruction's results, without `part`.
Definition definitionOf(const Names &names, const Instruction &instruction,
                        int64_t iteration, int64_t repetition);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_NAMES_H
