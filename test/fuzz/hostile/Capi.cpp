// hostile-capi PACKAGE COUNT SEED: wrong arguments of the C interfaces, of the
// seeds SEED, SEED + 1, ..: sizes and strides at the edges of integers, types
// and names of others, NULL where it is checked. Each call succeeds, or gives
// a status of one line. Prints each seed, so that the last one is that of a
// crash, then "rejected N".
#include "tilewright/c/tilewright-compiler.h"
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr const char *kernelText = R"mlir(
tile.kernel @scale(%x: !tile.view<?x8xf32>, %y: !tile.view<?x8xf32>, %n: index,
                   %f: f32)
    grid affine_map<()[m, a, b, c, n] -> (m ceildiv 4)> {
  %c0 = arith.constant 0 : index
  %i = tile.program_id
  %t = tile.load %x[%i, %c0] pad 0.0 : !tile.view<?x8xf32> -> tensor<4x8xf32>
  %s = tile.splat %f : f32 -> tensor<4x8xf32>
  %d = arith.mulf %t, %s : tensor<4x8xf32>
  tile.store %d, %y[%i, %c0] : tensor<4x8xf32>, !tile.view<?x8xf32>
})mlir";

/// The bytes that are given and taken: never more than a call says.
constexpr size_t mostBytes = 4096;

class Fuzzer {
public:
  bool open(const char *package);
  /// One mutant; whether anything was rejected.
  bool step(uint64_t seed);
  void close();
  unsigned rejected = 0, failed = 0;

private:
  size_t below(size_t n) { return random() % n; }
  template <class T, size_t N> T pick(const std::array<T, N> &from) {
    return from[below(N)];
  }
  int64_t edge();
  int64_t size() { return below(3) ? int64_t(below(10)) : edge(); }
  const char *dtype();
  const char *name();
  std::vector<int64_t> sizes();
  /// Counts and checks a status; whether it is success.
  bool check(tw_status *status);

  void runModel();
  void useBuffer();
  void launch();
  void compile();

  std::mt19937_64 random;
  tw_device *device = nullptr;
  tw_model *model = nullptr;
  std::string manifest, code;
  std::array<char, mostBytes> data = {};
};

int64_t Fuzzer::edge() {
  static constexpr std::array<int, 9> bits = {7, 8, 15, 16, 31, 32, 48, 62, 63};
  const auto value =
      int64_t((uint64_t(1) << pick(bits)) + below(3) - uint64_t(1));
  return below(2) ? value : int64_t(-uint64_t(value));
}

const char *Fuzzer::dtype() {
  static constexpr std::array<const char *, 10> names = {
      "f32", "f32", "f64", "i64", "f16", "i4", "f4E2M1FN", "", "bool", "f33"};
  return below(40) ? pick(names) : nullptr;
}

const char *Fuzzer::name() {
  static constexpr std::array<const char *, 6> names = {"x", "x",       "y",
                                                        "",  "\x1b[2J", "\xff"};
  return below(40) ? pick(names) : nullptr;
}

std::vector<int64_t> Fuzzer::sizes() {
  static constexpr std::array<size_t, 8> ranks = {0, 1, 2, 2, 2, 3, 64, 65};
  std::vector<int64_t> sizes(pick(ranks));
  for (int64_t &one : sizes)
    one = size();
  return sizes;
}

bool Fuzzer::check(tw_status *status) {
  if (!status)
    return true;
  ++rejected;
  const std::string message = tw_status_message(status);
  if (message.empty() || tw_status_code(status) == TW_INTERNAL ||
      message.size() > 4000) {
    ++failed;
    std::printf("code %d: %s\n", int(tw_status_code(status)), message.c_str());
  }
  tw_status_free(status);
  return false;
}

void Fuzzer::runModel() {
  tw_session *session = nullptr;
  if (!check(tw_session_create(model, &session)))
    return;
  for (size_t n = below(3); n; --n) {
    std::vector<int64_t> shape = sizes();
    size_t bytes = below(mostBytes + 1);
    if (below(8)) {
      // A shape that is right for the samples, or almost.
      shape = {int64_t(below(20)), below(8) ? 2 : size()};
      bytes = size_t(shape[0]) * 8;
    }
    check(tw_session_set_input(
        session, below(8) ? "x" : name(), below(8) ? "f32" : dtype(),
        shape.data(), shape.size(), below(20) ? data.data() : nullptr, bytes));
  }
  check(tw_session_run(session));
  const int64_t *shape = nullptr;
  const void *result = nullptr;
  size_t rank = 0, bytes = 0;
  if (check(tw_session_get_output(session, below(3) ? "y" : name(), &shape,
                                  &rank, &result, &bytes)) &&
      bytes)
    std::memcpy(data.data(), result, std::min(bytes, mostBytes));
  const auto index = size_t(edge());
  (void)tw_model_input_name(model, index);
  (void)tw_model_output_dim(model, below(2), index);
  tw_session_free(session);
}

void Fuzzer::useBuffer() {
  tw_buffer *buffer = nullptr;
  // Not so large that the machine gives it, and it is then touched.
  const size_t bytes = below(2) ? below(mostBytes) : size_t(edge());
  if (!check(tw_buffer_create(device, bytes, below(40) ? &buffer : nullptr)))
    return;
  for (size_t n = 1 + below(3); n; --n) {
    const size_t offset = below(2) ? below(mostBytes) : size_t(edge());
    const size_t count = below(mostBytes + 1);
    check(below(2) ? tw_buffer_write(buffer, offset, data.data(), count)
                   : tw_buffer_read(buffer, offset, data.data(), count));
  }
  tw_buffer_free(buffer);
}

void Fuzzer::launch() {
  tw_kernel *kernel = nullptr;
  std::string text = manifest;
  const bool isMutant = below(6) == 0;
  if (isMutant) {
    // Loaded, never launched: a manifest is code.
    const size_t at = below(text.size());
    text.replace(at, below(20), std::to_string(edge()));
  }
  const size_t bytes = below(20) ? code.size() : below(code.size());
  if (!check(
          tw_kernel_load(device, text.c_str(), code.data(), bytes, &kernel)) ||
      isMutant || bytes != code.size()) {
    tw_kernel_free(kernel);
    return;
  }
  tw_launch *launch = nullptr;
  std::vector<tw_buffer *> buffers;
  check(tw_launch_create(kernel, &launch));
  for (size_t i = 0; i < 2; ++i) {
    std::vector<int64_t> dims = sizes(), strides = sizes();
    if (below(8)) {
      dims = {int64_t(below(20)), below(8) ? 8 : size()};
      strides = {below(8) ? 8 : size(), below(8) ? 1 : size()};
    }
    strides.resize(dims.size());
    tw_buffer *buffer = nullptr;
    check(tw_buffer_create(device, below(8) ? mostBytes : below(mostBytes),
                           &buffer));
    buffers.push_back(buffer);
    check(tw_launch_set_view(launch, below(20) ? i : size_t(edge()), buffer,
                             below(12) ? "f32" : dtype(), dims.data(),
                             below(4) ? nullptr : strides.data(), dims.size()));
  }
  check(tw_launch_set_integer(launch, below(20) ? 2 : size_t(edge()), size()));
  check(tw_launch_set_float(launch, below(20) ? 3 : below(5), double(edge())));
  for (size_t n = below(3); n; --n)
    check(tw_launch_run(launch));
  tw_launch_free(launch);
  for (tw_buffer *buffer : buffers)
    tw_buffer_free(buffer);
  tw_kernel_free(kernel);
}

void Fuzzer::compile() {
  static constexpr std::array<const char *, 8> schedules = {
      "rows=2", "rows=-1", "warps=64", "rows=99999999999999999999",
      "=",      "",        "rows=2=3", "vectors=4 rows=16"};
  static constexpr std::array<const char *, 6> targets = {
      "cpu", "cpu", "sm_80", "sm_999999999999", "", "interpreter"};
  twc_request *request = nullptr;
  twc_result *result = nullptr;
  std::string text = kernelText;
  if (below(2))
    text.replace(below(text.size()), below(20), std::to_string(edge()));
  check(twc_request_create(
      below(10) ? TILEWRIGHT_COMPILER_ABI_VERSION : uint32_t(edge()),
      text.data(), below(10) ? text.size() : below(text.size()),
      below(20) ? "k" : nullptr, &request));
  if (below(2))
    check(twc_request_set_target(request, pick(targets)));
  if (below(2))
    check(twc_request_set_schedule(request, pick(schedules)));
  if (below(3) == 0)
    check(twc_request_set_tunable(request, name(), edge()));
  if (below(3) == 0)
    check(twc_request_set_flag(request, twc_flag(below(8)), int(edge())));
  if (below(3) == 0)
    check(twc_request_set_fast_math(request, below(2) ? "afn,nnan" : name()));
  if (below(3) == 0)
    check(twc_request_set_precision(request, below(2) ? "tf32" : name()));
  if (below(4) == 0)
    check(twc_request_set_budget(request, twc_budget(below(5)), edge()));
  if (check(twc_compile(request, &result))) {
    const char *part = nullptr;
    size_t bytes = 0;
    check(twc_result_part(result, twc_part(below(14)), &part, &bytes));
    twc_diagnostic diagnostic = TWC_DIAGNOSTIC_INIT;
    check(twc_result_diagnostic(result, size_t(edge()), &diagnostic));
  }
  twc_result_free(result);
  twc_request_free(request);
}

bool Fuzzer::step(uint64_t seed) {
  random.seed(seed);
  const unsigned before = rejected;
  // Compilations take most of the time, and other readers try them.
  const size_t kind = below(12);
  if (kind < 1)
    compile();
  else if (kind < 4)
    runModel();
  else if (kind < 6)
    useBuffer();
  else
    launch();
  return rejected != before;
}

bool Fuzzer::open(const char *package) {
  twc_request *request = nullptr;
  twc_result *result = nullptr;
  const char *bytes = nullptr;
  size_t size = 0;
  bool isGood =
      check(tw_device_open("cpu", 1, &device)) &&
      check(tw_model_load(device, package, &model)) &&
      check(twc_request_create(TILEWRIGHT_COMPILER_ABI_VERSION, kernelText,
                               std::strlen(kernelText), "k", &request)) &&
      check(twc_request_set_target(request, "cpu")) &&
      check(twc_compile(request, &result));
  for (auto [part, to] :
       {std::pair(TWC_PART_CODE, &code), {TWC_PART_MANIFEST, &manifest}})
    if (isGood &&
        (isGood = check(twc_result_part(result, part, &bytes, &size))))
      to->assign(bytes, size);
  twc_result_free(result);
  twc_request_free(request);
  return isGood;
}

void Fuzzer::close() {
  tw_model_free(model);
  tw_device_free(device);
}
} // namespace

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: hostile-capi PACKAGE COUNT SEED\n");
    return 2;
  }
  Fuzzer fuzzer;
  if (!fuzzer.open(argv[1]))
    return 2;
  unsigned rejected = 0;
  const uint64_t first = std::strtoull(argv[3], nullptr, 10);
  const uint64_t count = std::strtoull(argv[2], nullptr, 10);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    std::printf("seed %" PRIu64 "\n", seed);
    std::fflush(stdout);
    rejected += fuzzer.step(seed);
  }
  fuzzer.close();
  std::printf("rejected %u\n", rejected);
  return fuzzer.failed ? 3 : 0;
}
