#include "runtime/cpu/KernelCalls.h"
#include "support/Format.h"
#include <charconv>
#include <cmath>
#include <csetjmp>
#include <span>
#include <vector>

namespace tilewright::runtime {

namespace {

/// A line that a program is printing.
struct Line {
  std::string text;
  bool hasValue = false;
  /// The tile whose elements are being printed; empty between values.
  std::vector<int64_t> shape;
  bool isTile = false;
  /// Of the tile: elements so far.
  int64_t next = 0;
};

/// What this thread runs.
struct Running {
  CheckedLaunch *launch = nullptr;
  std::jmp_buf *end = nullptr;
  Line line;
};
thread_local Running running;

std::string programText(int64_t rank, const std::array<int64_t, 3> &ids) {
  return format("program [{}]", {joined(std::span(ids).first(size_t(rank)))});
}

/// Calls the kernel. Its code lacks the type tags that the function sanitizer
/// looks for in front of a function. False if a check failed: a jump then left
/// the kernel's frames, which own nothing.
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
bool callKernel(CpuKernelEntry entry, const uint64_t *words,
                const int64_t *grid, int64_t first, int64_t last,
                void *scratch) {
  std::jmp_buf end;
  running.end = &end;
  // _setjmp: the signal mask stays as it is.
  if (_setjmp(end) != 0)
    return false;
  entry(words, grid, first, last, scratch);
  return true;
}

} // namespace

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void CheckedLaunch::run(CpuKernelEntry entry, const uint64_t *words,
                        const int64_t *grid, int64_t first, int64_t last,
                        void *scratch) {
  if (hasFailed.load(std::memory_order_relaxed))
    return;
  running.launch = this;
  callKernel(entry, words, grid, first, last, scratch);
  running.launch = nullptr;
  running.end = nullptr;
}

void CheckedLaunch::fail(std::array<int64_t, 3> program, std::string message) {
  std::lock_guard lock(mutex);
  // The first dimension is the fastest.
  std::swap(program[0], program[2]);
  if (hasFailed && failedProgram < program)
    return;
  failedProgram = program;
  failure = std::move(message);
  hasFailed = true;
}

Status CheckedLaunch::status() {
  std::lock_guard lock(mutex);
  return hasFailed ? Status::invalidInput(failure) : Status();
}

void checkFailed(const char *message, const char *location, int64_t element,
                 int64_t rank, int64_t x, int64_t y, int64_t z) {
  {
    std::string text = location;
    text += format("{}{} (element {}, {})",
                   {text.empty() ? "" : ": ", message, element,
                    programText(rank, {x, y, z})});
    running.launch->fail({x, y, z}, std::move(text));
  }
  // Nothing of this frame is left to destroy.
  _longjmp(*running.end, 1);
}

//===----------------------------------------------------------------------===//
// Prints
//===----------------------------------------------------------------------===//

void printBegin(const char *text, int64_t rank, int64_t x, int64_t y,
                int64_t z) {
  running.line = {};
  if (running.launch->prints.wanted())
    running.line.text = format("{}: {}", {programText(rank, {x, y, z}), text});
}

void printTile(int64_t rank, const int64_t *shape) {
  Line &line = running.line;
  line.isTile = true;
  line.next = 0;
  line.shape.assign(shape, shape + rank);
}

/// Prints one value, with the text before and after it.
static void add(std::string_view number) {
  if (!running.launch->prints.wanted())
    return;
  Line &line = running.line;
  if (!line.isTile || line.next == 0) {
    line.text += line.hasValue ? ", " : "";
    line.hasValue = true;
  } else {
    line.text += ", ";
  }
  // One bracket for each dim that begins, or ends, with this element.
  auto brackets = [&](int64_t at, char bracket) {
    int64_t extent = 1;
    for (size_t dim = line.shape.size(); line.isTile && dim-- > 0;) {
      extent *= line.shape[dim];
      if (at % extent == 0)
        line.text += bracket;
    }
  };
  brackets(line.next, '[');
  line.text += number;
  ++line.next;
  brackets(line.next, ']');
  int64_t count = 1;
  for (int64_t size : line.shape)
    count *= size;
  if (line.isTile && line.next == count)
    line.isTile = false, line.shape.clear();
}

void printInteger(int64_t value) { add(std::to_string(value)); }

void printReal(double value, int64_t digits) {
  if (std::isnan(value))
    return add("nan");
  char text[40];
  auto end = std::to_chars(text, text + sizeof(text), value,
                           std::chars_format::general, int(digits));
  add({text, size_t(end.ptr - text)});
}

void printPointer(uint64_t value) {
  char text[20] = "0x";
  auto end = std::to_chars(text + 2, text + sizeof(text), value, 16);
  add({text, size_t(end.ptr - text)});
}

void printEnd() {
  running.launch->prints.line(running.line.text);
  running.line = {};
}

} // namespace tilewright::runtime
