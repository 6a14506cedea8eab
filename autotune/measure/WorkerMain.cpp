#include "autotune/measure/WorkerMain.h"

#include "autotune/measure/CandidateFile.h"
#include "autotune/measure/Compare.h"
#include "autotune/measure/Messages.h"
#include "autotune/measure/Oracle.h"
#include "support/Format.h"
#include <map>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

namespace {
/// The kind of a failure.
enum class Failure { rejected, wrongResult, outOfMemory, fault };

class Worker {
public:
  explicit Worker(std::shared_ptr<const Plugins> plugins)
      : plugins(std::move(plugins)) {}
  /// The answer to one request.
  Json answer(const Json &request);

private:
  Json open(const Json &request);
  Json compile(const Json &request);
  Json runOracle(const Json &request);
  Json measure(const Json &request);
  StatusOr<Json> measureGood(const Json &request);
  StatusOr<Json> costOf(const std::string &schedule);
  /// The difference of the candidate's results from the expected ones.
  StatusOr<std::optional<std::string>> check(const Json &request,
                                             const BenchKernel &candidate);
  StatusOr<const BenchKernel *> load(const std::string &file);
  Status openBench();

  std::shared_ptr<const Plugins> plugins;
  std::unique_ptr<Task> task;
  BenchOptions options;
  std::optional<Bench> bench;
  std::map<std::string, BenchKernel> kernels;
  std::optional<Oracle> oracle;
  /// What the default kernel computes, all of it.
  std::vector<runtime::HostTensor> reference;
};
} // namespace

static Json failed(Failure failure, const std::string &reason) {
  static constexpr const char *names[] = {"rejected", "wrong result",
                                          "out of memory", "fault"};
  return {{"failed", names[size_t(failure)]}, {"reason", reason}};
}

static Json failed(const Status &status) {
  bool isMemory = status.code() == StatusCode::resourceExhausted &&
                  status.message().find("memory") != std::string::npos &&
                  status.message().find("does not fit") == std::string::npos;
  bool isFault = status.code() == StatusCode::internal ||
                 status.code() == StatusCode::ioError;
  return failed(isMemory  ? Failure::outOfMemory
                : isFault ? Failure::fault
                          : Failure::rejected,
                status.message());
}

Json Worker::open(const Json &request) {
  StatusOr<std::unique_ptr<Task>> opened = Task::open(
      taskFromJson(request.at("task")), request.at("threads"), plugins);
  if (!opened.ok())
    return failed(opened.status());
  // What the last task left.
  kernels.clear();
  bench.reset();
  oracle.reset();
  reference.clear();
  task = std::move(*opened);
  options.device = request.at("device");
  options.threads = request.at("threads");
  options.seed = request.at("seed");
  options.coldBytes = request.at("cold");
  options.seconds = request.at("seconds");
  return {{"tensors", task->tensors().size()}};
}

Json Worker::compile(const Json &request) {
  StatusOr<Candidate> candidate = task->compile(request.at("schedule"));
  if (!candidate.ok())
    return failed(candidate.status());
  Status written =
      writeCandidate(request.at("file").get<std::string>(), *candidate);
  return written.ok() ? Json::object() : failed(written);
}

Json Worker::runOracle(const Json &request) {
  StatusOr<Oracle> result =
      autotune::runOracle(*task, options.seed, request.at("seconds"));
  if (!result.ok())
    return failed(result.status());
  Status written = writeOracle(request.at("file").get<std::string>(), *result);
  if (!written.ok())
    return failed(written);
  return {{"interpreted", result->interpreted}, {"programs", result->programs}};
}

Status Worker::openBench() {
  if (bench)
    return Status();
  TILEWRIGHT_ASSIGN_OR_RETURN(Bench opened,
                              Bench::open(task->tensors(), options));
  bench = std::move(opened);
  return Status();
}

StatusOr<const BenchKernel *> Worker::load(const std::string &file) {
  auto [known, isNew] = kernels.try_emplace(file);
  if (isNew) {
    auto read = [&]() -> StatusOr<BenchKernel> {
      TILEWRIGHT_ASSIGN_OR_RETURN(Candidate candidate, readCandidate(file));
      return bench->load(candidate);
    };
    StatusOr<BenchKernel> kernel = read();
    if (!kernel.ok()) {
      kernels.erase(known);
      return kernel.status();
    }
    known->second = std::move(*kernel);
  }
  return &known->second;
}

StatusOr<std::optional<std::string>>
Worker::check(const Json &request, const BenchKernel &candidate) {
  if (!oracle) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        oracle,
        readOracle(request.at("oracle").get<std::string>(), task->tensors()));
  }
  if (reference.empty()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(const BenchKernel *defaultSchedule,
                                load(request.at("default")));
    TILEWRIGHT_ASSIGN_OR_RETURN(reference, bench->run(*defaultSchedule));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(auto found, bench->run(candidate));
  if (std::optional<std::string> wrong = oracle->difference(found))
    return std::optional(*wrong + " by the interpreter");
  for (size_t i = 0; i < found.size(); ++i)
    if (std::optional<std::string> wrong =
            difference(found[i], reference[i], {}))
      return std::optional(
          format("output {}: {} by the default schedule", {i, *wrong}));
  return std::optional<std::string>();
}

/// The cost of the schedule that the bench ran last, from its counters.
StatusOr<Json> Worker::costOf(const std::string &schedule) {
  TILEWRIGHT_ASSIGN_OR_RETURN(double cost,
                              task->costOf(schedule, *bench->counted()));
  Measured measured;
  measured.time = {1, {cost, cost, cost}, cost, 0};
  measured.counted = bench->counted()->counters;
  return toJson(measured);
}

StatusOr<Json> Worker::measureGood(const Json &request) {
  const std::string file = request.at("candidate");
  TILEWRIGHT_RETURN_IF_ERROR(openBench());
  TILEWRIGHT_ASSIGN_OR_RETURN(const BenchKernel *candidate, load(file));
  Clock::time_point start = Clock::now();
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<std::string> wrong,
                              check(request, *candidate));
  if (wrong) {
    kernels.erase(file);
    return failed(Failure::wrongResult, *wrong);
  }
  if (bench->counted()) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Json cost, costOf(request.at("schedule")));
    cost["seconds"] =
        std::chrono::duration<double>(Clock::now() - start).count();
    kernels.erase(file);
    return cost;
  }
  const BenchKernel *other = nullptr;
  if (request.contains("against")) {
    TILEWRIGHT_ASSIGN_OR_RETURN(other, load(request.at("against")));
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      Measured measured,
      autotune::measure(*bench, *candidate, other, options.seconds));
  if (measured.standing != Standing::faster && other)
    kernels.erase(file);
  return toJson(measured);
}

Json Worker::measure(const Json &request) {
  StatusOr<Json> result = measureGood(request);
  return result.ok() ? *result : failed(result.status());
}

Json Worker::answer(const Json &request) {
  const std::string what = request.at("do");
  if (what == "open")
    return open(request);
  if (!task)
    return failed(Failure::fault, "no task is open");
  if (what == "compile")
    return compile(request);
  if (what == "interpret")
    return runOracle(request);
  if (what == "measure")
    return measure(request);
  return failed(Failure::fault, format("unknown request '{}'", {what}));
}

void serveWorker(int descriptor, std::shared_ptr<const Plugins> plugins) {
  Worker worker(std::move(plugins));
  LineSocket socket(descriptor);
  while (std::optional<std::string> line = socket.readLine()) {
    Json request = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
    Json reply = request.is_object()
                     ? worker.answer(request)
                     : failed(Failure::fault, "a request is not JSON");
    if (!socket.writeLine(
            reply.dump(-1, ' ', false, Json::error_handler_t::replace)))
      return;
  }
}

} // namespace tilewright::autotune
