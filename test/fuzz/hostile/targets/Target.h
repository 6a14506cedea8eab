// A fuzz target: one reader, given bytes that may be anything. An error is as
// good as a result; a crash, undefined behaviour, a hang or a leak is a fault.
#ifndef TILEWRIGHT_TEST_FUZZ_HOSTILE_TARGETS_TARGET_H
#define TILEWRIGHT_TEST_FUZZ_HOSTILE_TARGETS_TARGET_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

/// Reads `size` bytes at `data`, and all that the reader promises of its
/// result. Each target defines it; libFuzzer and Main.cpp call it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace tilewright::fuzz {

/// A promise of a reader: where it is broken, the input is a finding.
inline void require(bool holds, std::string_view promise,
                    std::string_view found = {}) {
  if (holds)
    return;
  std::fprintf(stderr, "broken promise: %.*s\n%.*s\n", int(promise.size()),
               promise.data(), int(found.size()), found.data());
  std::abort();
}

inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

inline std::span<const std::byte> bytesOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const std::byte *>(data), size};
}

} // namespace tilewright::fuzz

#endif // TILEWRIGHT_TEST_FUZZ_HOSTILE_TARGETS_TARGET_H
