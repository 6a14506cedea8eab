// Schedule packages: read, written and refused.
#include "spatial/program/Schedule.h"
#include "runtime/abi/Json.h"
#include "tilewright/runtime/MappedFile.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace tilewright;
using namespace tilewright::spatial;
using runtime::Json;
namespace fs = std::filesystem;

static const fs::path example = TEST_EXAMPLES "/spatial/relu.tws";

namespace {
/// An empty folder that goes away with this object.
struct Folder {
  Folder() {
    std::random_device random;
    path = fs::temp_directory_path() /
           ("tilewright-test-" + std::to_string(random()));
    fs::create_directory(path);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};
} // namespace

static std::string contents(const fs::path &file) {
  auto text = runtime::readFile(file);
  INFO(file.string());
  REQUIRE(text.ok());
  return *text;
}

static Schedule read(const fs::path &folder) {
  auto schedule = readSchedule(folder);
  INFO(schedule.status().message());
  REQUIRE(schedule.ok());
  return *schedule;
}

static void write(const Schedule &schedule, const fs::path &folder) {
  Status status = writeSchedule(schedule, folder);
  INFO(status.message());
  REQUIRE(status.ok());
}

TEST_CASE("the package of the documentation is read") {
  Schedule relu = read(example);
  CHECK(relu.machine.name == "toy4");
  CHECK(relu.cycles == 17);
  CHECK(relu.interval == 17);
  REQUIRE(relu.values.size() == 4);
  CHECK(relu.values[1].name == "wt");
  CHECK(relu.values[1].vectors == 4);
  REQUIRE(relu.inputs.size() == 1);
  CHECK(relu.inputs[0].shape == runtime::Shape{4});
  CHECK(relu.inputs[0].layout == std::vector<int32_t>{0, 1, 2, 3});
  CHECK(relu.constants == std::vector<uint32_t>{1});
  REQUIRE(relu.constantBytes.size() == 1);
  CHECK(relu.constantBytes[0].size() == 64);
  REQUIRE(relu.placements.size() == 4);
  CHECK(relu.placements[0].step == 2);
  CHECK(printQueue(relu.placements[0].bank) == "u2.b0");
  CHECK(relu.files == std::vector<std::string>{"chip-0.txt"});
  REQUIRE(relu.instructions[0].size() == 7);
  CHECK(relu.instructions[0][3].line == 7);
  CHECK(printName(relu, 1, 2) == "wt[2]");
}

TEST_CASE("a package that is read is written with the same bytes") {
  Folder folder;
  write(read(example), folder.path / "one.tws");
  write(read(folder.path / "one.tws"), folder.path / "two.tws");
  for (std::string_view file : {"manifest.json", "weights.safetensors",
                                "layouts.safetensors", "chip-0.txt"})
    CHECK(contents(folder.path / "one.tws" / file) ==
          contents(folder.path / "two.tws" / file));
  // All but the comments of the shipped one.
  CHECK(contents(folder.path / "one.tws/manifest.json") ==
        contents(example / "manifest.json"));
}

TEST_CASE("lines are written in the order of cycles and queues") {
  Folder folder;
  Schedule relu = read(example);
  write(relu, folder.path / "one.tws");
  std::ranges::reverse(relu.instructions[0]);
  write(relu, folder.path / "two.tws");
  CHECK(contents(folder.path / "one.tws/chip-0.txt") ==
        contents(folder.path / "two.tws/chip-0.txt"));
  // Where cycles are equal, queues decide.
  std::string text = contents(folder.path / "two.tws/chip-0.txt");
  size_t at = 0;
  for (std::string_view begin :
       {"@0 u2.b0 ", "@0 u2.b1 ", "@1 u3.b0 ", "@4 u0.p0.w ", "@6 u0.p0.a ",
        "@13 u4.a0 ", "@15 u3.b1 "}) {
    CHECK(text.substr(at, begin.size()) == begin);
    at = text.find('\n', at) + 1;
  }
}

TEST_CASE("a package replaces only a package") {
  Folder folder;
  Schedule relu = read(example);
  fs::path target = folder.path / "x.tws";
  write(relu, target);
  write(relu, target);
  auto entries = [&] {
    return std::distance(fs::directory_iterator(folder.path),
                         fs::directory_iterator());
  };
  CHECK(entries() == 1);
  fs::create_directory(folder.path / "mine");
  REQUIRE(runtime::writeFile(folder.path / "mine/text", "text").ok());
  CHECK_THAT(writeSchedule(relu, folder.path / "mine").message(),
             Catch::Contains("exists and is not a tilewright-schedule"));
  for (std::string_view manifest :
       {R"({"format": "mine"})", R"({"tilewright_package": 1})"}) {
    REQUIRE(
        runtime::writeFile(folder.path / "mine/manifest.json", manifest).ok());
    CHECK_FALSE(writeSchedule(relu, folder.path / "mine").ok());
    CHECK(contents(folder.path / "mine/text") == "text");
  }
  // A failure leaves what was there.
  std::string before = contents(target / "manifest.json");
  relu.constantBytes[0] = relu.constantBytes[0].first(8);
  CHECK_FALSE(writeSchedule(relu, target).ok());
  CHECK(contents(target / "manifest.json") == before);
  CHECK(entries() == 2);
}

TEST_CASE("a schedule is known by its name or its manifest") {
  Folder folder;
  CHECK(isSchedule("x.tws"));
  CHECK(isSchedule("x.tws/"));
  CHECK_FALSE(isSchedule("x.twp"));
  CHECK_FALSE(isSchedule(folder.path));
  write(read(example), folder.path / "copy");
  CHECK(isSchedule(folder.path / "copy"));
}

namespace {
/// A copy of the example, of which files can be changed.
struct Copy : Folder {
  Copy() { fs::copy(example, path / "x.tws"); }
  fs::path operator/(std::string_view file) const {
    return path / "x.tws" / file;
  }
  /// The value `text` at the JSON pointer `at` of the manifest; an empty text
  /// removes what is there.
  void change(std::string_view at, std::string_view text) const {
    Json json = *runtime::parseJson(contents(*this / "manifest.json"));
    Json::json_pointer pointer{std::string(at)};
    if (text.empty()) {
      Json &parent = json.at(pointer.parent_pointer());
      if (parent.is_array())
        parent.erase(std::stoul(pointer.back()));
      else
        parent.erase(pointer.back());
    } else {
      json[pointer] = *runtime::parseJson(text);
    }
    REQUIRE(runtime::writeFile(*this / "manifest.json", json.dump()).ok());
  }
  std::string error() const {
    auto schedule = readSchedule(path / "x.tws");
    REQUIRE_FALSE(schedule.ok());
    return schedule.status().message();
  }
};
} // namespace

TEST_CASE("an error of a manifest says where and why") {
  struct Case {
    std::string_view at, text, error;
  };
  for (Case wrong : {
           Case{"/format", "\"x\"", "manifest.json: format: expected"},
           {"/version", "2", "version: expected 1, found 2"},
           {"/machine", "", "machine: is missing"},
           {"/machine/lanes", "0", "machine: lanes: expected an integer"},
           {"/chips", "2", "chips: expected an integer from 1 to 1, found 2"},
           {"/cycles", "-1", "cycles: expected an integer from 0"},
           {"/interval", "0", "interval: expected an integer of at least 1"},
           {"/values/x/dtype", "\"f64\"", "values.x.dtype: expected i1"},
           {"/values/x/vectors", "0", "values.x.vectors: expected an integer"},
           {"/values/x.y", "{}", "expected a name of letters, digits"},
           {"/values", "[]", "values: expected an object"},
           {"/inputs/0/value", "\"z\"", "inputs[0].value: expected the name"},
           {"/inputs/0/dtype", "\"f64\"", "inputs[0].dtype: expected bool"},
           {"/inputs/0/dtype", "\"i64\"",
            "a value of f32 cannot hold elements"
            " of i64"},
           {"/inputs/0/shape", "[65536, 65536]", "of at most 2^31 - 1"},
           {"/inputs/0/shape", "[5]", "input 'x': layout: expected each of 5"},
           {"/inputs/0/shape", "[3]", "expected elements from 0 to 2, or -1"},
           {"/inputs/1",
            R"({"name": "x", "dtype": "f32", "shape": [4], "value": "h"})",
            "inputs[1].name: the name 'x' stands twice"},
           {"/constants/1", "\"x\"", "'x' is an input or constant twice"},
           {"/constants/0", "", "expected an input, an output or a constant"},
           {"/maps/m", "[0, 1, 2]", "maps.m: expected 4 lanes, found"},
           {"/maps/m", "[0, 1, 2, 8]",
            "maps.m[3]: expected an integer from "
            "-1 to 7, found 8"},
           {"/places/0/bank", "\"u2.a0\"", "places[0].bank: expected a bank"},
           {"/places/0/plane", "1", "places[0].plane: expected a plane from 0"},
           {"/places/0/count", "3", "places[0]: expected vectors 0 to 3 of"},
           {"/places/0/vector", "-1", "places[0]: expected vectors 0 to 3 of"},
           {"/places/0/count", "0", "places[0].count: expected an integer"},
           {"/places/0/stride", "0", "expected a stride other than 0"},
           {"/places/0/row", "1099511627776", "rows of at most 2^40"},
           {"/places/0/bank", "\"u2.b1\"",
            "row 0 of u2.b1 on chip 0 is placed twice, for 'wt' and 'wt'"},
           {"/places/1",
            R"({"value": "wt", "vector": 1, "plane": 0, "chip": 0,
                "bank": "u2.b0", "row": 1})",
            "row 1 of u2.b0 on chip 0 is placed twice, for 'wt' and 'wt'"},
           {"/places/3", "", "output 'y': places: expected a place of y[0].0"},
           {"/places/4",
            R"({"value": "x", "vector": 0, "plane": 0, "chip": 0,
                "bank": "u3.b0", "row": 9})",
            "input 'x': places: expected one place of x[0].0, found another"},
           {"/hash", "\"sha256:0\"", "weights.safetensors: the manifest exp"},
           {"/hash", "", "weights.safetensors: the manifest expects a key"},
       }) {
    Copy copy;
    copy.change(wrong.at, wrong.text);
    INFO(wrong.at << " " << wrong.text);
    CHECK_THAT(copy.error(), Catch::Contains(std::string(wrong.error)));
  }
}

TEST_CASE("keys that a reader does not know are allowed in a manifest") {
  Copy copy;
  copy.change("/by", R"({"anybody": [1]})");
  copy.change("/values/x/note", "1");
  CHECK(read(copy / "").cycles == 17);
}

TEST_CASE("a package without one of its files is an error") {
  for (std::string_view file : {"manifest.json", "weights.safetensors",
                                "layouts.safetensors", "chip-0.txt"}) {
    Copy copy;
    fs::remove(copy / file);
    CHECK_THAT(copy.error(), Catch::Contains(std::string(file)));
  }
}

TEST_CASE("tensors of other names and sizes are errors") {
  Copy copy;
  copy.change("/values/wt/vectors", "5");
  CHECK_THAT(copy.error(), Catch::Contains("'wt': expected U8 [5, 1, 16], "
                                           "found U8 [4, 1, 16]"));
  Copy layouts;
  layouts.change("/values/x/vectors", "2");
  CHECK_THAT(layouts.error(),
             Catch::Contains("'x': expected I32 [2, 4], found I32 [1, 4]"));
  Copy name;
  name.change("/inputs/0/name", "\"z\"");
  CHECK_THAT(name.error(), Catch::Contains("expected a tensor 'z'"));
}

// Cycles are from the manifest; what is wrong with them is a finding.
TEST_CASE("a wrong length is read") {
  Copy copy;
  copy.change("/cycles", "18");
  CHECK(read(copy / "").cycles == 18);
  copy.change("/cycles", "16");
  CHECK(read(copy / "").interval == 17);
}

TEST_CASE("an error of a line names the file and line") {
  Copy copy;
  REQUIRE(
      runtime::writeFile(copy / "chip-0.txt", "; first\n@0 u2.b0 go\n").ok());
  CHECK_THAT(copy.error(),
             Catch::Contains("chip-0.txt:2: expected an operation"));
}
