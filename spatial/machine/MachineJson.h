// The parts of the reader of machine files.
#ifndef TILEWRIGHT_SPATIAL_MACHINE_MACHINEJSON_H
#define TILEWRIGHT_SPATIAL_MACHINE_MACHINEJSON_H

#include "runtime/abi/Json.h"
#include "spatial/machine/Machine.h"

namespace tilewright::spatial {

/// Reads numbers, each of which may be {"v": .., "grade": .., "source": ..}.
class NumberReader {
public:
  explicit NumberReader(Machine &machine) : machine(machine) {}

  /// An integer in [least, most], which is noted in Machine::numbers.
  int64_t integer(const runtime::JsonCursor &json, std::string path,
                  int64_t least = 1, int64_t most = mostNumber);
  /// The same of the member `key` of `group`; the number's path is
  /// "GROUP.KEY", or the key.
  int64_t member(const runtime::JsonCursor &json, std::string_view group,
                 std::string_view key, int64_t least = 1,
                 int64_t most = mostNumber);
  /// A positive number.
  double positive(const runtime::JsonCursor &json, std::string path);
  /// An integer of a list of links, which is not noted.
  static int64_t unnoted(const runtime::JsonCursor &json, int64_t most);

  /// No number of a machine is greater.
  static constexpr int64_t mostNumber = 2147483647;
  /// Counts of lanes, streams and what else is numbered within a unit.
  static constexpr int64_t mostCount = 65536;

private:
  void note(const runtime::JsonCursor &json, std::string path, double value);

  Machine &machine;
};

/// Reads `topology` and fills in Machine::links; the units are known.
void readTopology(const runtime::JsonCursor &json, Machine &machine,
                  NumberReader &numbers);

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_MACHINE_MACHINEJSON_H
