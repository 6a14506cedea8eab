#include "Check.h"

namespace known {

StatusOr<Checker> Checker::open(const std::string &name) {
  Checker checker;
  checker.name = name;
  bool isTarget = name.starts_with("sm_");
  TILEWRIGHT_ASSIGN_OR_RETURN(
      checker.device,
      runtime::openDevice(isTarget ? std::string("emulator") : name));
  TILEWRIGHT_ASSIGN_OR_RETURN(checker.stream, checker.device->createStream());
  if (isTarget)
    checker.options.target = name;
  return checker;
}

Doubles Checker::noise(int64_t count, uint32_t seed) {
  Doubles numbers(static_cast<size_t>(count));
  for (double &number : numbers) {
    seed = seed * 1664525 + 1013904223;
    number = double(int(seed >> 24) - 128) / 64;
  }
  return numbers;
}

int64_t Checker::count(const runtime::Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

DeviceTensor Checker::made(StatusOr<DeviceTensor> tensor) {
  note(tensor.status());
  return tensor.ok() ? *tensor : DeviceTensor();
}

void Checker::note(const Status &status) {
  if (status.ok())
    return;
  ++failures;
  std::fprintf(stderr, "%s on %s: %s\n", where.c_str(), name.c_str(),
               status.message().c_str());
}

void Checker::compare(const Doubles &found, const Doubles &expected,
                      double tolerance) {
  ++comparisons;
  if (found.size() != expected.size())
    return note(Status::invalidInput(
        "expected " + std::to_string(expected.size()) + " numbers, found " +
        std::to_string(found.size())));
  for (size_t i = 0; i < found.size(); ++i) {
    double distance = std::fabs(found[i] - expected[i]);
    if (found[i] == expected[i] ||
        distance <= tolerance * std::max(1.0, std::fabs(expected[i])))
      continue;
    return note(Status::invalidInput("element " + std::to_string(i) + " is " +
                                     std::to_string(found[i]) + ", expected " +
                                     std::to_string(expected[i])));
  }
}

const Executable *Checker::executable(const Kernel &kernel,
                                      const Bindings &bindings) {
  auto key = std::pair(kernel.name(), bindings);
  auto known = loaded.find(key);
  if (known != loaded.end())
    return &known->second;
  StatusOr<Executable> made = load(kernel, *device, bindings, options);
  note(made.status());
  return made.ok() ? &loaded.emplace(key, *made).first->second : nullptr;
}

void Checker::shape(const char *kernel, const std::string &text) {
  ++shapes[kernel];
  where = std::string(kernel) + " " + text;
}

Doubles product(const Doubles &a, const Doubles &b, int64_t m, int64_t n,
                int64_t k) {
  Doubles c(static_cast<size_t>(m * n));
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t l = 0; l < k; ++l)
        c[size_t(i * n + j)] += a[size_t(i * k + l)] * b[size_t(l * n + j)];
  return c;
}

} // namespace known
