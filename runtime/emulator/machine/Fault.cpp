#include "runtime/emulator/machine/Fault.h"
#include "runtime/emulator/machine/Warp.h"
#include <bit>

namespace tilewright::emulator {

std::string_view faultName(FaultCode code) {
  static constexpr std::string_view names[] = {
      "out-of-bounds", "misaligned", "uninitialized",
      "trap",          "deadlock",   "undefined-behavior",
      "unsupported",   "limit",      "resources"};
  return names[size_t(code)];
}

std::string Fault::str() const {
  auto number = [](uint64_t value) { return std::to_string(value); };
  return number(at.line) + ":" + number(at.column) + ": " +
         std::string(faultName(code)) + ": " + message + " (in " + function +
         ", block " + number(block[0]) + "," + number(block[1]) + "," +
         number(block[2]) + ", warp " + number(warp) + ", lane " +
         number(lane) + ")";
}

/// Blocks in the order of their linear index.
static bool isBefore(const Fault &a, const Fault &b) {
  for (int dim = 2; dim >= 0; --dim)
    if (a.block[dim] != b.block[dim])
      return a.block[dim] < b.block[dim];
  return false;
}

Step fail(Warp &warp, const Instruction &instruction, FaultCode code,
          std::string message, uint32_t lane, uint64_t address) {
  auto fault = std::make_unique<Fault>();
  fault->code = code;
  fault->message = std::move(message);
  fault->at = instruction.at;
  fault->function = warp.group.frame->function->name;
  fault->block = warp.block->place.blockIndex;
  fault->warp = warp.index;
  fault->lane = lane;
  fault->address = address;
  Launch &launch = *warp.block->launch;
  std::lock_guard lock(launch.faultMutex);
  if (!launch.fault || isBefore(*fault, *launch.fault))
    launch.fault = std::move(fault);
  launch.stops = true;
  return Step::failed;
}

} // namespace tilewright::emulator
