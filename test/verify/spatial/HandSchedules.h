// Schedules written by hand.
#ifndef TILEWRIGHT_TEST_VERIFY_SPATIAL_HANDSCHEDULES_H
#define TILEWRIGHT_TEST_VERIFY_SPATIAL_HANDSCHEDULES_H

#include "test/verify/spatial/ScheduleBuilder.h"

namespace tilewright::test {

/// toy4 of docs/spatial.md.
inline constexpr std::string_view toyMachine = R"({
 "format": "tilewright-machine", "version": 1, "name": "toy4",
 "class": "static", "clock_hz": 1e9, "lanes": 4, "stream_bytes": 4,
 "streams": {"east": 8, "west": 8},
 "units": [{"kind": "mxm"}, {"kind": "sxm"}, {"kind": "mem", "count": 2},
           {"kind": "vxm"}],
 "mem": {"banks": 2, "rows": 16, "read_delay": 2, "write_delay": 1,
         "indexed_delay": 3},
 "mxm": {"planes": 1, "rows": 4, "columns": 4, "buffers": 2,
         "load_streams": 2, "delay": 3, "accumulators": 4,
         "types": {"f32": 1, "i8": 2}},
 "vxm": {"alus": 4, "default_delay": 1, "delays": {"exp": 3}},
 "sxm": {"ports": 1, "delay": 2, "transpose": 4}, "chips": 1})";

/// y = relu(W x) of docs/spatial.md, without its comments.
inline constexpr std::string_view reluLines =
    R"(@0 u2.b0 read r0+1:wt[0+2].0 -> w0 *2/1
@0 u2.b1 read r0+1:wt[1+2].0 -> w1 *2/1
@1 u3.b0 read r0:x[0].0 -> w2
@4 u0.p0.w load w0,w1:wt[0+2] -> buffer 0 row 0+2 *2/1
@6 u0.p0.a mul f32 w2:x[0] buffer 0:wt[0] rows 4 -> e0:h[0]
@13 u4.a0 max f32 e0:h[0] 0 -> w0:y[0]
@15 u3.b1 write w0:y[0].0 -> r0
)";

/// The schedule of these lines, all values with one plane a vector.
ScheduleBuilder reluSchedule(std::string_view lines = reluLines);

/// "missing-operand @6 u0.p0.a": the verifier's first finding, or "accepted".
[[nodiscard]] std::string firstFinding(const spatial::Schedule &schedule);

/// A text in which `from`, which is there, is replaced by `to`.
[[nodiscard]] std::string edited(std::string_view text, std::string_view from,
                                 std::string_view to);

/// toy4, or another machine, with values by name, and lines.
struct Small {
  explicit Small(std::string_view machine = toyMachine) : builder(machine) {}

  /// Plane j lies in bank planes[j], in rows `row` and on.
  Small &input(std::string name, spatial::DType dtype, int64_t vectors,
               std::vector<spatial::Queue> planes, int64_t row = 0);
  Small &value(std::string name, spatial::DType dtype, int64_t vectors = 1);
  /// The first finding of these lines, on one chip or two. `cycles` is what the
  /// manifest says.
  std::string judge(int64_t cycles, std::string_view lines,
                    std::string_view second = {});

  ScheduleBuilder builder;
};

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_VERIFY_SPATIAL_HANDSCHEDULES_H
