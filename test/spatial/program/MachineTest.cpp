// Machine files: what is read, and each limit of the format.
#include "spatial/machine/Machine.h"
#include "runtime/abi/Json.h"
#include "tilewright/runtime/MappedFile.h"
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::spatial;
using runtime::Json;

static std::string toyText() {
  auto text = runtime::readFile(TEST_EXAMPLES "/machines/toy4.json");
  REQUIRE(text.ok());
  return *text;
}

/// toy4 with the value `text` at the JSON pointer `at`; an empty text removes
/// what is there.
static std::string changed(std::string_view at, std::string_view text,
                           std::string base = toyText()) {
  Json json = *runtime::parseJson(base);
  Json::json_pointer pointer{std::string(at)};
  if (text.empty())
    json.at(pointer.parent_pointer()).erase(pointer.back());
  else
    json[pointer] = *runtime::parseJson(text);
  return json.dump();
}

static Machine machine(std::string_view text) {
  auto read = parseMachine(text, "m.json");
  INFO(read.status().message());
  REQUIRE(read.ok());
  return *read;
}

static std::string error(std::string_view text) {
  auto read = parseMachine(text, "m.json");
  INFO(text);
  REQUIRE_FALSE(read.ok());
  return read.status().message();
}

TEST_CASE("a machine file is read") {
  Machine toy = machine(toyText());
  CHECK(toy.name == "toy4");
  CHECK(toy.lanes == 4);
  CHECK(toy.rowBytes() == 16);
  CHECK(toy.streams == std::array<int64_t, 2>{8, 8});
  CHECK(toy.positionsOf(UnitKind::mem) == std::vector<int64_t>{2, 3});
  CHECK(toy.positionsOf(UnitKind::vxm) == std::vector<int64_t>{4});
  CHECK(toy.mem.readDelay == 2);
  CHECK(toy.mxm.passes == std::map<DType, int64_t>{{DType::F32, 1}});
  CHECK(toy.delayOf(AluOp::divide) == 1);
  CHECK(toy.planesOf(DType::F32) == 1);
  CHECK(toy.sxm->transpose == 4);
  CHECK_FALSE(toy.link);
  CHECK(toy.links.empty());
  CHECK(toy.text == toyText());
}

TEST_CASE("each number of a machine has a grade") {
  Machine toy = machine(toyText());
  CHECK(toy.assumedNumbers() == static_cast<int64_t>(toy.numbers.size()));
  Machine graded = machine(changed(
      "/mxm/delay", R"({"v": 7, "grade": "public", "source": "p. 3"})"));
  CHECK(graded.mxm.delay == 7);
  CHECK(graded.numbers.size() == toy.numbers.size());
  CHECK(graded.assumedNumbers() == toy.assumedNumbers() - 1);
  auto found =
      std::ranges::find(graded.numbers, "mxm.delay", &GradedNumber::path);
  REQUIRE(found != graded.numbers.end());
  CHECK(found->value == 7);
  CHECK(gradeName(found->grade) == "public");
  CHECK(found->source == "p. 3");
  CHECK(machine(changed("/mxm/delay", R"({"v": 7})")).mxm.delay == 7);
}

TEST_CASE("the shipped machines are read") {
  auto shipped = [](std::string_view name) {
    auto read = readMachine(TEST_EXAMPLES "/machines/" + std::string(name));
    INFO(read.status().message());
    REQUIRE(read.ok());
    return *read;
  };
  Machine ring = shipped("ring8.json");
  CHECK(ring.lanes == 64);
  CHECK(ring.mxm.passes.contains(DType::F32));
  CHECK(ring.links.size() == 16);
  Machine tsp = shipped("tsp1.json");
  auto slices = static_cast<int64_t>(tsp.positionsOf(UnitKind::mem).size());
  CHECK(slices * tsp.mem.banks * tsp.mem.rows * tsp.rowBytes() == 220ll << 20);
  CHECK(tsp.planesOf(DType::F32) == 4);
  CHECK(tsp.links.size() == 8 * 7);
  CHECK(tsp.assumedNumbers() < static_cast<int64_t>(tsp.numbers.size()) / 2);
  Machine lpu = shipped("lp30.json");
  CHECK(lpu.assumedNumbers() > static_cast<int64_t>(lpu.numbers.size()) / 2);
}

TEST_CASE("delays of groups of operations replace the default") {
  Machine toy =
      machine(changed("/vxm/delays", R"({"compare": 3, "tanh": 12})"));
  CHECK(toy.delayOf(AluOp::lt) == 3);
  CHECK(toy.delayOf(AluOp::ne) == 3);
  CHECK(toy.delayOf(AluOp::tanh) == 12);
  CHECK(toy.delayOf(AluOp::add) == 1);
}

TEST_CASE("an error of a machine file names the key and what was found") {
  struct Case {
    std::string_view at, text, error;
  };
  for (Case wrong : {
           Case{"/format", "\"x\"",
                "m.json: format: expected \"tilewright-machine\", found \"x\""},
           {"/version", "2", "version: expected 1, found 2"},
           {"/class", "\"mesh\"", "class: expected \"static\""},
           {"/name", "", "m.json: name: is missing"},
           {"/colour", "1", "unknown key 'colour'"},
           {"/mem/colour", "1", "mem: unknown key 'colour'"},
           {"/clock_hz", "0", "clock_hz: expected a positive number, found 0"},
           {"/clock_hz", "\"Infinity\"", "clock_hz: expected a positive"},
           {"/lanes", "0", "lanes: expected an integer from 1 to 65536"},
           {"/lanes", "4.5", "lanes: expected an integer"},
           {"/stream_bytes", "3", "stream_bytes: expected 1, 2 or 4, found 3"},
           {"/streams/east", "0", "streams.east: expected"},
           {"/units", "[]", "units: expected units"},
           {"/units/0/kind", "\"gpu\"", "units[0].kind: expected a unit"},
           {"/units/0/links", "2", "a unit of kind mxm has no links"},
           {"/units/2/count", "0", "units[2].count: expected an integer"},
           {"/units/2/count", "65536", "units[2]: expected at most 65536"},
           {"/mem/rows", "0", "mem.rows: expected an integer from 1"},
           {"/mem/read_delay", "0", "mem.read_delay: expected"},
           {"/mem", "", "mem: is missing"},
           {"/mxm/rows", "5", "mxm.rows: expected at most lanes, 4, found 5"},
           {"/mxm/columns", "5", "mxm.columns: expected at most lanes, 4"},
           {"/mxm/types/f64", "1", "mxm.types: unknown type 'f64'"},
           {"/mxm/types/f32", "0", "mxm.types.f32: expected"},
           {"/vxm/delays/add2", "1", "vxm.delays: unknown operation 'add2'"},
           {"/vxm/default_delay", "{\"v\": 1, \"grade\": \"good\"}",
            "vxm.default_delay.grade: expected a grade"},
           {"/vxm/default_delay", "{\"v\": 1, \"note\": \"\"}",
            "vxm.default_delay: unknown key 'note'"},
           {"/sxm", "", "sxm: is missing"},
           {"/sxm/transpose", "3",
            "sxm.transpose: expected a divisor of lanes, 4, found 3"},
           {"/chips", "0", "chips: expected an integer from 1"},
           {"/chips", "2", "topology: is missing"},
           {"/topology", R"({"kind": "torus"})",
            "topology.kind: expected all, ring or list, found \"torus\""},
       })
    CHECK_THAT(error(changed(wrong.at, wrong.text)),
               Catch::Contains(std::string(wrong.error)));
  CHECK_THAT(error("{"), Catch::Contains("m.json:1:"));
  CHECK_THAT(readMachine("/nowhere/m.json").status().message(),
             Catch::Contains("/nowhere/m.json"));
}

// An f32 is 4 streams of one byte.
TEST_CASE("each type that is used must find streams") {
  std::string bytes = changed("/stream_bytes", "1");
  CHECK_THAT(error(changed("/streams/west", "3", bytes)),
             Catch::Contains("streams.west: expected an integer from 4"));
  CHECK_THAT(error(bytes),
             Catch::Contains("mxm.load_streams: expected at least the 4 planes "
                             "of f32, found 2"));
  CHECK(
      machine(changed("/mxm/load_streams", "4", bytes)).planesOf(DType::F32) ==
      4);
}

/// toy4 with two c2c units of 3 and 1 links, and `chips` chips.
static std::string linked(std::string_view chips, std::string_view topology) {
  std::string text = changed("/units/0", R"({"kind": "c2c", "links": 3})");
  text = changed("/units/4", R"({"kind": "c2c", "links": 1})", text);
  text = changed("/link", R"({"vector_cycles": 2, "latency": 0, "guard": 0})",
                 text);
  return changed("/topology", topology, changed("/chips", chips, text));
}

TEST_CASE("each link leads to one link of another chip") {
  Machine all = machine(linked("3", R"({"kind": "all"})"));
  CHECK(all.units[4].firstLink == 3);
  CHECK(all.links == std::map<LinkEnd, LinkEnd>{{{0, 0}, {1, 0}},
                                                {{0, 1}, {2, 0}},
                                                {{1, 0}, {0, 0}},
                                                {{1, 1}, {2, 1}},
                                                {{2, 0}, {0, 1}},
                                                {{2, 1}, {1, 1}}});
  Machine wide = machine(linked("3", R"({"kind": "all", "width": 2})"));
  CHECK(wide.links.at({0, 3}) == LinkEnd{2, 1});
  Machine ring = machine(linked("3", R"({"kind": "ring"})"));
  CHECK(ring.links.size() == 6);
  CHECK(ring.links.at({2, 0}) == LinkEnd{0, 1});
  CHECK(ring.links.at({0, 1}) == LinkEnd{2, 0});
  Machine list =
      machine(linked("3", R"({"kind": "list", "links": [[0, 3, 2, 1]]})"));
  CHECK(list.links ==
        std::map<LinkEnd, LinkEnd>{{{0, 3}, {2, 1}}, {{2, 1}, {0, 3}}});
}

TEST_CASE("links that are not there are errors") {
  CHECK_THAT(error(linked("6", R"({"kind": "all"})")),
             Catch::Contains("topology: expected 5 links of each of 6 chips, "
                             "found 4 in the units"));
  CHECK_THAT(error(changed("/link", "", linked("3", R"({"kind": "ring"})"))),
             Catch::Contains("link: is missing"));
  auto list = [](std::string_view links) {
    return error(linked("3", R"({"kind": "list", "links": )" +
                                 std::string(links) + "}"));
  };
  CHECK_THAT(list("[[0, 0, 0, 1]]"),
             Catch::Contains("topology.links[0]: expected a link between two"));
  CHECK_THAT(list("[[0, 0, 3, 1]]"), Catch::Contains("from 0 to 2, found 3"));
  CHECK_THAT(list("[[0, 4, 1, 1]]"), Catch::Contains("from 0 to 3, found 4"));
  CHECK_THAT(list("[[0, 0, 1, 1], [2, 0, 1, 1]]"),
             Catch::Contains("topology.links[1]: link 1 of chip 1 already"));
  CHECK_THAT(list("[[0, 0, 1]]"), Catch::Contains("expected a list [chip"));
}
