// The functions of CUDA's driver: printf and assert as in the CUDA C++
// Programming Guide, "Formatted Output" and "Assertion".
#include "runtime/emulator/execute/DriverCalls.h"

#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/machine/Locate.h"
#include "support/Format.h"
#include <cmath>
#include <cstdio>
#include <cstring>
#include <optional>

namespace tilewright::emulator {

namespace {

/// What one lane passes to a function, and reads from memory.
class LaneCall {
public:
  LaneCall(Warp &warp, const Instruction &in, unsigned lane)
      : warp(warp), in(in), lane(lane),
        site(warp.block->launch->program->calls[in.target]) {}

  /// The `index`-th argument, in memory or in a register.
  [[nodiscard]] uint64_t argument(size_t index) const {
    uint64_t value = 0;
    if (index < site.arguments.size())
      std::memcpy(&value, frame() + site.arguments[index].from,
                  std::min<uint32_t>(site.arguments[index].bytes, 8));
    else if (index < site.registerArguments.size())
      value =
          lanes<uint64_t>(warp, site.registerArguments[index].callers)[lane];
    return value;
  }
  void setResult(int32_t value) const {
    if (!site.results.empty())
      std::memcpy(frame() + site.results[0].to, &value, 4);
    else if (!site.registerResults.empty())
      lanes<int32_t>(warp, site.registerResults[0].callers)[lane] = value;
  }
  /// `bytes` at a generic address; false: a fault is recorded.
  bool read(uint64_t address, void *to, uint32_t bytes) const {
    MemoryAccess memoryAccess{AddressSpace::generic, address, bytes, 1,
                              Access::load};
    const std::byte *from = locate(warp, in, memoryAccess, lane);
    if (from)
      std::memcpy(to, from, bytes);
    return from != nullptr;
  }
  /// Text up to its zero, or the limit.
  std::optional<std::string> text(uint64_t address, size_t limit) const {
    std::string text;
    for (char c; text.size() < limit; text += c) {
      if (!read(address + text.size(), &c, 1))
        return std::nullopt;
      if (!c)
        break;
    }
    return text;
  }

private:
  [[nodiscard]] std::byte *frame() const {
    return warp.local.get() + size_t{lane} * warp.localStride +
           warp.group.frame->localBase;
  }
  Warp &warp;
  const Instruction &in;
  unsigned lane;
  const CallSite &site;
};

/// Text made of a format and of values that are consecutive in memory, each
/// aligned to its size.
class Formatter {
public:
  Formatter(const LaneCall &call, uint64_t values)
      : call(call), values(values) {}
  /// Nothing: a fault is recorded.
  std::optional<std::string> run(const std::string &format);
  /// Values so far.
  int32_t count = 0;

private:
  template <class T> T next() {
    values = (values + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value = {};
    good &= call.read(values, &value, sizeof(T));
    values += sizeof(T);
    ++count;
    return value;
  }
  void convert(std::string spec, char kind, bool isLong);
  template <class T> void print(const std::string &spec, T value) {
    int size = std::snprintf(nullptr, 0, spec.c_str(), value);
    std::string made(size_t(std::max(size, 0)) + 1, '\0');
    std::snprintf(made.data(), made.size(), spec.c_str(), value);
    made.pop_back();
    text += made;
  }
  const LaneCall &call;
  uint64_t values;
  bool good = true;
  std::string text;
};

/// `spec` has flags, width and precision, without the size and the kind.
void Formatter::convert(std::string spec, char kind, bool isLong) {
  if (std::strchr("diouxX", kind)) {
    spec += "ll";
    spec += kind;
    bool isSigned = kind == 'd' || kind == 'i';
    if (isLong)
      return print(spec, next<long long>());
    auto value = next<int32_t>();
    return print(spec,
                 isSigned ? (long long)value : (long long)uint32_t(value));
  }
  spec += kind;
  if (std::strchr("eEfFgGaA", kind)) {
    auto value = next<double>();
    return print(spec, std::isnan(value) ? std::fabs(value) : value);
  }
  if (kind == 'c')
    return print(spec, next<int32_t>());
  if (kind == 'p')
    return print(spec, reinterpret_cast<void *>(next<uint64_t>()));
  if (kind == 's') {
    std::optional<std::string> found = call.text(next<uint64_t>(), 4096);
    good &= found.has_value();
    return print(spec, found.value_or("").c_str());
  }
  text += spec;
}

std::optional<std::string> Formatter::run(const std::string &format) {
  size_t at = 0;
  auto take = [&](const char *set, std::string &to) {
    while (at < format.size() && std::strchr(set, format[at]))
      to += format[at++];
  };
  while (at < format.size() && good) {
    if (format[at] != '%') {
      text += format[at++];
      continue;
    }
    ++at;
    if (at < format.size() && format[at] == '%') {
      text += format[at++];
      continue;
    }
    std::string spec = "%", size;
    take("-+ #0123456789.*", spec);
    take("hljztL", size);
    if (at == format.size())
      break;
    // A width or precision that is a value.
    for (size_t star; (star = spec.find('*')) != std::string::npos;)
      spec.replace(star, 1, std::to_string(next<int32_t>()));
    bool isLong = size.find_first_of("ljzt") != std::string::npos;
    convert(spec, format[at++], isLong);
  }
  if (!good)
    return std::nullopt;
  return text;
}

} // namespace

static unsigned firstLane(uint32_t lanes) {
  return unsigned(__builtin_ctz(lanes));
}

Step runAssertFail(Warp &warp, const Instruction &in) {
  unsigned lane = firstLane(warp.active);
  LaneCall call(warp, in, lane);
  auto message = call.text(call.argument(0), 4096);
  auto file = message ? call.text(call.argument(1), 4096) : std::nullopt;
  if (!file)
    return Step::failed;
  return fail(warp, in, FaultCode::trap,
              format("assertion failed: {} ({}:{})",
                     {*message, *file, uint32_t(call.argument(2))}),
              lane);
}

Step runPrint(Warp &warp, const Instruction &in) {
  Launch &launch = *warp.block->launch;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    LaneCall call(warp, in, firstLane(rest));
    if (!launch.prints) {
      call.setResult(0);
      continue;
    }
    Formatter formatter(call, call.argument(1));
    auto format = call.text(call.argument(0), 1 << 16);
    auto text = format ? formatter.run(*format) : std::nullopt;
    if (!text)
      return Step::failed;
    call.setResult(formatter.count);
    launch.print(*text);
  }
  return Step::next;
}

} // namespace tilewright::emulator
