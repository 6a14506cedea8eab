//===- library.cpp - The compiler as a library: hits and threads ----------===//
//
//   library-speed KERNEL.mlir ..
//
// Prints a line of JSON for each kernel: the least milliseconds that sm_90a and
// cpu take when compiled, and the median of a hit in a cache (reading the
// request, its key and the entry), and their ratio. Then how many times faster
// two threads are than one, with all kernels for all GPUs.
//
//===----------------------------------------------------------------------===//
#include "tilewright/compiler/Compiler.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <sstream>

using namespace tilewright;
namespace fs = std::filesystem;

static double milliseconds(const std::function<void()> &work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now() - start)
      .count();
}

static Status timeHits(const CompileRequest &request, const fs::path &folder) {
  constexpr int repeats = 20, hits = 201;
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> plain,
                              Compiler::create({.threads = 1}));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::shared_ptr<Cache> cache,
                              Cache::open({.directory = folder}));
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> caching,
                              Compiler::create({.threads = 1, .cache = cache}));
  TILEWRIGHT_RETURN_IF_ERROR(caching->compile(request).status());
  double compiled = 1e9;
  for (int i = 0; i < repeats; ++i)
    compiled = std::min(compiled,
                        milliseconds([&] { (void)plain->compile(request); }));
  std::vector<double> times;
  for (int i = 0; i < hits; ++i) {
    CompileReport report;
    times.push_back(
        milliseconds([&] { (void)caching->compile(request, &report); }));
    if (!report.fromCache)
      return Status::internal("a hit was expected");
  }
  std::ranges::sort(times);
  std::printf("{\"kernel\": \"%s\", \"target\": \"%s\", \"compile_ms\": %.2f, "
              "\"hit_ms\": %.3f, \"ratio\": %.0f}\n",
              fs::path(request.module.name).stem().c_str(),
              request.target.c_str(), compiled, times[hits / 2],
              compiled / times[hits / 2]);
  return {};
}

static StatusOr<double> timeAll(const std::vector<CompileRequest> &requests,
                                unsigned threads) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::unique_ptr<Compiler> compiler,
                              Compiler::create({.threads = threads}));
  Status status;
  auto run = [&] {
    std::vector<CompileHandle> handles;
    for (const CompileRequest &request : requests)
      handles.push_back(compiler->submit(request));
    for (const CompileHandle &handle : handles)
      if (!handle.get().image.ok())
        status = handle.get().image.status();
  };
  run();
  double least = 1e9;
  for (int i = 0; i < 5; ++i)
    least = std::min(least, milliseconds(run));
  TILEWRIGHT_RETURN_IF_ERROR(status);
  return least;
}

static Status run(int count, char **paths, const fs::path &folder) {
  std::vector<CompileRequest> requests;
  for (int i = 0; i < count; ++i) {
    std::stringstream text;
    text << std::ifstream(paths[i]).rdbuf();
    CompileRequest request;
    request.module = {text.str(), paths[i]};
    for (const char *target : {"cpu", "sm_90a"}) {
      request.target = target;
      TILEWRIGHT_RETURN_IF_ERROR(timeHits(request, folder));
    }
    for (const char *target :
         {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_100a", "sm_120a"}) {
      request.target = target;
      requests.push_back(request);
    }
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(double one, timeAll(requests, 1));
  TILEWRIGHT_ASSIGN_OR_RETURN(double two, timeAll(requests, 2));
  std::printf("{\"kernels\": %zu, \"one_thread_ms\": %.0f, "
              "\"two_threads_ms\": %.0f, \"ratio\": %.2f}\n",
              requests.size(), one, two, one / two);
  return {};
}

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: library-speed KERNEL.mlir ..\n");
    return 2;
  }
  std::error_code ignored;
  fs::path folder =
      fs::temp_directory_path(ignored) / "tilewright-library-speed";
  Status status = run(argc - 1, argv + 1, folder);
  fs::remove_all(folder, ignored);
  if (!status.ok())
    std::fprintf(stderr, "%s\n", status.message().c_str());
  return status.ok() ? 0 : 1;
}
