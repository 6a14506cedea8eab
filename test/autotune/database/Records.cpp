#include "test/autotune/database/Records.h"

#include "autotune/database/Cells.h"
#include "autotune/database/Export.h"
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

namespace fs = std::filesystem;

namespace tilewright::autotune::test {

/// In memory if possible: each trial waits for the disk.
static fs::path temporary() {
  std::error_code error;
  fs::path memory = "/dev/shm";
  return fs::is_directory(memory, error) ? memory : fs::temp_directory_path();
}

Folder::Folder()
    : path(temporary() /
           ("tilewright-" + std::to_string(std::random_device()()))) {
  fs::create_directories(path);
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

std::vector<std::pair<std::string, std::string>> Folder::content() const {
  std::vector<std::pair<std::string, std::string>> found;
  for (const auto &entry : fs::directory_iterator(path))
    found.emplace_back(entry.path().filename().string(),
                       entry.is_regular_file() ? bytesOf(entry.path()) : "");
  std::ranges::sort(found);
  return found;
}

std::string bytesOf(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void writeBytes(const fs::path &path, const std::string &bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string randomText(Random &random) {
  static const std::string parts[] = {"a",
                                      "tile",
                                      " ",
                                      "'",
                                      "\"",
                                      "\n",
                                      ",",
                                      "\r\n",
                                      "\t",
                                      "ß",
                                      "\xe2\x82\xac",
                                      "--",
                                      "\xf0\x9f\x98\x80",
                                      "1",
                                      "%s",
                                      "\x01"};
  std::string text;
  for (uint64_t n = random.below(8); n > 0; --n)
    text += parts[random.below(std::size(parts))];
  return text;
}

double randomNumber(Random &random) {
  using Limits = std::numeric_limits<double>;
  switch (random.below(6)) {
  case 0:
    return double(random.below(1000));
  case 1:
    return -0.0;
  case 2:
    return Limits::max();
  case 3:
    return Limits::denorm_min();
  case 4:
    return std::ldexp(random.unit() - 0.5, int(random.below(600)) - 300);
  default:
    return random.unit() * 1e6;
  }
}

static std::string digits(Random &random) {
  static constexpr char hexadecimal[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 32; ++i)
    text += hexadecimal[random.below(16)];
  return text;
}

TaskRecord randomTask(Random &random) {
  TaskRecord task{digits(random),
                  randomText(random),
                  randomText(random),
                  randomText(random),
                  {},
                  randomText(random),
                  randomText(random)};
  for (uint64_t n = random.below(5); n > 0; --n)
    task.shape.push_back(random.below(8) ? int64_t(random.below(5000))
                                         : int64_t(random.next()));
  return task;
}

RunRecord randomRun(Random &random) {
  return {digits(random),     randomText(random), randomText(random),
          randomText(random), randomText(random), randomText(random),
          random.next(),      randomText(random)};
}

TrialRecord randomTrial(Random &random, const std::string &task,
                        const std::string &run) {
  TrialRecord trial;
  trial.task = task;
  trial.run = run;
  trial.sequence = int64_t(random.next());
  for (std::string *text :
       {&trial.schedule, &trial.origin, &trial.device, &trial.hardware,
        &trial.driver, &trial.compiler, &trial.reason, &trial.against,
        &trial.terms, &trial.started})
    *text = randomText(random);
  trial.metric = allMetrics()[random.below(allMetrics().size())];
  trial.verdict = allVerdicts()[random.below(allVerdicts().size())];
  trial.samples = int64_t(random.below(1000));
  for (double *number :
       {&trial.median, &trial.low, &trial.high, &trial.least, &trial.deviation,
        &trial.ratio, &trial.ratioLow, &trial.ratioHigh, &trial.modelled,
        &trial.seconds, &trial.measuring})
    *number = randomNumber(random);
  return trial;
}

TaskRecord taskNamed(const std::string &name) {
  TaskRecord task;
  task.task = name;
  return task;
}

RunRecord runNamed(const std::string &name) {
  RunRecord run;
  run.run = name;
  return run;
}

TrialRecord goodTrial(const std::string &schedule, double median,
                      int64_t sequence) {
  TrialRecord trial;
  trial.task = "t";
  trial.run = "r";
  trial.sequence = sequence;
  trial.schedule = schedule;
  trial.device = "cpu";
  trial.hardware = "a processor";
  trial.median = trial.low = trial.high = trial.least = median;
  trial.samples = 1;
  trial.started = "2026-03-01T12:" + std::to_string(10 + sequence / 60 % 50) +
                  ":" + std::to_string(10 + sequence % 50) + "Z";
  return trial;
}

Database openDatabase(const fs::path &path, Database::Mode mode) {
  StatusOr<Database> database = Database::open(path, mode);
  INFO(database.status().message());
  REQUIRE(database.ok());
  return *std::move(database);
}

template <typename Record>
static std::string rowsOf(const StatusOr<std::vector<Record>> &records) {
  INFO(records.status().message());
  REQUIRE(records.ok());
  std::string text;
  for (const Record &record : *records) {
    const std::vector<Cell> cells = *toCells(record);
    for (const Cell &cell : cells)
      text += cellText(cell) + "|";
    text += "\n";
  }
  return text;
}

std::string everything(const fs::path &path) {
  Database database = openDatabase(path, Database::Mode::read);
  StatusOr<std::vector<TrialRecord>> trials = database.trials();
  REQUIRE(trials.ok());
  return rowsOf(database.tasks()) + rowsOf(database.runs()) +
         exportCsv(*trials);
}

} // namespace tilewright::autotune::test
