#include "test/spatial/sweep/SweepMachine.h"

#include <nlohmann/json.hpp>

namespace tilewright::test {

namespace {

using nlohmann::json;

json sweepUnits(Dice &dice, bool hasSxm, int64_t planes) {
  std::vector<json> units;
  auto add = [&](int64_t count, const char *kind) {
    units.insert(units.end(), static_cast<size_t>(count), {{"kind", kind}});
  };
  // Few ones, rarely: then the planes of a vector may not find banks on
  // one side of a unit.
  add(dice.chance(6) ? dice.number(3, 8)
                     : dice.number(2 * planes + 6, 6 * planes + 8),
      "mem");
  add(dice.number(1, 2), "vxm");
  // One in ten has no mxm: sums and products are then for the vxm.
  add(hasSxm && dice.chance(10) ? 0 : dice.number(1, 3), "mxm");
  add(hasSxm ? dice.number(1, 2) : 0, "sxm");
  dice.shuffle(units);
  // Neighbours of a kind may be written as one entry.
  json result = json::array();
  for (const json &unit : units)
    if (!result.empty() && result.back()["kind"] == unit["kind"])
      result.back()["count"] = result.back().value("count", 1) + 1;
    else
      result.push_back(unit);
  return result;
}

json sweepMxm(Dice &dice, int64_t lanes, int64_t planes, bool hasSxm) {
  json types = json::object();
  for (const char *type : {"f32", "f16", "bf16"})
    if (dice.chance(55))
      types[type] = dice.number(1, 4);
  if (types.empty())
    types[dice.oneOf({"f32", "f16"})] = 1;
  if (dice.chance(20))
    types["i8"] = 1;
  // Without an sxm, it is what moves elements to other lanes.
  const bool isFull = dice.chance(hasSxm ? 60 : 90);
  return {{"planes", dice.number(1, 4)},
          {"rows", isFull ? lanes : dice.number(2, lanes)},
          {"columns", isFull ? lanes : dice.number(2, lanes)},
          {"buffers", dice.number(1, 3)},
          {"load_streams", planes * dice.number(1, 4)},
          {"delay", dice.number(1, 17)},
          {"accumulators", dice.oneOf<int64_t>({1, 2, 3, 7, 16, 64})},
          {"types", types}};
}

json sweepVxm(Dice &dice) {
  json delays = json::object();
  for (const char *name :
       {"move", "add", "sub", "mul", "fma", "min", "max", "compare", "select",
        "convert", "exp", "divide", "sqrt", "tanh", "logic", "round"})
    if (dice.chance(30))
      delays[name] = dice.number(1, 13);
  return {{"alus", dice.oneOf<int64_t>({1, 1, 2, 3, 4, 5, 8, 16})},
          {"default_delay", dice.number(1, 5)},
          {"delays", delays}};
}

} // namespace

std::string sweepMachine(Dice &dice, int64_t rows) {
  const int64_t transpose = dice.oneOf<int64_t>({2, 3, 4, 8, 16});
  const int64_t lanes =
      transpose * dice.number((3 + transpose) / transpose, 64 / transpose);
  const int64_t streamBytes = dice.oneOf<int64_t>({1, 2, 4});
  const int64_t planes = 4 / streamBytes;
  const bool hasSxm = dice.chance(75);
  // Three operands and a result of f32 at a time, in most.
  auto streams = [&] {
    return dice.chance(5) ? planes + dice.number(0, 2 * planes)
                          : planes * dice.number(3, 10);
  };
  json machine = {{"format", "tilewright-machine"},
                  {"version", 1},
                  {"name", "random"},
                  {"class", "static"},
                  {"clock_hz", 1e9},
                  {"lanes", lanes},
                  {"stream_bytes", streamBytes},
                  {"streams", {{"east", streams()}, {"west", streams()}}},
                  {"units", sweepUnits(dice, hasSxm, planes)},
                  {"mem",
                   {{"banks", dice.number(1, 4)},
                    {"rows", rows},
                    {"read_delay", dice.number(1, 7)},
                    {"write_delay", dice.number(1, 4)},
                    {"indexed_delay", dice.number(1, 9)}}},
                  {"mxm", sweepMxm(dice, lanes, planes, hasSxm)},
                  {"vxm", sweepVxm(dice)},
                  {"chips", 1}};
  if (hasSxm)
    machine["sxm"] = {{"ports", dice.number(1, 3)},
                      {"delay", dice.number(1, 7)},
                      {"transpose", transpose}};
  return machine.dump(1);
}

} // namespace tilewright::test
