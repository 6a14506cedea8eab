// ALUs (M6) and lane maps (M7).
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_VECTORUNITS_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_VECTORUNITS_H

#include "spatial/simulator/Core.h"

namespace tilewright::spatial {

/// The units that compute on lanes.
class VectorUnits {
public:
  explicit VectorUnits(Core &core) : core(core), units(core.units()) {}

  void alu(const Issue &issue);
  void map(const Issue &issue);
  void transpose(const Issue &issue);

  /// The first cycle in which a transposition takes a further vector.
  [[nodiscard]] int64_t nextTake() const { return transpositions.next(); }
  /// Takes what transpositions in progress take now.
  void takeDue();

private:
  struct Result {
    int64_t cycle = 0;
    NameId name = 0;
    VectorRef lanes;
  };
  /// What an ALU has begun, by cycle of begin. Results of past cycles are
  /// removed when something new begins.
  using Alu = std::vector<Result>;
  struct Transposition {
    Issue issue;
    std::vector<VectorRef> operands;
  };

  VectorRef takeResult(const Issue &issue, const Port &port);
  VectorRef operand(const Issue &issue, const Port &port, size_t index,
                    Lane &number);
  void take(Transposition transposition);
  void finish(const Transposition &transposition);

  Core &core;
  /// [unit][ALU].
  std::vector<std::vector<Alu>> units;
  Calendar<Transposition> transpositions;
  std::vector<Transposition> due;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_VECTORUNITS_H
