// hostile-schedules COUNT SEED X.tws: changes the files of a schedule package
// at random: bytes, lines, numbers, values of JSON, tensors. What is still read
// is judged, run and written again. Whatever comes is right, as long as it is
// an error, findings, or something that is read again as it was.
#include "runtime/abi/Json.h"
#include "spatial/program/Schedule.h"
#include "spatial/program/Sha256.h"
#include "spatial/program/Use.h"
#include "spatial/simulator/Simulator.h"
#include "tilewright/runtime/MappedFile.h"
#include "verify/spatial/VerifySchedule.h"
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::spatial;
using runtime::Json;
namespace fs = std::filesystem;

namespace {

/// Cycles and instructions beyond these only take time.
constexpr int64_t mostWork = 100'000;

class Fuzzer {
public:
  Fuzzer(fs::path folder, uint64_t seed)
      : folder(std::move(folder)), random(seed) {}
  bool readSample(const fs::path &package);
  /// False: something was not read as it was written.
  bool step();
  unsigned rejected = 0, wrong = 0, good = 0;

private:
  size_t below(size_t n) { return n ? random() % n : 0; }
  std::string number();
  void changeBytes(std::string &text);
  void changeLines(std::string &text);
  void changeJson(Json &json);
  void change(const std::string &name, std::string &text);
  bool judge();
  bool isWrittenAgain(const Schedule &schedule);

  fs::path folder;
  std::mt19937_64 random;
  std::map<std::string, std::string> sample;
};

bool Fuzzer::readSample(const fs::path &package) {
  for (const char *name : {"manifest.json", "chip-0.txt", "weights.safetensors",
                           "layouts.safetensors"}) {
    auto text = runtime::readFile(package / name);
    if (!text.ok())
      return false;
    sample[name] = *text;
  }
  return true;
}

std::string Fuzzer::number() {
  static constexpr const char *numbers[] = {"0",
                                            "1",
                                            "2",
                                            "3",
                                            "5",
                                            "17",
                                            "64",
                                            "4095",
                                            "65536",
                                            "2147483647",
                                            "2147483648",
                                            "1099511627776",
                                            "1099511627777",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "18446744073709551616",
                                            "-1",
                                            "0.5",
                                            "1e308"};
  return numbers[below(std::size(numbers))];
}

void Fuzzer::changeBytes(std::string &text) {
  const size_t at = below(text.size());
  switch (below(4)) {
  case 0:
    text.erase(at, 1 + below(40));
    return;
  case 1:
    text[at] = static_cast<char>(below(256));
    return;
  case 2:
    text.insert(at, text.substr(below(text.size()), 1 + below(40)));
    return;
  default:
    text.resize(at);
    return;
  }
}

void Fuzzer::changeLines(std::string &text) {
  const size_t at = below(text.size());
  const size_t begin = text.rfind('\n', at) + 1;
  const size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
  const size_t digit = text.find_first_of("0123456789", at);
  switch (below(8)) {
  case 0:
    text.erase(begin, end - begin);
    return;
  case 1:
    text.insert(begin, text.substr(begin, end - begin));
    return;
  case 2:
    changeBytes(text);
    return;
  default:
    if (digit != std::string::npos)
      text.replace(digit, text.find_first_not_of("0123456789", digit) - digit,
                   number());
    return;
  }
}

/// Changes one value, anywhere.
void Fuzzer::changeJson(Json &json) {
  if (json.is_structured() && !json.empty() && below(8)) {
    auto member = json.begin();
    std::advance(member, below(json.size()));
    if (below(12) == 0) {
      json.erase(member);
      return;
    }
    changeJson(*member);
    return;
  }
  switch (below(6)) {
  case 0:
    json = nullptr;
    return;
  case 1:
    json = Json::array({json, json});
    return;
  case 2:
    json = "x";
    return;
  default:
    json = Json::parse(number(), nullptr, false);
    return;
  }
}

void Fuzzer::change(const std::string &name, std::string &text) {
  if (text.empty())
    return;
  if (name == "chip-0.txt")
    return changeLines(text);
  if (name == "manifest.json" && below(8)) {
    StatusOr<Json> json = runtime::parseJson(text);
    if (json.ok()) {
      changeJson(*json);
      text = json->dump(-1, ' ', false, Json::error_handler_t::replace);
      return;
    }
  }
  changeBytes(text);
}

/// Whether the judges end soon.
bool isSmall(const Schedule &schedule) {
  int64_t work = schedule.cycles;
  for (const auto &chip : schedule.instructions)
    for (const Instruction &in : chip)
      work += in.cycle + in.count * in.step;
  for (const Placement &place : schedule.placements)
    work += place.count;
  return work <= mostWork;
}

bool Fuzzer::isWrittenAgain(const Schedule &schedule) {
  const fs::path one = folder / "one.tws", two = folder / "two.tws";
  if (!writeSchedule(schedule, one).ok())
    return false;
  StatusOr<Schedule> again = readSchedule(one);
  if (!again.ok() || !writeSchedule(*again, two).ok()) {
    std::printf("is not read as it is written: %s\n",
                again.status().message().c_str());
    return false;
  }
  for (const auto &entry : sample)
    if (*runtime::readFile(one / entry.first) !=
        *runtime::readFile(two / entry.first)) {
      std::printf("%s is not written as it is read\n", entry.first.c_str());
      return false;
    }
  return true;
}

bool Fuzzer::judge() {
  StatusOr<Schedule> schedule = readSchedule(folder / "mutant.tws");
  if (!schedule.ok()) {
    ++rejected;
    return true;
  }
  if (!isSmall(*schedule)) {
    ++wrong;
    return true;
  }
  (void)memoryUse(*schedule, 0, 8).ok();
  (void)queueUse(*schedule, 0);
  const bool isAccepted = verify::verifySchedule(*schedule).findings.empty();
  ++(isAccepted ? good : wrong);
  std::vector<runtime::HostTensor> tensors;
  for (const Interface &input : schedule->inputs) {
    auto tensor = runtime::HostTensor::allocate(input.dtype, input.shape);
    if (!tensor.ok())
      return true;
    tensors.push_back(*tensor);
  }
  std::vector<runtime::TensorView> views(tensors.begin(), tensors.end());
  (void)simulate(*schedule, views).ok();
  return isWrittenAgain(*schedule);
}

bool Fuzzer::step() {
  std::map<std::string, std::string> files = sample;
  for (size_t n = 1 + below(3); n; --n) {
    // Lines and the manifest have the most to say.
    static constexpr const char *names[] = {
        "chip-0.txt",          "chip-0.txt",         "chip-0.txt",
        "chip-0.txt",          "manifest.json",      "manifest.json",
        "weights.safetensors", "layouts.safetensors"};
    const char *name = names[below(std::size(names))];
    change(name, files[name]);
  }
  // Most weights that were changed have the hash of the change.
  if (std::string &manifest = files["manifest.json"]; below(8))
    if (size_t at = manifest.find("sha256:"); at != std::string::npos)
      manifest.replace(
          at + 7, 64,
          sha256(std::as_bytes(std::span(files["weights.safetensors"]))));
  std::error_code ignored;
  fs::create_directory(folder / "mutant.tws", ignored);
  const bool isOneAbsent = below(50) == 0;
  for (const auto &[name, text] : files) {
    fs::path path = folder / "mutant.tws" / name;
    if (isOneAbsent && below(3) == 0)
      fs::remove(path, ignored);
    else if (!runtime::writeFile(path, text).ok())
      return false;
  }
  return judge();
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: hostile-schedules COUNT SEED X.tws\n");
    return 2;
  }
  const unsigned long count = std::strtoul(argv[1], nullptr, 10);
  const uint64_t seed = std::strtoull(argv[2], nullptr, 10);
  const fs::path folder =
      fs::temp_directory_path() / ("tilewright-" + std::to_string(getpid()));
  std::error_code ignored;
  fs::create_directory(folder, ignored);
  bool isGood = true;
  unsigned rejected = 0, wrong = 0, good = 0;
  // A seed for each, so that one can be repeated alone.
  for (uint64_t i = 0; i < count && isGood; ++i) {
    Fuzzer fuzzer(folder, seed + i);
    isGood = fuzzer.readSample(argv[3]) && fuzzer.step();
    rejected += fuzzer.rejected, wrong += fuzzer.wrong, good += fuzzer.good;
    if (!isGood)
      std::printf("fails with COUNT 1, SEED %llu\n",
                  static_cast<unsigned long long>(seed + i));
  }
  fs::remove_all(folder, ignored);
  std::printf("%u not read, %u with findings, %u accepted\n", rejected, wrong,
              good);
  // Mutants that nobody reads test little.
  return isGood && (count < 100 || (rejected && wrong && good)) ? 0 : 1;
}
