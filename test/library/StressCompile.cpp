// stress compile KERNELS THREADS: random kernels of many sizes and targets, by
// one thread and by many in another order: the same images.
#include "test/fuzz/tile/RandomProgram.h"
#include "test/library/Kernels.h"
#include "test/library/Stress.h"
#include "tilewright/compiler/Compiler.h"

#include <algorithm>
#include <cstdio>
#include <random>

namespace tilewright::test {

static std::vector<CompileRequest> randomRequests(unsigned count) {
  constexpr const char *targets[] = {"cpu",    "sm_80",   "sm_86",  "sm_89",
                                     "sm_90a", "sm_100a", "sm_120a"};
  std::vector<CompileRequest> requests;
  for (unsigned seed = 1; seed <= count; ++seed) {
    fuzz::RandomProgram program(seed);
    CompileRequest request =
        requestFor(program.generate(int(1 + seed % 12)).str(),
                   targets[seed % std::size(targets)]);
    if (request.target != "cpu")
      request.schedule = "warps=" + std::to_string(1 << seed % 4);
    request.wantExplanation = request.wantRemarks = seed % 3 == 0;
    requests.push_back(std::move(request));
  }
  return requests;
}

/// The images in the order of `requests`, submitted in the order of `order`. A
/// failure is its message.
static std::vector<std::string>
compileAll(const std::vector<CompileRequest> &requests,
           const std::vector<size_t> &order, unsigned threads) {
  StatusOr<std::unique_ptr<Compiler>> compiler =
      Compiler::create({.threads = threads});
  std::vector<std::pair<size_t, CompileHandle>> handles;
  for (size_t i : order)
    handles.emplace_back(i, (*compiler)->submit(requests[i]));
  std::vector<std::string> images(requests.size());
  for (auto &[i, handle] : handles) {
    const StatusOr<KernelImage> &image = handle.get().image;
    images[i] = image.ok() ? bytesOf(*image) : image.status().message();
  }
  return images;
}

int stressCompile(unsigned kernels, unsigned threads) {
  std::vector<CompileRequest> requests = randomRequests(kernels);
  std::vector<size_t> order(requests.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::vector<std::string> expected = compileAll(requests, order, 1);
  std::ranges::shuffle(order, std::mt19937(1));
  std::vector<std::string> found = compileAll(requests, order, threads);
  int differences = 0;
  size_t failures = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    if (expected[i].starts_with("k.mlir:")) {
      ++failures;
      std::printf("kernel %zu is rejected for %s: %s\n", i + 1,
                  requests[i].target.c_str(), expected[i].c_str());
    }
    if (expected[i] == found[i])
      continue;
    ++differences;
    std::printf("kernel %zu for %s differs\n", i + 1,
                requests[i].target.c_str());
  }
  std::printf("%zu kernels, %zu rejected, %d differ between 1 thread and %u\n",
              requests.size(), failures, differences, threads);
  return differences ? 1 : 0;
}

} // namespace tilewright::test
