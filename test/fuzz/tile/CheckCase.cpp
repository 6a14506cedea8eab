// Children that run cases, and what this process hears of them: a line for
// each op, for each run that begins and for each that ends.
#include "CheckCase.h"

#include "RunCase.h"

#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewright::fuzz {

using Clock = std::chrono::steady_clock;

std::string_view nameOf(Result result) {
  static constexpr std::string_view names[] = {
      "agreed", "rejected", "differed", "crashed", "hung", "invalid"};
  return names[size_t(result)];
}

const Verdict *CaseResult::fault() const {
  for (const Verdict &verdict : verdicts)
    if (verdict.result != Result::agreed && verdict.result != Result::rejected)
      return &verdict;
  return nullptr;
}

//===--- In the child -----------------------------------------------------===//

static void send(int pipe, char kind, std::string text) {
  for (char &c : text)
    c = c == '\n' ? '\1' : c;
  text = kind + text + "\n";
  for (size_t sent = 0; sent < text.size();) {
    ssize_t count = ::write(pipe, text.data() + sent, text.size() - sent);
    if (count <= 0)
      ::_exit(1);
    sent += size_t(count);
  }
}

[[noreturn]] static void runChild(const Case &c, int first, int pipe,
                                  int messages, const CheckOptions &options) {
  ::dup2(messages, STDERR_FILENO);
  ::dup2(messages, STDOUT_FILENO);
  rlimit limit{options.seconds, options.seconds + 5};
  ::setrlimit(RLIMIT_CPU, &limit);
  limit = {0, 0};
  ::setrlimit(RLIMIT_CORE, &limit);
  Reporter report;
  report.hasOp = [&](const std::string &op) { send(pipe, 'o', op); };
  report.begins = [&](int run) { send(pipe, 'b', std::to_string(run)); };
  report.ends = [&](Result result, const std::string &message) {
    send(pipe, 'e', char('0' + int(result)) + message);
  };
  runCase(c, first, options, report);
  send(pipe, 'd', "");
  ::_exit(0);
}

//===--- In the parent ----------------------------------------------------===//

namespace {
/// A case in work, by one child after the other if some crash.
struct Work {
  size_t number = 0;
  CaseResult caseResult;
  pid_t child = 0;
  int pipe = -1, messages = -1;
  std::string unread;
  Clock::time_point begun;
  /// The run that began, as far as it did not end; -1: the interpreter's.
  std::optional<int> run;
  bool isDone = false, isLate = false;
};

class Pool {
public:
  explicit Pool(const CheckOptions &options) : options(options) {}
  void start(Work &work, int first);
  /// Takes what the child has sent; false once it has ended.
  bool listen(Work &work);
  /// After that: whether the case is done, or continues in another child.
  bool finish(Work &work);
  void stopLate(Work &work);

private:
  void hear(Work &work, char kind, std::string text);
  CheckOptions options;
};
} // namespace

void Pool::start(Work &work, int first) {
  int ends[2];
  work.messages = ::memfd_create("messages", MFD_CLOEXEC);
  if (::pipe(ends) != 0 || work.messages < 0)
    llvm::report_fatal_error("no pipe for a child");
  work.begun = Clock::now();
  work.child = ::fork();
  if (work.child == 0) {
    ::close(ends[0]);
    runChild(work.caseResult.checked, first, ends[1], work.messages, options);
  }
  ::close(ends[1]);
  work.pipe = ends[0];
}

void Pool::hear(Work &work, char kind, std::string text) {
  for (char &c : text)
    c = c == '\1' ? '\n' : c;
  CaseResult &caseResult = work.caseResult;
  if (kind == 'o' && caseResult.verdicts.empty())
    caseResult.ops.push_back(text);
  else if (kind == 'b')
    work.run = std::stoi(text);
  else if (kind == 'd')
    work.isDone = true;
  if (kind != 'e')
    return;
  Run run = *work.run < 0 ? Run{"interpreter", ""}
                          : caseResult.checked.runs[*work.run];
  caseResult.verdicts.push_back({run, Result(text[0] - '0'), text.substr(1)});
  work.run.reset();
}

bool Pool::listen(Work &work) {
  char buffer[4096];
  ssize_t count = ::read(work.pipe, buffer, sizeof buffer);
  if (count <= 0)
    return false;
  work.unread.append(buffer, size_t(count));
  for (size_t end; (end = work.unread.find('\n')) != std::string::npos;) {
    hear(work, work.unread[0], work.unread.substr(1, end - 1));
    work.unread.erase(0, end + 1);
  }
  return true;
}

bool Pool::finish(Work &work) {
  int status = 0;
  ::waitpid(work.child, &status, 0);
  ::close(work.pipe);
  std::string said(2000, '\0');
  ssize_t count = ::pread(work.messages, said.data(), said.size(), 0);
  said.resize(size_t(std::max<ssize_t>(count, 0)));
  ::close(work.messages);
  if (work.isDone)
    return true;
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  bool isHung = work.isLate || signal == SIGXCPU;
  int run = work.run.value_or(-1);
  CaseResult &caseResult = work.caseResult;
  caseResult.verdicts.push_back(
      {run < 0 ? Run{"interpreter", ""} : caseResult.checked.runs[run],
       isHung ? Result::hung : Result::crashed,
       (signal ? std::string(::strsignal(signal))
               : "exit " + std::to_string(WEXITSTATUS(status))) +
           "\n" + said});
  work.run.reset();
  work.isLate = false;
  work.unread.clear();
  if (run < 0 || size_t(run) + 1 == caseResult.checked.runs.size())
    return true;
  start(work, run + 1);
  return false;
}

/// One that sleeps for ever uses no CPU: it has ten times as long, whatever
/// else the machine does.
void Pool::stopLate(Work &work) {
  if (Clock::now() - work.begun < std::chrono::seconds(10 * options.seconds))
    return;
  work.isLate = true;
  ::kill(work.child, SIGKILL);
}

void checkAll(const std::function<bool(Case &)> &next,
              const std::function<void(const CaseResult &)> &done,
              const CheckOptions &options) {
  Pool pool(options);
  std::vector<std::unique_ptr<Work>> working;
  std::map<size_t, CaseResult> finished;
  size_t begun = 0, told = 0;
  bool isMore = true;
  for (;;) {
    while (isMore && working.size() < options.jobs) {
      auto work = std::make_unique<Work>();
      isMore = next(work->caseResult.checked);
      if (!isMore)
        break;
      work->number = begun++;
      pool.start(*work, 0);
      working.push_back(std::move(work));
    }
    if (working.empty())
      return;
    std::vector<pollfd> pipes;
    for (const auto &work : working)
      pipes.push_back({work->pipe, POLLIN, 0});
    ::poll(pipes.data(), pipes.size(), 1000);
    for (size_t i = 0; i < pipes.size(); ++i) {
      Work &work = *working[i];
      if (!pipes[i].revents)
        pool.stopLate(work);
      else if (!pool.listen(work) && pool.finish(work))
        finished[work.number] = std::move(work.caseResult), work.child = 0;
    }
    std::erase_if(working, [](const auto &work) { return !work->child; });
    for (; finished.count(told); ++told) {
      done(finished[told]);
      finished.erase(told);
    }
  }
}

CaseResult check(const Case &c, const CheckOptions &options) {
  CaseResult result;
  bool isMore = true;
  checkAll(
      [&](Case &next) {
        next = c;
        return std::exchange(isMore, false);
      },
      [&](const CaseResult &caseResult) { result = caseResult; }, options);
  return result;
}

} // namespace tilewright::fuzz
