#include "spatial/program/Manifest.h"
#include "support/Format.h"
#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace tilewright::spatial {

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

/// That each element stands once in the layout.
static Status checkLayout(const Interface &interface) {
  size_t elements = 1; // Of at most 2^31 - 1, as the manifest's reader checks.
  for (int64_t size : interface.shape)
    elements *= static_cast<size_t>(size);
  // The layout bounds what is allocated here.
  if (elements > interface.layout.size())
    return Status::invalidInput(
        format("expected each of {} elements once, found {} lanes",
               {elements, interface.layout.size()}));
  std::vector<bool> isFound(elements);
  size_t found = 0;
  for (int32_t element : interface.layout) {
    if (element == -1)
      continue;
    if (element < -1 || static_cast<size_t>(element) >= elements)
      return Status::invalidInput(
          format("expected elements from 0 to {}, or -1, found {}",
                 {static_cast<int64_t>(elements) - 1, element}));
    if (isFound[static_cast<size_t>(element)])
      return Status::invalidInput(format("element {} stands twice", {element}));
    isFound[static_cast<size_t>(element)] = true;
    ++found;
  }
  if (found == elements)
    return {};
  auto missing = std::ranges::find(isFound, false) - isFound.begin();
  return Status::invalidInput(format("element {} is missing", {missing}));
}

namespace {
/// Which planes of a value's vectors are placed, and on which chip.
class PlacedPlanes {
public:
  PlacedPlanes(const Schedule &schedule, const Interface &interface)
      : schedule(schedule), interface(interface),
        value(schedule.values[interface.value]),
        planes(schedule.machine.planesOf(value.dtype)),
        chips(static_cast<size_t>(planes * value.vectors), -1) {}

  Status add(const Placement &place);
  /// That each vector with elements is placed, on one chip.
  Status check() const;

private:
  [[nodiscard]] bool hasElements(int64_t vector) const;
  [[nodiscard]] std::string name(int64_t vector, int64_t plane) const {
    return format("{}[{}].{}", {value.name, vector, plane});
  }

  const Schedule &schedule;
  const Interface &interface;
  const Value &value;
  int64_t planes;
  /// [vectors, planes]; -1: not placed.
  std::vector<int64_t> chips;
};
} // namespace

Status PlacedPlanes::add(const Placement &place) {
  for (int64_t i = 0; i < place.count; ++i) {
    int64_t vector = place.vector + i * place.step;
    int64_t &chip = chips[static_cast<size_t>(vector * planes + place.plane)];
    if (chip != -1)
      return Status::invalidInput(
          format("expected one place of {}, found another",
                 {name(vector, place.plane)}));
    // A chip that is not there is a finding of others.
    chip = std::max<int64_t>(0, place.chip);
  }
  return {};
}

bool PlacedPlanes::hasElements(int64_t vector) const {
  auto lanes = static_cast<size_t>(schedule.machine.lanes);
  auto begin = interface.layout.begin() +
               static_cast<ptrdiff_t>(static_cast<size_t>(vector) * lanes);
  return std::any_of(begin, begin + static_cast<ptrdiff_t>(lanes),
                     [](int32_t element) { return element >= 0; });
}

Status PlacedPlanes::check() const {
  for (int64_t vector = 0; vector < value.vectors; ++vector) {
    const int64_t *first = &chips[static_cast<size_t>(vector * planes)];
    for (int64_t plane = 0; plane < planes; ++plane) {
      if (first[plane] == -1 && hasElements(vector))
        return Status::invalidInput(format("expected a place of {}, found none",
                                           {name(vector, plane)}));
      if (first[plane] != first[0])
        return Status::invalidInput(
            format("expected all planes of {}[{}] on one chip, found them on "
                   "{} and {}",
                   {value.name, vector, first[0], first[plane]}));
    }
  }
  return {};
}

static Status checkInterfaces(const Schedule &schedule,
                              const std::vector<Interface> &interfaces,
                              std::string_view what) {
  for (const Interface &interface : interfaces) {
    std::string where = format("{} '{}'", {what, interface.name});
    if (Status status = checkLayout(interface); !status.ok())
      return status.prefixed(where + ": layout");
    PlacedPlanes placed(schedule, interface);
    for (const Placement &place : schedule.placements)
      if (place.value == interface.value)
        if (Status status = placed.add(place); !status.ok())
          return status.prefixed(where + ": places");
    if (Status status = placed.check(); !status.ok())
      return status.prefixed(where + ": places");
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {
/// Rows of a bank, [first, last], that hold one value's vectors.
struct Rows {
  int64_t chip, position, bank, first, last;
  uint32_t value;
};
} // namespace

/// Appends the rows of `place` that a bank of the machine may have.
static Status appendRows(const Schedule &schedule, const Placement &place,
                         std::vector<Rows> &rows) {
  constexpr size_t most = size_t(1) << 24;
  if (place.count > 1 && place.stride == 0)
    return Status::invalidInput(
        format("expected a stride other than 0 of {} vectors", {place.count}));
  const int64_t end = place.row + (place.count - 1) * place.stride;
  const int64_t first = std::min(place.row, end);
  const int64_t last =
      std::min(std::max(place.row, end), schedule.machine.mem.rows - 1);
  const int64_t stride = std::max<int64_t>(1, std::abs(place.stride));
  // Of rows in succession, one entry is enough.
  const int64_t step =
      stride == 1 ? std::max<int64_t>(1, last - first + 1) : stride;
  const int64_t outside = first < 0 ? (-first + stride - 1) / stride : 0;
  for (int64_t row = first + outside * stride; row <= last; row += step) {
    if (rows.size() >= most)
      return Status::invalidInput(format(
          "expected at most {} rows that do not follow each other", {most}));
    rows.push_back({place.chip, place.bank.position, place.bank.index, row,
                    stride == 1 ? last : row, place.value});
  }
  return {};
}

static Status checkRows(const Schedule &schedule) {
  std::vector<bool> isGiven(schedule.values.size());
  for (const Interface &input : schedule.inputs)
    isGiven[input.value] = true;
  for (uint32_t constant : schedule.constants)
    isGiven[constant] = true;
  std::vector<Rows> rows;
  for (const Placement &place : schedule.placements)
    if (isGiven[place.value])
      TILEWRIGHT_RETURN_IF_ERROR(appendRows(schedule, place, rows));
  auto key = [](const Rows &r) {
    return std::tie(r.chip, r.position, r.bank, r.first);
  };
  std::ranges::sort(rows, {}, key);
  for (size_t i = 1; i < rows.size(); ++i) {
    const Rows &a = rows[i - 1], &b = rows[i];
    if (std::tie(a.chip, a.position, a.bank) ==
            std::tie(b.chip, b.position, b.bank) &&
        b.first <= a.last)
      return Status::invalidInput(format(
          "row {} of u{}.b{} on chip {} is placed twice, for '{}' and '{}'",
          {b.first, b.position, b.bank, b.chip, schedule.values[a.value].name,
           schedule.values[b.value].name}));
  }
  return {};
}

Status checkPlacements(const Schedule &schedule) {
  TILEWRIGHT_RETURN_IF_ERROR(
      checkInterfaces(schedule, schedule.inputs, "input"));
  TILEWRIGHT_RETURN_IF_ERROR(
      checkInterfaces(schedule, schedule.outputs, "output"));
  Status status = checkRows(schedule);
  return status.ok() ? status : status.prefixed("places");
}

} // namespace tilewright::spatial
