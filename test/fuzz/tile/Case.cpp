#include "Case.h"

#include "RandomProgram.h"

#include <sstream>

namespace tilewright::fuzz {

using kerneltest::Input;

//===--- From a seed ------------------------------------------------------===//

namespace {
class Choices {
public:
  explicit Choices(uint64_t seed) : random(seed * 0x9E3779B97F4A7C15 + 1) {}
  int64_t pick(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }
  bool chance(int percent) { return pick(1, 100) <= percent; }

private:
  std::mt19937_64 random;
};
} // namespace

/// Each key is left out or has any value. Few blocks need more registers than
/// there are: those are rejected.
static std::string cpuSchedule(Choices &choices) {
  std::string text;
  auto add = [&](const char *key, int percent, int64_t low, int64_t high) {
    if (choices.chance(percent))
      text += (text.empty() ? "" : " ") + std::string(key) + "=" +
              std::to_string(choices.pick(low, high));
  };
  bool isWide = choices.chance(4);
  add("rows", 50, 1, isWide ? 20 : 5);
  add("vectors", 50, 1, isWide ? 6 : 2);
  add("unroll", 40, 1, 5);
  add("packlhs", 40, 1, 2);
  add("packrhs", 40, 1, 2);
  add("order", 40, 1, 2);
  add("chunk", 30, 1, 5);
  add("threads", 30, 1, 4);
  return text;
}

static std::string gpuSchedule(Choices &choices) {
  int64_t warps = choices.chance(5) ? choices.pick(4, 5) : choices.pick(0, 3);
  std::string text = "warps=" + std::to_string(1 << warps);
  if (choices.chance(60))
    text += " access=" + std::to_string(8 << choices.pick(0, 4));
  auto add = [&](const char *key, int percent, int64_t low, int64_t high) {
    if (choices.chance(percent))
      text += " " + std::string(key) + "=" +
              std::to_string(choices.pick(low, high));
  };
  add("persistent", 30, 1, 3);
  add("group", 30, 1, 4);
  add("min_blocks", 10, 1, 2);
  add("max_registers", 10, 32, 255);
  add("stages", 50, 1, 5);
  if (choices.chance(15))
    text += " instruction=fma";
  return text;
}

Case makeCase(uint64_t seed, Contents contents) {
  Choices choices(seed);
  RandomProgram program(seed);
  KernelText &k =
      contents == Contents::products
          ? program.generateProducts()
          : program.generate(int(choices.chance(25) ? choices.pick(15, 40)
                                                    : choices.pick(2, 14)));
  Case c{seed, k.str(), k.inputs, seed, {}};
  c.runs = {{"cpu", cpuSchedule(choices)},
            {"scheduled", gpuSchedule(choices)},
            {"sm_80", gpuSchedule(choices)},
            {"sm_90a", gpuSchedule(choices)}};
  static const char *const others[] = {"sm_120a", "sm_100a",  "sm_89",
                                       "sm_86",   "cpu-avx2", "cpu-sse2",
                                       "cpu-avx2"};
  if (choices.chance(30)) {
    std::string other = others[choices.pick(0, std::size(others) - 1)];
    bool isCpu = other.starts_with("cpu");
    c.runs.push_back(
        {other, isCpu ? cpuSchedule(choices) : gpuSchedule(choices)});
  }
  return c;
}

//===--- As text ----------------------------------------------------------===//

template <typename T>
static void append(std::string &text, const char *key,
                   const std::vector<T> &list) {
  if (list.empty())
    return;
  std::ostringstream out;
  out.precision(17);
  out << " " << key << "=";
  for (size_t i = 0; i < list.size(); ++i)
    out << (i ? "," : "") << list[i];
  text += out.str();
}

static std::string print(const Input &input) {
  std::string text;
  append(text, "dims", input.dims);
  append(text, "strides", input.strides);
  append(text, "range", std::vector<double>{input.low, input.high});
  append(text, "values", input.values);
  append(text, "bits", input.bits);
  if (input.anyBits)
    text += " anybits=1";
  if (input.scalar)
    append(text, "scalar", std::vector<int64_t>{input.scalar});
  const kerneltest::Tolerance &tolerance = input.tolerance;
  if (tolerance.ulps || tolerance.absolute)
    append(text, "tolerance",
           std::vector<double>{double(tolerance.ulps), tolerance.absolute});
  return text;
}

std::string print(const Case &c) {
  std::string text = "// data " + std::to_string(c.data) + "\n";
  for (size_t i = 0; i < c.inputs.size(); ++i)
    text += "// input " + std::to_string(i) + print(c.inputs[i]) + "\n";
  for (const Run &run : c.runs)
    text += "// run " + run.target +
            (run.schedule.empty() ? "" : " " + run.schedule) + "\n";
  return text + c.text;
}

template <typename T> static std::vector<T> readList(const std::string &text) {
  std::vector<T> list;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');)
    if constexpr (std::is_floating_point_v<T>)
      list.push_back(std::strtod(part.c_str(), nullptr));
    else
      list.push_back(T(std::strtoll(part.c_str(), nullptr, 10)));
  return list;
}

static Status readInput(std::istringstream &line, Input &input) {
  for (std::string part; line >> part;) {
    size_t equals = part.find('=');
    std::string key = part.substr(0, equals),
                value =
                    equals == std::string::npos ? "" : part.substr(equals + 1);
    std::vector<double> numbers = readList<double>(value);
    numbers.resize(std::max<size_t>(numbers.size(), 2));
    if (key == "dims")
      input.dims = readList<int64_t>(value);
    else if (key == "strides")
      input.strides = readList<int64_t>(value);
    else if (key == "range")
      input.low = numbers[0], input.high = numbers[1];
    else if (key == "values")
      input.values = readList<double>(value);
    else if (key == "bits")
      input.bits = readList<uint64_t>(value);
    else if (key == "anybits")
      input.anyBits = true;
    else if (key == "scalar")
      input.scalar = readList<int64_t>(value).at(0);
    else if (key == "tolerance")
      input.tolerance = {int64_t(numbers[0]), numbers[1]};
    else
      return Status::invalidInput(
          "expected dims, strides, range, values, "
          "bits, anybits, scalar or tolerance, found '" +
          key + "'");
  }
  return {};
}

StatusOr<Case> parseCase(const std::string &text) {
  Case c;
  std::istringstream in(text);
  int number = 0;
  for (std::string head; std::getline(in, head);) {
    ++number;
    std::istringstream line(head);
    std::string slashes, word;
    line >> slashes >> word;
    if (slashes != "//") {
      c.text += head + "\n";
    } else if (word == "data") {
      line >> c.data;
    } else if (word == "input") {
      size_t index = 0;
      line >> index;
      c.inputs.resize(std::max(c.inputs.size(), index + 1));
      TILEWRIGHT_RETURN_IF_ERROR(
          readInput(line, c.inputs[index])
              .prefixed("line " + std::to_string(number)));
    } else if (word == "run") {
      Run run;
      line >> run.target;
      std::getline(line >> std::ws, run.schedule);
      c.runs.push_back(run);
    }
  }
  return c;
}

} // namespace tilewright::fuzz
