//===- CpuSchedule.h - How a tile kernel becomes loops on a CPU -*- C++ -*-===//
//
// A schedule is data: it is chosen by a heuristic, by a search or by hand, is
// stored with tuning results, and changes nothing of what a kernel computes.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_CPUSCHEDULE_H
#define TILEWRIGHT_CODEGEN_CPUSCHEDULE_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace tilewright::schedule {

/// The parameters of one kernel. As text, `key=value` separated by blanks, in a
/// fixed order; a parameter that is left to the compiler (0) is not written:
/// "rows=8 vectors=3 unroll=2 packlhs=1 tile0=48 tile1=64".
struct TILEWRIGHT_API CpuSchedule {
  /// The block of accumulators that a contraction keeps in registers: rows,
  /// and vectors of columns. 0: as many as the machine's registers hold.
  unsigned rows = 0, vectors = 0;
  /// Steps of the depth that one iteration of a contraction's innermost loop
  /// does. 0: one.
  unsigned unroll = 0;
  /// Whether a contraction copies its operand into panels, in the order in
  /// which it reads them, before it begins: 1 never (but where it must), 2
  /// always. 0: as the operand's strides suggest.
  unsigned packlhs = 0, packrhs = 0;
  /// Which blocks of a contraction follow each other: 1 those of one column
  /// (the right panel stays in the cache), 2 those of one row. 0: 2.
  unsigned order = 0;
  /// Programs that a thread takes at a time. 0: a quarter of its share.
  unsigned chunk = 0;
  /// The most threads that work on one launch. 0: all that there are.
  unsigned threads = 0;
  /// Values of the kernel's tunables by name; of a group of graph ops, the
  /// sizes that it is split into.
  std::map<std::string, int64_t> tunables;

  [[nodiscard]] std::string text() const;
  /// Reads the textual form; what it leaves out is left to the compiler.
  /// Errors name the key, what was expected and what was found.
  static StatusOr<CpuSchedule> parse(std::string_view text);

  friend bool operator==(const CpuSchedule &, const CpuSchedule &) = default;
};

} // namespace tilewright::schedule

#endif // TILEWRIGHT_CODEGEN_CPUSCHEDULE_H
