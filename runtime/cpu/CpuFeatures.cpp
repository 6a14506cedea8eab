#include "runtime/cpu/CpuFeatures.h"
#include "support/Format.h"
#include <cstdint>
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace tilewright::runtime {

#if defined(__x86_64__)

namespace {
struct Registers {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
};
/// Bits of the register XCR0 that the operating system sets when it saves the
/// registers concerned.
enum State : uint64_t { none = 0, ymm = 0x6, zmm = 0xe6, tile = 0x60000 };
struct Feature {
  const char *name;
  unsigned leaf;
  unsigned subleaf;
  unsigned Registers::*reg;
  unsigned bit;
  State state;
};
} // namespace

static constexpr Feature table[] = {
#define FEATURE(NAME, LEAF, SUBLEAF, REGISTER, BIT, STATE)                     \
  {NAME, LEAF, SUBLEAF, &Registers::REGISTER, BIT, State::STATE},
#include "runtime/cpu/X86Features.inc"
#undef FEATURE
};

static Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers found;
  __get_cpuid_count(leaf, subleaf, &found.eax, &found.ebx, &found.ecx,
                    &found.edx);
  return found;
}

static uint64_t savedState() {
  if (!(cpuid(1, 0).ecx & bit_OSXSAVE))
    return 0;
  uint32_t low = 0, high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

static CpuFeatures detect() {
  CpuFeatures found;
  found.architecture = "x86_64";
  uint64_t saved = savedState();
  for (const Feature &feature : table) {
    Registers registers = cpuid(feature.leaf, feature.subleaf);
    if ((registers.*feature.reg >> feature.bit & 1) &&
        (saved & feature.state) == feature.state)
      found.names.insert(feature.name);
  }
  // The brand string: 48 bytes in three leaves.
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    Registers registers = cpuid(leaf, 0);
    char text[sizeof(registers)];
    std::memcpy(text, &registers, sizeof(registers));
    found.model.append(text, strnlen(text, sizeof(text)));
  }
  while (!found.model.empty() && found.model.back() == ' ')
    found.model.pop_back();
  return found;
}

#elif defined(__aarch64__)

namespace {
struct Feature {
  const char *name;
  unsigned word;
  unsigned bit;
};
} // namespace

static constexpr Feature table[] = {
#define FEATURE(NAME, WORD, BIT) {NAME, WORD, BIT},
#include "runtime/cpu/AArch64Features.inc"
#undef FEATURE
};

static CpuFeatures detect() {
  CpuFeatures found;
  found.architecture = "aarch64";
#if defined(__linux__)
  uint64_t words[3] = {0, getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
#else
  uint64_t words[3] = {0, 3, 0}; // The base architecture: fp-armv8, neon.
#endif
  for (const Feature &feature : table)
    if (words[feature.word] >> feature.bit & 1)
      found.names.insert(feature.name);
  return found;
}

#else
#error "the cpu device supports x86-64 and AArch64"
#endif

const CpuFeatures &CpuFeatures::host() {
  static const CpuFeatures found = detect();
  return found;
}

static bool isKnown(std::string_view name) {
  for (const Feature &feature : table)
    if (feature.name == name)
      return true;
  return false;
}

Status CpuFeatures::supports(std::string_view features) const {
  std::string missing, unknown;
  while (!features.empty()) {
    size_t length = std::min(features.find_first_of(", "), features.size());
    std::string_view token = features.substr(0, length);
    features.remove_prefix(std::min(length + 1, features.size()));
    if (token.empty() || token[0] == '-')
      continue;
    if (token[0] == '+')
      token.remove_prefix(1);
    bool isX86 = token == "x86_64" || token == "x86-64";
    if (isX86 || token == "aarch64" || token == "arm64") {
      if ((architecture == "x86_64") != isX86)
        return Status::unsupported(format(
            "the code is for {}, this machine is {}", {token, architecture}));
      continue;
    }
    if (names.contains(token))
      continue;
    std::string &list = isKnown(token) ? missing : unknown;
    list += (list.empty() ? "" : ", ") + std::string(token);
  }
  if (!missing.empty())
    return Status::unsupported(
        "the code needs processor features that this machine lacks: " +
        missing);
  if (!unknown.empty())
    return Status::unsupported(
        "the code needs processor features that this version does not know: " +
        unknown);
  return {};
}

} // namespace tilewright::runtime
