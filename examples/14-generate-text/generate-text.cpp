//===- generate-text.cpp - A language model with a cache writes text ------===//
//
// Compiles a .pt2 archive, and writes on from a text, byte by byte. The model
// keeps the keys and values of what it has read: its states.
//
//   generate-text [DEVICE [MODEL.pt2 [TEXT]]]
//
//===----------------------------------------------------------------------===//
#include "tutorial.h"

#include "tilewright/compiler/CompileModel.h"
#include "tilewright/runtime/Model.h"

using namespace tutorial;
using runtime::Session;

static const char *modelPath = "docs.pt2";
static std::string start = "A kernel ";

static StatusOr<std::shared_ptr<const runtime::Model>>
load(const DeviceSetup &setup) {
  CompileModelOptions options;
  TILEWRIGHT_RETURN_IF_ERROR(
      setTargets(std::vector{setup.device->info().targets.front()}, options));
  TILEWRIGHT_ASSIGN_OR_RETURN(ModelSource source, ModelSource::file(modelPath));
  TILEWRIGHT_ASSIGN_OR_RETURN(CompiledModel compiled,
                              compileModelInMemory(source, options));
  return runtime::Model::load(setup.device, compiled.package);
}

/// The scores of the byte that follows `byte`, which is at `position`.
static StatusOr<runtime::HostTensor> next(Session &session, char byte,
                                          int64_t position) {
  const int64_t value = static_cast<unsigned char>(byte);
  const runtime::Shape shape = {1};
  auto set = [&](const char *name, const int64_t &number) {
    return session.setInput(name, {runtime::DType::I64, shape,
                                   std::as_bytes(std::span(&number, 1))});
  };
  TILEWRIGHT_RETURN_IF_ERROR(set("byte", value));
  TILEWRIGHT_RETURN_IF_ERROR(set("position", position));
  TILEWRIGHT_RETURN_IF_ERROR(session.run());
  return session.output(session.model().manifest().outputs[0].name);
}

/// A byte, by chance: the higher its score, the likelier. `dice` is in [0, 1).
static char choose(std::span<const float> scores, double dice) {
  constexpr double temperature = 0.4;
  const float best = *std::max_element(scores.begin(), scores.end());
  std::vector<double> weights;
  double total = 0;
  for (float score : scores)
    total += weights.emplace_back(std::exp((score - best) / temperature));
  size_t byte = 0;
  for (double left = dice * total; left >= weights[byte]; ++byte)
    left -= weights[byte];
  return static_cast<char>(byte);
}

/// Writes `count` bytes, or to the end of a line, behind a text that the
/// session has read.
static Status writeLine(Session &session, const runtime::HostTensor &first,
                        size_t position, size_t count, uint32_t seed) {
  std::string line;
  runtime::HostTensor scores = first;
  for (float dice : noise(count, seed)) {
    const char byte = choose(scores.as<float>(), (double(dice) + 1) / 2);
    if (byte == '\n')
      break;
    line += byte;
    TILEWRIGHT_ASSIGN_OR_RETURN(scores, next(session, byte, position++));
  }
  line.erase(line.find_last_not_of(' ') + 1);
  std::printf("%s%s\n", start.c_str(), line.c_str());
  return {};
}

static Status generate(const DeviceSetup &setup) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto model, load(setup));
  const std::vector<runtime::InterfaceTensor> &states =
      model->manifest().states;
  // The cache of the keys of a layer: [heads, length, width of a head].
  const size_t length = size_t(states[0].shape[1].constant().value_or(0));
  if (start.empty() || start.size() >= length)
    return Status::invalidInput("expected a text of 1 to " +
                                std::to_string(length - 1) + " bytes");
  const size_t count = std::min<size_t>(length - start.size(), 40);
  TILEWRIGHT_ASSIGN_OR_RETURN(auto reader, model->createSession());
  TILEWRIGHT_ASSIGN_OR_RETURN(auto writer, model->createSession());
  size_t position = 0;
  runtime::HostTensor scores;
  for (char byte : start) {
    TILEWRIGHT_ASSIGN_OR_RETURN(scores, next(*reader, byte, position++));
  }
  for (uint32_t seed = 1; seed <= 3; ++seed) {
    // Each goes on from the same text, which is read once.
    TILEWRIGHT_RETURN_IF_ERROR(writer->copyStates(*reader));
    TILEWRIGHT_RETURN_IF_ERROR(
        writeLine(*writer, scores, position, count, seed));
  }
  return {};
}

int main(int argc, char **argv) {
  if (argc > 2)
    modelPath = argv[2];
  if (argc > 3)
    start = argv[3];
  return run(argc, argv, generate);
}
