#include "autotune/measure/Oracle.h"

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
Oracle::difference(const std::vector<runtime::HostTensor> &found) const {
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
static void merge(Oracle &oracle,
                  const std::vector<runtime::HostTensor> &outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (oracle.expected.size() <= i) {
      oracle.expected.push_back(outputs[i]);
      oracle.known.push_back(writtenElements(outputs[i]));
      continue;
    }
    size_t width = runtime::dtypeBytes(outputs[i].dtype());
    std::vector<bool> written = writtenElements(outputs[i]);
    for (size_t e = 0; e < written.size(); ++e)
      if (written[e]) {
        oracle.known[i][e] = true;
        std::memcpy(oracle.expected[i].data() + e * width,
                    outputs[i].data() + e * width, width);
      }
  }
}

StatusOr<Oracle> runOracle(Task &task, uint64_t seed, double seconds) {
  BenchOptions options;
  options.device = "interpreter";
  options.seed = seed;
  TILEWRIGHT_ASSIGN_OR_RETURN(Bench bench,
                              Bench::open(task.tensors(), options));
  Oracle oracle;
  oracle.programs = task.programs();
  auto add = [&](std::optional<int64_t> program) -> Status {
    TILEWRIGHT_ASSIGN_OR_RETURN(Candidate candidate,
                                task.oracleKernel(program));
    TILEWRIGHT_ASSIGN_OR_RETURN(BenchKernel kernel, bench.load(candidate));
    TILEWRIGHT_ASSIGN_OR_RETURN(auto outputs, bench.run(kernel));
    merge(oracle, outputs);
    return Status();
  };
  if (!task.programsAreIndependent()) {
    oracle.interpreted = oracle.programs;
    TILEWRIGHT_RETURN_IF_ERROR(add(std::nullopt));
    return oracle;
  }
  Clock::time_point start = Clock::now();
  for (int64_t program : orderOf(oracle.programs, seed)) {
    TILEWRIGHT_RETURN_IF_ERROR(add(program));
    ++oracle.interpreted;
    if (std::chrono::duration<double>(Clock::now() - start).count() > seconds)
      break;
  }
  return oracle;
}

// The file: two numbers of 64 bits, then for each tensor its bytes, and a byte
// for each element: whether it is known.

Status writeOracle(const std::filesystem::path &path, const Oracle &oracle) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  for (int64_t count : {oracle.programs, oracle.interpreted})
    file.write(reinterpret_cast<const char *>(&count), sizeof count);
  for (size_t i = 0; i < oracle.expected.size(); ++i) {
    const runtime::HostTensor &tensor = oracle.expected[i];
    file.write(reinterpret_cast<const char *>(tensor.data()),
               std::streamsize(tensor.bytes()));
    for (bool known : oracle.known[i])
      file.put(known ? 1 : 0);
  }
  file.close();
  if (!file)
    return Status::ioError("cannot write " + path.string());
  return Status();
}

StatusOr<Oracle> readOracle(const std::filesystem::path &path,
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
  Oracle oracle;
  take(&oracle.programs, sizeof oracle.programs);
  take(&oracle.interpreted, sizeof oracle.interpreted);
  for (const TaskTensor &tensor : tensors) {
    if (!tensor.isWritten)
      continue;
    TILEWRIGHT_ASSIGN_OR_RETURN(
        runtime::HostTensor host,
        runtime::HostTensor::allocate(tensor.dtype, tensor.shape));
    take(host.data(), host.bytes());
    std::string known(host.size(), 0);
    take(known.data(), known.size());
    oracle.expected.push_back(std::move(host));
    oracle.known.emplace_back(known.begin(), known.end());
  }
  if (isShort)
    return Status::ioError(path.string() + " is not complete");
  return oracle;
}

} // namespace tilewright::autotune
