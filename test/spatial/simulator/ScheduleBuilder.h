// Small schedules, in memory, of lines as text.
#ifndef TILEWRIGHT_TEST_SPATIAL_SIMULATOR_SCHEDULEBUILDER_H
#define TILEWRIGHT_TEST_SPATIAL_SIMULATOR_SCHEDULEBUILDER_H

#include "spatial/program/Schedule.h"
#include "spatial/simulator/Simulator.h"
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace tilewright::test {

using runtime::DType;

/// A machine of 4 lanes: u0 mxm (2 planes of 4 x 3), u1 sxm, u2 and u3 mem, u4
/// vxm, u5 c2c with 2 links; 2 chips, ring. read_delay 2, write_delay 1, mxm
/// delay 3, ALUs 1 (divide 3), sxm 1, link 3 + 4 + 1. `edit` replaces text of
/// the file: {"\"stream_bytes\": 4", "\"stream_bytes\": 1"}.
spatial::Machine
smallMachine(const std::vector<std::pair<std::string, std::string>> &edit = {});

/// What fails is an error of the test: REQUIRE.
class ScheduleBuilder {
public:
  explicit ScheduleBuilder(spatial::Machine machine = smallMachine(),
                           int64_t chips = 1);

  ScheduleBuilder &value(const std::string &name, DType type,
                         int64_t vectors = 1);
  /// All lanes of a value's vectors, in order, are the elements. `bank` is
  /// "u2.b0", or several by comma, over which planes are dealt; further planes
  /// of a bank lie behind the first.
  ScheduleBuilder &input(const std::string &name, DType type, int64_t vectors,
                         const std::string &bank, int64_t row = 0,
                         int64_t chip = 0);
  ScheduleBuilder &output(const std::string &name, DType type, int64_t vectors,
                          const std::string &bank, int64_t row = 0,
                          int64_t chip = 0);
  ScheduleBuilder &constant(const std::string &name, DType type,
                            const std::vector<double> &elements,
                            const std::string &bank, int64_t row = 0,
                            int64_t chip = 0);
  ScheduleBuilder &map(const std::string &name, std::vector<int32_t> lanes);
  ScheduleBuilder &lines(const std::string &text, int64_t chip = 0);
  ScheduleBuilder &cycles(int64_t count);
  ScheduleBuilder &interval(int64_t count);

  /// Inputs by elements, in order. Elements of outputs are converted to
  /// double.
  struct Run {
    std::vector<spatial::Finding> findings;
    int64_t cycles = 0;
    std::vector<std::vector<double>> outputs;
    /// The first finding's code and cycle, "missing-operand 6", or "".
    std::string first;
  };
  Run run(const std::vector<std::vector<double>> &inputs = {},
          size_t mostFindings = 20);

  spatial::Schedule schedule;

private:
  void place(const std::string &value, const std::string &bank, int64_t row,
             int64_t chip);
  /// Of constants; copies of the builder share them.
  std::shared_ptr<std::list<std::vector<std::byte>>> bytes =
      std::make_shared<std::list<std::vector<std::byte>>>();
};

/// Elements of `type` as they lie in memory, and back.
runtime::HostTensor tensorOf(DType type, runtime::Shape shape,
                             const std::vector<double> &elements);
std::vector<double> elementsOf(const runtime::TensorView &tensor);

/// "missing-operand 6" of the first finding; empty without findings.
std::string firstOf(const std::vector<spatial::Finding> &findings);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_SPATIAL_SIMULATOR_SCHEDULEBUILDER_H
