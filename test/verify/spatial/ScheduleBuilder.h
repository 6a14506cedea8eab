// Schedules in memory, for tests of their judges.
#ifndef TILEWRIGHT_TEST_VERIFY_SPATIAL_SCHEDULEBUILDER_H
#define TILEWRIGHT_TEST_VERIFY_SPATIAL_SCHEDULEBUILDER_H

#include "spatial/program/Schedule.h"
#include "tilewright/runtime/Tensor.h"
#include <map>
#include <random>
#include <string>
#include <string_view>

namespace tilewright::test {

/// Builds a schedule from lines as text and entries of a manifest. Inputs and
/// outputs have an element in each lane of each vector, in order.
class ScheduleBuilder {
public:
  /// `machine` is the text of a machine file. What is wrong in it, or in lines,
  /// throws.
  explicit ScheduleBuilder(std::string_view machine);

  spatial::Schedule schedule;

  uint32_t addValue(std::string name, spatial::DType dtype, int64_t vectors);
  uint32_t addInput(std::string name, spatial::DType dtype, int64_t vectors);
  /// Its elements are random.
  uint32_t addConstant(std::string name, spatial::DType dtype, int64_t vectors);
  void addOutput(uint32_t value);
  void addMap(std::string name, std::vector<int32_t> lanes) {
    schedule.maps.push_back({std::move(name), std::move(lanes)});
  }
  /// `count` vectors from 0 on, one plane of each, in rows `row`, ..
  void place(uint32_t value, int64_t count, int64_t plane, spatial::Queue bank,
             int64_t row, int64_t chip = 0) {
    schedule.placements.push_back(
        {value, 0, count, 1, plane, chip, bank, row, 1});
  }
  /// Elements of a constant or an input are from 0 below `bound`.
  void boundElements(uint32_t value, int64_t bound) { bounds[value] = bound; }
  void setLines(int64_t chip, std::string_view text);
  /// Gives the schedule its length, and its constants their elements.
  void finish(int64_t cycles, uint64_t seed = 1);
  /// Elements for the inputs.
  [[nodiscard]] std::vector<runtime::HostTensor>
  makeInputs(uint64_t seed) const;

private:
  [[nodiscard]] int64_t boundOf(uint32_t value) const;
  std::map<uint32_t, int64_t> bounds;
};

/// "u2.b0".
[[nodiscard]] inline spatial::Queue bankOf(int64_t position, int64_t bank) {
  return {position, spatial::QueueKind::bank, bank};
}

/// Elements for the inputs of a schedule: random, and those of i32 below
/// `bound`.
[[nodiscard]] std::vector<runtime::HostTensor>
randomInputs(const spatial::Schedule &schedule, uint64_t seed,
             const std::map<uint32_t, int64_t> &bounds = {});

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_VERIFY_SPATIAL_SCHEDULEBUILDER_H
