#include "autotune/measure/WorkerProcess.h"

#include "autotune/measure/Messages.h"
#include "autotune/measure/WorkerMain.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tilewright::autotune {

struct WorkerProcess::Impl {
  WorkerOptions options;
  TaskRecord task;
  /// Whether the process has opened `task`.
  bool isOpen = false;
  std::filesystem::path output;
  pid_t process = -1;
  std::unique_ptr<LineSocket> socket;

  Status start();
  WorkerAnswer<Json> open();
  WorkerAnswer<Json> ask(const Json &request, Milliseconds timeout);
  WorkerAnswer<Json> askOpened(const Json &request, Milliseconds timeout);
  void stop();
  WorkerFailure obituary();
  std::string lastWords() const;
};

WorkerProcess::WorkerProcess(WorkerOptions options, const std::string &name)
    : impl(std::make_unique<Impl>()) {
  impl->output = options.folder / (name + ".out");
  impl->options = std::move(options);
}

WorkerProcess::~WorkerProcess() { impl->stop(); }

void WorkerProcess::setTask(const TaskRecord &task) {
  if (impl->task == task)
    return;
  impl->task = task;
  impl->isOpen = false;
}

void WorkerProcess::Impl::stop() {
  if (process < 0)
    return;
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  process = -1;
  isOpen = false;
  socket.reset();
}

Status WorkerProcess::Impl::start() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Status::ioError(std::string("cannot make a socket pair: ") +
                           std::strerror(errno));
  // The child finds its end under a number that the parent does not use.
  constexpr int descriptor = 3;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor);
  std::vector<std::string> words = options.command;
  words.push_back(std::to_string(descriptor));
  words.push_back(std::to_string(options.memoryBytes));
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  int error =
      ::posix_spawn(&process, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  socket = std::make_unique<LineSocket>(ends[0]);
  if (error == 0)
    return Status();
  process = -1;
  socket.reset();
  return Status::ioError(
      format("cannot start {}: {}", {words.front(), std::strerror(error)}));
}

/// The last line that the process wrote.
std::string WorkerProcess::Impl::lastWords() const {
  StatusOr<std::string> text = runtime::readFile(output);
  if (!text.ok())
    return "";
  size_t end = text->find_last_not_of("\n ");
  if (end == std::string::npos)
    return "";
  size_t start = text->rfind('\n', end);
  start = start == std::string::npos ? 0 : start + 1;
  return text->substr(start, std::min<size_t>(end - start + 1, 300));
}

/// Why the process ended, after it did.
WorkerFailure WorkerProcess::Impl::obituary() {
  int status = 0;
  ::waitpid(process, &status, 0);
  process = -1;
  isOpen = false;
  socket.reset();
  std::string words = lastWords();
  std::string said = words.empty() ? "" : ": " + words;
  bool isMemory = WIFEXITED(status) && WEXITSTATUS(status) == workerOutOfMemory;
  // LLVM and the C++ library say so before they abort.
  isMemory |= words.find("ut of memory") != std::string::npos ||
              words.find("bad_alloc") != std::string::npos;
  if (isMemory)
    return {Verdict::outOfMemory, format("more than {} MiB were asked for",
                                         {options.memoryBytes >> 20})};
  if (WIFSIGNALED(status)) {
    const char *name = ::sigabbrev_np(WTERMSIG(status));
    return {Verdict::crashed, format("SIG{}{}", {name ? name : "?", said})};
  }
  return {Verdict::crashed,
          format("exit code {}{}", {WEXITSTATUS(status), said})};
}

static Verdict verdictOf(const std::string &kind) {
  if (kind == "wrong result")
    return Verdict::wrongResult;
  if (kind == "out of memory")
    return Verdict::outOfMemory;
  return kind == "rejected" ? Verdict::rejected : Verdict::crashed;
}

WorkerAnswer<Json> WorkerProcess::Impl::askOpened(const Json &request,
                                                  Milliseconds timeout) {
  socket->writeLine(
      request.dump(-1, ' ', false, Json::error_handler_t::replace));
  std::optional<std::string> line = socket->readLine(timeout);
  if (!line && socket->timedOut()) {
    stop();
    return {
        {},
        {Verdict::timedOut, format("no end after {} ms", {timeout.count()})}};
  }
  if (!line)
    return {{}, obituary()};
  Json reply = Json::parse(*line, nullptr, /*allow_exceptions=*/false);
  if (!reply.is_object()) {
    stop();
    return {{}, {Verdict::crashed, "the worker's answer is not JSON"}};
  }
  if (reply.contains("failed"))
    return {{},
            {verdictOf(reply.value("failed", "")), reply.value("reason", "")}};
  return {std::move(reply), {}};
}

WorkerAnswer<Json> WorkerProcess::Impl::open() {
  if (process < 0)
    if (Status started = start(); !started.ok())
      return {{}, {Verdict::crashed, started.message()}};
  const BenchOptions &bench = options.bench;
  Json request = {{"do", "open"},
                  {"task", toJson(task)},
                  {"device", bench.device},
                  {"threads", bench.threads},
                  {"seed", bench.seed},
                  {"cold", bench.coldBytes},
                  {"seconds", bench.seconds}};
  WorkerAnswer<Json> answer = askOpened(request, std::chrono::minutes(1));
  isOpen = answer.ok();
  if (!isOpen)
    stop();
  return answer;
}

WorkerAnswer<Json> WorkerProcess::Impl::ask(const Json &request,
                                            Milliseconds timeout) {
  if (!isOpen) {
    WorkerAnswer<Json> opened = open();
    if (!opened.ok())
      return opened;
  }
  return askOpened(request, timeout);
}

WorkerFailure WorkerProcess::compile(const std::string &schedule,
                                     const std::filesystem::path &file,
                                     Milliseconds timeout) {
  return impl
      ->ask(
          {{"do", "compile"}, {"schedule", schedule}, {"file", file.string()}},
          timeout)
      .failure;
}

WorkerAnswer<WorkerProcess::OracleRun>
WorkerProcess::runOracle(double seconds, const std::filesystem::path &file,
                         Milliseconds timeout) {
  WorkerAnswer<Json> answer = impl->ask(
      {{"do", "interpret"}, {"seconds", seconds}, {"file", file.string()}},
      timeout);
  if (!answer.ok())
    return {{}, answer.failure};
  return {{answer.value.value("interpreted", int64_t(0)),
           answer.value.value("programs", int64_t(0))},
          {}};
}

WorkerAnswer<Measured> WorkerProcess::measure(const Measurement &what,
                                              Milliseconds timeout) {
  Json request = {{"do", "measure"},
                  {"schedule", what.schedule},
                  {"candidate", what.candidate.string()},
                  {"default", what.defaultSchedule.string()},
                  {"oracle", what.oracle.string()}};
  if (!what.against.empty())
    request["against"] = what.against.string();
  WorkerAnswer<Json> answer = impl->ask(request, timeout);
  if (!answer.ok())
    return {{}, answer.failure};
  return {measuredFromJson(answer.value), {}};
}

} // namespace tilewright::autotune
