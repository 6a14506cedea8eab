// Banks of memory (M4).
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_MEMORYUNITS_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_MEMORYUNITS_H

#include "spatial/simulator/Core.h"

namespace tilewright::spatial {

class MemoryUnits {
public:
  explicit MemoryUnits(Core &core) : core(core), units(core.units()) {}

  /// Before a cycle: inputs and constants.
  void place(int64_t chip, const Queue &bank, int64_t row, NamedPlane plane);
  /// What a row holds after all cycles; null if nothing.
  [[nodiscard]] const NamedPlane *held(int64_t chip, const Queue &bank,
                                       int64_t row) const;

  void read(const Issue &issue);
  void write(const Issue &issue);
  void gather(const Issue &issue);

  /// Of the first repetition: the length of what was written (M11).
  [[nodiscard]] int64_t length() const { return end; }

private:
  struct Row {
    NamedPlane plane;
    int64_t readableFrom = 0;
  };
  using Bank = std::unordered_map<int64_t, Row>;

  Bank &bank(int64_t chip, const Queue &queue);
  /// The row if it holds plane `plane` of `name`; else null and a finding.
  const Row *checkedRow(const Issue &issue, int64_t row, NameId name,
                        int64_t plane);

  Core &core;
  /// [unit][bank].
  std::vector<std::vector<Bank>> units;
  int64_t end = 0;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_MEMORYUNITS_H
