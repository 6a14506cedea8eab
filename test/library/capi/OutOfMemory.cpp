// Each call of the C interface, with each of its allocations failing once: it
// returns a status that says so, without leaks or crashes.
#include "tilewright/c/tilewright-compiler.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>

/// How many more allocations succeed; negative: all.
static thread_local long allocationsLeft = -1;

// Takes the location of the C++ library's in the libraries, too.
static void *allocate(size_t bytes) {
  if (allocationsLeft == 0)
    return nullptr;
  if (allocationsLeft > 0)
    --allocationsLeft;
  return std::malloc(bytes ? bytes : 1);
}
void *operator new(size_t bytes) {
  if (void *memory = allocate(bytes))
    return memory;
  throw std::bad_alloc();
}
void *operator new(size_t bytes, const std::nothrow_t &) noexcept {
  return allocate(bytes);
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }

/// Whether `call` fails for want of memory until it has enough, and then
/// succeeds or fails as `expected`.
static bool survives(const char *name, tw_code expected,
                     const std::function<tw_status *()> &call) {
  // More than any call takes.
  constexpr long most = 1000;
  long taken = 0;
  for (; taken < most; ++taken) {
    allocationsLeft = taken;
    tw_status *status = call();
    bool ranOut = allocationsLeft == 0;
    allocationsLeft = -1;
    tw_code code = tw_status_code(status);
    bool saysSo = std::strstr(tw_status_message(status), "out of memory");
    tw_status_free(status);
    if (code == expected && !ranOut)
      break;
    if (code == expected || (code == TW_RESOURCE_EXHAUSTED && saysSo))
      continue;
    std::printf("%s: after %ld allocations expected 'out of memory', found "
                "status %d\n",
                name, taken, int(code));
    return false;
  }
  std::printf("%s: %ld allocations\n", name, taken);
  return taken > 0 && taken < most;
}

int main() {
  const char text[] = "tile.kernel @k(";
  const char longName[] = "a name that is too long to be kept in place";
  twc_request *request = nullptr;
  twc_cache *cache = nullptr;
  twc_result *result = nullptr;
  bool good = survives("create", TW_OK, [&] {
    twc_request_free(request);
    return twc_request_create(TILEWRIGHT_COMPILER_ABI_VERSION, text,
                              sizeof text - 1, longName, &request);
  });
  good &= survives("tunable", TW_OK, [&] {
    return twc_request_set_tunable(request, longName, 1);
  });
  good &= survives("flag", TW_INVALID_INPUT,
                   [&] { return twc_request_set_flag(request, 99, 1); });
  good &= survives("cache", TW_OK, [&] {
    twc_cache_options options = TWC_CACHE_OPTIONS_INIT;
    options.directory = longName;
    twc_cache_free(cache);
    return twc_cache_open(&options, &cache);
  });
  twc_cache_free(cache);
  tw_status *status = twc_compile(request, &result);
  good &= tw_status_code(status) == TW_INVALID_INPUT && result;
  tw_status_free(status);
  good &= survives("part", TW_NOT_FOUND, [&] {
    const char *data = nullptr;
    return twc_result_part(result, TWC_PART_CODE, &data, nullptr);
  });
  good &= survives("diagnostic", TW_INVALID_INPUT, [&] {
    twc_diagnostic found = TWC_DIAGNOSTIC_INIT;
    return twc_result_diagnostic(result, 7, &found);
  });
  twc_result_free(result);
  twc_request_free(request);
  return good ? 0 : 1;
}
