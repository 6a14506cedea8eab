// What objects of Python hold.
#ifndef TILEWRIGHT_PYTHON_SRC_HANDLES_H
#define TILEWRIGHT_PYTHON_SRC_HANDLES_H

#include "tilewright/compiler/Compiler.h"
#include "tilewright/runtime/Device.h"
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::python {

namespace nb = nanobind;

/// Things that one thread at a time uses, kept for the next.
template <class T> class Pool {
public:
  /// One that nobody uses; null where there is none.
  std::unique_ptr<T> get() {
    std::lock_guard lock(mutex);
    if (idle.empty())
      return nullptr;
    std::unique_ptr<T> one = std::move(idle.back());
    idle.pop_back();
    return one;
  }
  void put(std::unique_ptr<T> one) {
    std::lock_guard lock(mutex);
    idle.push_back(std::move(one));
  }

private:
  std::mutex mutex;
  std::vector<std::unique_ptr<T>> idle;
};

struct DeviceHandle {
  std::shared_ptr<runtime::Device> device;
  Pool<runtime::Stream> streams;
};

/// KernelImage of Python.
struct Image {
  KernelImage image;
  CompileReport report;
};

/// Cache of Python.
struct CacheHandle {
  std::shared_ptr<Cache> cache;
};

/// What compile, Compiler.submit and Device.load take.
struct RequestOptions {
  std::optional<std::string> target, kernel;
  std::map<std::string, int64_t> tunables;
  std::string schedule, fastMath, precision = "ieee";
  bool remarks = false, lineInfo = false, assertions = true;
  std::optional<double> timeLimit = std::nullopt;
  /// 0: no limit.
  std::optional<int64_t> llvmIrLimit = std::nullopt;
};

/// The path in a str or os.PathLike.
std::filesystem::path readPath(nb::handle object);

/// Seconds as milliseconds, at least one. Raises for what is not above 0.
std::chrono::milliseconds readSeconds(double seconds, const char *name);

/// A number of at least 0, which is no limit.
std::optional<int64_t> readLimit(int64_t limit, const char *name);

/// Reads a module: bytes; a str with a `{` is its text; else a path.
CompileRequest makeRequest(nb::handle source, const RequestOptions &options,
                           const std::string &defaultTarget = "cpu");

/// Waits, up to `timeout` seconds (then TimeoutError), and takes what came of
/// it, or raises. A signal cancels it.
Image waitFor(const CompileHandle &handle,
              std::optional<double> timeout = std::nullopt);

/// Compiles on a separate thread, and waits.
Image compileNow(CompileRequest request, const CacheHandle *cache);

void bindCompile(nb::module_ &module);
void bindDevices(nb::module_ &module);
void bindModels(nb::module_ &module);

} // namespace tilewright::python

#endif // TILEWRIGHT_PYTHON_SRC_HANDLES_H
