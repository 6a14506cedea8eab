#include "test/verify/spatial/RandomMachine.h"

#include <nlohmann/json.hpp>

namespace tilewright::test {

namespace {

using nlohmann::json;

json randomUnits(Dice &dice, bool hasSxm, int64_t chips) {
  std::vector<json> units;
  auto add = [&](int64_t count, const json &unit) {
    units.insert(units.end(), static_cast<size_t>(count), unit);
  };
  add(dice.number(3, 9), {{"kind", "mem"}});
  add(dice.number(1, 2), {{"kind", "vxm"}});
  add(dice.number(0, 2), {{"kind", "mxm"}});
  add(hasSxm ? dice.number(1, 2) : 0, {{"kind", "sxm"}});
  add(chips > 1 ? 2 : 0, {{"kind", "c2c"}, {"links", chips - 1}});
  dice.shuffle(units);
  return units;
}

json randomMxm(Dice &dice, int64_t lanes, int64_t planes) {
  json types = json::object();
  for (const char *type : {"i8", "f16", "bf16", "f32"})
    if (dice.chance(60))
      types[type] = dice.number(1, 4);
  if (types.empty())
    types["f32"] = 1;
  return {{"planes", dice.number(1, 2)},
          {"rows", dice.number(2, lanes)},
          {"columns", dice.number(1, lanes)},
          {"buffers", dice.number(1, 3)},
          {"load_streams", planes * dice.number(1, 3)},
          {"delay", dice.number(1, 9)},
          {"accumulators", dice.number(2, 9)},
          {"types", types}};
}

json randomVxm(Dice &dice) {
  json delays = json::object();
  for (const char *name : {"move", "add", "mul", "fma", "compare", "exp",
                           "divide", "convert", "logic"})
    if (dice.chance(40))
      delays[name] = dice.number(1, 9);
  return {{"alus", dice.number(1, 5)},
          {"default_delay", dice.number(1, 4)},
          {"delays", delays}};
}

} // namespace

std::string randomMachine(Dice &dice) {
  int64_t lanes = dice.oneOf<int64_t>({4, 8, 12, 16, 32, 64});
  int64_t streamBytes = dice.oneOf<int64_t>({1, 2, 4});
  int64_t planes = 4 / streamBytes;
  bool hasSxm = dice.chance(75);
  int64_t chips = dice.chance(20) ? dice.number(2, 3) : 1;
  json machine = {{"format", "tilewright-machine"},
                  {"version", 1},
                  {"name", "random"},
                  {"class", "static"},
                  {"clock_hz", 1e9},
                  {"lanes", lanes},
                  {"stream_bytes", streamBytes},
                  {"streams",
                   {{"east", planes + dice.number(0, 8)},
                    {"west", planes + dice.number(0, 8)}}},
                  {"units", randomUnits(dice, hasSxm, chips)},
                  {"mem",
                   {{"banks", dice.number(1, 3)},
                    {"rows", dice.number(16, 64)},
                    {"read_delay", dice.number(1, 6)},
                    {"write_delay", dice.number(1, 3)},
                    {"indexed_delay", dice.number(1, 8)}}},
                  {"mxm", randomMxm(dice, lanes, planes)},
                  {"vxm", randomVxm(dice)},
                  {"chips", chips}};
  if (hasSxm)
    machine["sxm"] = {{"ports", dice.number(1, 2)},
                      {"delay", dice.number(1, 5)},
                      {"transpose", dice.oneOf<int64_t>({2, 4})}};
  if (chips > 1) {
    machine["link"] = {{"vector_cycles", dice.number(1, 12)},
                       {"latency", dice.number(0, 20)},
                       {"guard", dice.number(0, 4)}};
    machine["topology"] = {{"kind", dice.oneOf({"all", "ring"})}};
  }
  return machine.dump();
}

} // namespace tilewright::test
