//===- OnnxRuntime.cpp - ONNX Runtime as an oracle ------------------------===//
#include "tools/tilewright/OnnxRuntime.h"

#include "autotune/measure/Messages.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include "tilewright/runtime/Npy.h"
#include "tools/tilewright/Report.h"
#include "tools/tilewright/TemporaryFolder.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace tilewright::tool {

using autotune::LineSocket;
using runtime::DType;
using runtime::HostTensor;
using verify::Outcome;
using verify::Port;
using Json = nlohmann::ordered_json;

/// What runs the model: the text of run_onnxruntime.py.
static constexpr std::string_view script =
#include "tools/tilewright/OnnxRuntimeScript.inc"
    ;

//===--- The process ------------------------------------------------------===//

namespace {

/// A Python that executes the script for a model. It is started again for the
/// next request if it has ended.
class PythonProcess {
public:
  PythonProcess(std::string python, std::string model,
                std::unique_ptr<TemporaryFolder> folder)
      : python(std::move(python)), model(std::move(model)),
        folder(std::move(folder)) {}
  ~PythonProcess() { stop(); }
  PythonProcess(const PythonProcess &) = delete;
  PythonProcess &operator=(const PythonProcess &) = delete;

  /// What the script says of the model. Errors: it cannot be started, or ends.
  StatusOr<Json> open();
  /// The answer to a request; none if the process has ended, or not in time.
  std::optional<Json> ask(const Json &request);
  /// Why there was none.
  [[nodiscard]] const std::string &obituary() const { return ending; }
  [[nodiscard]] const std::filesystem::path &path() const {
    return folder->path;
  }

private:
  static constexpr std::chrono::minutes patience{2};

  Status start();
  void stop();
  std::optional<Json> read();

  const std::string python, model;
  const std::unique_ptr<TemporaryFolder> folder;
  pid_t process = -1;
  std::unique_ptr<LineSocket> socket;
  std::string ending;
};

} // namespace

void PythonProcess::stop() {
  if (process < 0)
    return;
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  process = -1;
  socket.reset();
}

Status PythonProcess::start() {
  const std::string file = (path() / "run_onnxruntime.py").string();
  const std::string errors = (path() / "errors.txt").string();
  TILEWRIGHT_RETURN_IF_ERROR(writeReport(file, std::string(script)));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Status::ioError(std::string("cannot make a socket pair: ") +
                           std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, errors.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  std::vector<std::string> words = {python, file, model};
  std::vector<char *> argv;
  for (std::string &word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  const int error = ::posix_spawnp(&process, argv[0], &actions, nullptr,
                                   argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  socket = std::make_unique<LineSocket>(ends[0]);
  if (error == 0)
    return {};
  process = -1;
  socket.reset();
  return Status::notFound(
      format("--oracle onnxruntime: cannot start {}: {}\n  --oracle "
             "onnxruntime=PYTHON names a Python that has the module "
             "onnxruntime",
             {python, std::strerror(error)}));
}

/// The next answer.
std::optional<Json> PythonProcess::read() {
  const std::optional<std::string> line = socket->readLine(patience);
  if (line)
    return Json::parse(*line, nullptr, /*allow_exceptions=*/false);
  if (socket->timedOut()) {
    ending = format("no answer after {} s", {patience.count() * 60});
    stop();
    return std::nullopt;
  }
  int status = 0;
  ::waitpid(process, &status, 0);
  process = -1;
  socket.reset();
  const char *name =
      WIFSIGNALED(status) ? ::sigabbrev_np(WTERMSIG(status)) : nullptr;
  ending = name ? format("ended by SIG{}", {name})
                : format("ended with exit code {}", {WEXITSTATUS(status)});
  const StatusOr<std::string> text = runtime::readFile(path() / "errors.txt");
  if (text.ok() && !text->empty()) {
    const size_t end = text->find_last_not_of("\n ");
    const size_t begin = text->rfind('\n', end);
    ending +=
        ": " + text->substr(begin == std::string::npos ? 0 : begin + 1, 300);
    ending.erase(ending.find_last_not_of("\n ") + 1);
  }
  return std::nullopt;
}

StatusOr<Json> PythonProcess::open() {
  TILEWRIGHT_RETURN_IF_ERROR(start());
  const std::optional<Json> answer = read();
  if (!answer || !answer->is_object())
    return Status::invalidInput(
        format("--oracle onnxruntime: {} says nothing of the model\n  {}",
               {python, answer ? "its answer is not JSON" : ending}));
  return *answer;
}

std::optional<Json> PythonProcess::ask(const Json &request) {
  if (process < 0) {
    const StatusOr<Json> again = open();
    if (!again.ok()) {
      ending = again.status().message();
      return std::nullopt;
    }
  }
  socket->writeLine(request.dump());
  return read();
}

//===--- The model --------------------------------------------------------===//

namespace {

class OnnxRuntime : public verify::Program {
public:
  explicit OnnxRuntime(std::unique_ptr<PythonProcess> process)
      : process(std::move(process)) {}
  Status begin(const std::string &python, const std::string &model,
               const verify::Signature &signature);
  StatusOr<Outcome> run(std::span<const HostTensor> inputs, unsigned order,
                        reference::Freedom freedom) override;

private:
  StatusOr<Outcome> takeOutputs();

  const std::unique_ptr<PythonProcess> process;
};

/// A type of ONNX Runtime that NumPy has.
struct TypeName {
  const char *name;
  DType dtype;
};
constexpr TypeName types[] = {
    {"tensor(bool)", DType::Bool},  {"tensor(int8)", DType::I8},
    {"tensor(int16)", DType::I16},  {"tensor(int32)", DType::I32},
    {"tensor(int64)", DType::I64},  {"tensor(uint8)", DType::U8},
    {"tensor(uint16)", DType::U16}, {"tensor(uint32)", DType::U32},
    {"tensor(uint64)", DType::U64}, {"tensor(float16)", DType::F16},
    {"tensor(float)", DType::F32},  {"tensor(double)", DType::F64},
};

} // namespace

/// Whether ONNX Runtime has the same tensors, by name and type.
static Status checkPorts(const std::vector<Port> &ports, const Json &others,
                         const char *kind) {
  std::map<std::string, std::string> found;
  for (const Json &other : others)
    found[other.at(0).get<std::string>()] = other.at(1).get<std::string>();
  for (const Port &port : ports) {
    const auto *type = std::ranges::find(types, port.dtype, &TypeName::dtype);
    const std::string_view own = runtime::dtypeName(port.dtype);
    if (type == std::end(types))
      return Status::unsupported(
          format("the {} '{}' is {}, a type that NumPy does not have",
                 {kind, port.name, own}));
    const auto other = found.find(port.name);
    if (other == found.end())
      return Status::unsupported(
          format("ONNX Runtime has no {} '{}'", {kind, port.name}));
    if (other->second != type->name)
      return Status::unsupported(
          format("the {} '{}' is {}, for ONNX Runtime {}",
                 {kind, port.name, own, other->second}));
    found.erase(other);
  }
  if (found.empty())
    return {};
  return Status::unsupported(format("ONNX Runtime has a further {}, '{}'",
                                    {kind, found.begin()->first}));
}

Status OnnxRuntime::begin(const std::string &python, const std::string &model,
                          const verify::Signature &signature) {
  TILEWRIGHT_ASSIGN_OR_RETURN(const Json about, process->open());
  if (about.contains("missing"))
    return Status::notFound(
        format("--oracle onnxruntime: {} has no module '{}'\n  install it: {} "
               "-m pip install onnxruntime; or name another Python: --oracle "
               "onnxruntime=PYTHON",
               {python, about.value("missing", ""), python}));
  if (about.contains("rejected"))
    return Status::invalidInput(
        format("{}: ONNX Runtime does not take the model\n  {}",
               {model, about.value("rejected", "")}));
  title = "onnxruntime " + about.value("version", "");
  ports = signature;
  TILEWRIGHT_RETURN_IF_ERROR(
      checkPorts(ports.inputs, about.at("inputs"), "input"));
  return checkPorts(ports.outputs, about.at("outputs"), "output");
}

static std::string fileOf(const char *kind, size_t number) {
  return kind + std::to_string(number) + ".npy";
}

/// The tensors that the process has written.
StatusOr<Outcome> OnnxRuntime::takeOutputs() {
  Outcome outcome;
  for (size_t i = 0; i < ports.outputs.size(); ++i) {
    TILEWRIGHT_ASSIGN_OR_RETURN(
        outcome.outputs.emplace_back(),
        runtime::readNpy(process->path() / fileOf("out", i)));
    const HostTensor &tensor = outcome.outputs.back();
    if (tensor.dtype() != ports.outputs[i].dtype)
      return Status::invalidInput(format(
          "{}: the output '{}' is {}, expected {}",
          {name(), ports.outputs[i].name, runtime::dtypeName(tensor.dtype()),
           runtime::dtypeName(ports.outputs[i].dtype)}));
  }
  return outcome;
}

StatusOr<Outcome> OnnxRuntime::run(std::span<const HostTensor> inputs, unsigned,
                                   reference::Freedom) {
  Json request = {{"folder", process->path().string()},
                  {"inputs", Json::array()},
                  {"outputs", Json::array()}};
  for (size_t i = 0; i < inputs.size(); ++i) {
    TILEWRIGHT_RETURN_IF_ERROR(
        runtime::writeNpy(process->path() / fileOf("in", i), inputs[i].view()));
    request["inputs"].push_back(ports.inputs[i].name);
  }
  for (const Port &output : ports.outputs)
    request["outputs"].push_back(output.name);
  const std::optional<Json> answer = process->ask(request);
  if (!answer)
    return Outcome{Outcome::Kind::unfinished, process->obituary(), {}};
  if (!answer->is_object() || answer->contains("rejected"))
    return Outcome{Outcome::Kind::unfinished,
                   answer->is_object() ? answer->value("rejected", "")
                                       : "its answer is not JSON",
                   {}};
  return takeOutputs();
}

StatusOr<std::unique_ptr<verify::Program>>
openOnnxRuntime(const std::string &python, const std::filesystem::path &model,
                const verify::Signature &signature) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto folder, TemporaryFolder::create());
  auto program = std::make_unique<OnnxRuntime>(std::make_unique<PythonProcess>(
      python, model.string(), std::move(folder)));
  TILEWRIGHT_RETURN_IF_ERROR(program->begin(python, model.string(), signature));
  return std::unique_ptr<verify::Program>(std::move(program));
}

} // namespace tilewright::tool
