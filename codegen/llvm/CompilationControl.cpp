//===- CompilationControl.cpp - What ends a compilation early -------------===//
#include "tilewright/codegen/CompilationControl.h"

namespace tilewright {

using Milliseconds = std::chrono::duration<double, std::milli>;

CompilationControl::CompilationControl(const Budget &budget,
                                       std::stop_token token)
    : budget(budget), token(std::move(token)), start(Clock::now()) {}

std::string describe(const Stop &stop, std::string_view kernel) {
  std::string where = stop.where;
  if (!kernel.empty())
    where += " of kernel '" + std::string(kernel) + "'";
  auto passed = [&](const std::string &unit, const std::string &what) {
    return where + " passed the limit of " + std::to_string(stop.limit) + unit +
           what + " (" + std::to_string(stop.used) + unit + ")";
  };
  const std::string remedy = "; take smaller tiles, or a larger limit";
  switch (stop.reason) {
  case Stop::Reason::time:
    return passed(" ms", "");
  case Stop::Reason::memory:
    return passed(" B", " of IR") + remedy;
  case Stop::Reason::llvmIr:
    return passed(" instructions", " of LLVM IR") + remedy;
  case Stop::Reason::cancelled:
    break;
  }
  return "given up on request in " + where;
}

void CompilationControl::beginPhase(std::string_view name) {
  finish();
  phase = name;
  phaseStart = Clock::now();
}

void CompilationControl::finish() {
  const std::lock_guard lock(mutex);
  if (!phase.empty())
    times.push_back({phase, Milliseconds(Clock::now() - phaseStart).count()});
  phase.clear();
  pass.clear();
}

bool CompilationControl::beginPass(std::string_view name) {
  const std::lock_guard lock(mutex);
  if (!reasonToStop)
    pass = name;
  return goOnLocked();
}

bool CompilationControl::stopped() const {
  const std::lock_guard lock(mutex);
  return bool(reasonToStop);
}

bool CompilationControl::reject(Stop::Reason reason, int64_t limit,
                                int64_t used) {
  reasonToStop = Stop{
      reason, pass.empty() ? "phase '" + phase + "'" : "pass '" + pass + "'",
      limit, used};
  return false;
}

bool CompilationControl::goOn() {
  const std::lock_guard lock(mutex);
  return goOnLocked();
}

bool CompilationControl::goOnLocked() {
  if (reasonToStop)
    return false;
  if (token.stop_requested())
    return reject(Stop::Reason::cancelled, 0, 0);
  if (!budget.time)
    return true;
  Clock::duration used = Clock::now() - start;
  // Rounded up: "50 ms of 50 ms" in a message would explain nothing.
  if (used > *budget.time)
    return reject(Stop::Reason::time, budget.time->count(),
                  std::chrono::ceil<std::chrono::milliseconds>(used).count());
  return true;
}

bool CompilationControl::allow(Stop::Reason reason,
                               const std::optional<int64_t> &limit,
                               int64_t used) {
  if (!reasonToStop && limit && used > *limit)
    return reject(reason, *limit, used);
  return !reasonToStop;
}

bool CompilationControl::allowMemory(int64_t bytes) {
  const std::lock_guard lock(mutex);
  return allow(Stop::Reason::memory, budget.memory, bytes);
}

bool CompilationControl::allowLlvmIr(int64_t instructions) {
  const std::lock_guard lock(mutex);
  return allow(Stop::Reason::llvmIr, budget.llvmIr, instructions);
}

} // namespace tilewright
