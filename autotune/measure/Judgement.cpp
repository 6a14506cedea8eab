#include "autotune/measure/Judgement.h"

#include "autotune/measure/Compare.h"
#include "support/Format.h"
#include "tilewright/runtime/MappedFile.h"
#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>

namespace tilewright::autotune {

using Clock = std::chrono::steady_clock;

std::optional<std::string>
Judgement::difference(const std::vector<runtime::HostTensor> &found) const {
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::optional<std::string> text =
            autotune::difference(found[i], expected[i], known[i]))
      return format("output {}: {}", {i, *text});
  return std::nullopt;
}

/// The first, the last, then the others in random order.
static std::vector<int64_t> orderOf(int64_t programs, uint64_t seed) {
  std::vector<int64_t> order(size_t(programs), 0);
  std::iota(order.begin(), order.end(), 0);
  if (programs > 1)
    std::swap(order[1], order.back());
  Random random(seed);
  for (size_t i = order.size(); i > 3; --i)
    std::swap(order[i - 1], order[2 + random.below(i - 2)]);
  return order;
}

/// Takes over the elements that one program wrote.
static void merge(Judgement &judgement,
                  const std::vector<runtime::HostTensor> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (judgement.expected.size() <= i) {
      judgement.expected.push_back(outputs[i]);
      judgement.known.push_back(writtenElements(outputs[i]));
      continue;
    }
    size_t width = runtime::dtypeBytes(outputs[i].dtype());
    std::vector<bool> written = writtenElements(outputs[i]);
    for (size_t e = 0; e < written.size(); ++e)
      if (written[e]) {
        judgement.known[i][e] = true;
        std::memcpy(judgement.expected[i].data() + e * width,
                    outputs[i].data() + e * width, width);
      }
  }
}

StatusOr<Judgement> judge(Task &task, uint64_t seed, double seconds) {
  BenchOptions options;
  options.device = "interpreter";
  options.seed = seed;
  TILEWRIGHT_ASSIGN_OR_RETURN(Bench bench,
                              Bench::open(task.tensors(), options));
  Judgement judgement;
  judgement.programs = task.programs();
  auto add = [&](std::optional<int64_t> program) -> Status {
    TILEWRIGHT_ASSIGN_OR_RETURN(Candidate candidate, task.judge(program));
    TILEWRIGHT_ASSIGN_OR_RETURN(BenchKernel kernel, bench.load(candidate));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto outputs, bench.run(kernel));
    merge(judgement, outputs);
    return Status();
  };
  if (!task.programsAreIndependent()) {
    judgement.judged = judgement.programs;
    TILEWRIGHT_RETURN_IF_ERROR(add(std::nullopt));
    return judgement;
  }
  Clock::time_point start = Clock::now();
  for (int64_t program : orderOf(judgement.programs, seed)) {
    TILEWRIGHT_RETURN_IF_ERROR(add(program));
    ++judgement.judged;
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds)
      break;
  }
  return judgement;
}

// The file: two numbers of 64 bits, then of each tensor the bytes and a byte
// for each element that says whether it is known.

Status writeJudgement(const std::filesystem::path &path,
                      const Judgement &judgement) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  for (int64_t count : {judgement.programs, judgement.judged})
    file.write(reinterpret_cast<const char *>(&count), sizeof count);
  for (size_t i = 0; i < judgement.expected.size(); ++i) {
    const runtime::HostTensor &tensor = judgement.expected[i];
    file.write(reinterpret_cast<const char *>(tensor.data()),
               std::streamsize(tensor.bytes()));
    for (bool known : judgement.known[i])
      file.put(known ? 1 : 0);
  }
  file.close();
  if (!file)
    return Status::ioError("cannot write " + path.string());
  return Status();
}

StatusOr<Judgement> readJudgement(const std::filesystem::path &path,
                                  const std::vector<TaskTensor> &tensors) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string bytes, runtime::readFile(path));
  std::string_view rest = bytes;
  bool isShort = false;
  auto take = [&](void *target, size_t count) {
    isShort |= rest.size() < count;
    if (isShort)
      return;
    std::memcpy(target, rest.data(), count);
    rest.remove_prefix(count);
  };
  Judgement judgement;
  take(&judgement.programs, sizeof judgement.programs);
  take(&judgement.judged, sizeof judgement.judged);
  for (const TaskTensor &tensor : tensors) {
    if (!tensor.isWritten)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::HostTensor host,
        runtime::HostTensor::allocate(tensor.dtype, tensor.shape));
    take(host.data(), host.bytes());
    std::string known(host.size(), 0);
    take(known.data(), known.size());
    judgement.expected.push_back(std::move(host));
    judgement.known.emplace_back(known.begin(), known.end());
  }
  if (isShort)
    return Status::ioError(path.string() + " is not complete");
  return judgement;
}

} // namespace tilewright::autotune
