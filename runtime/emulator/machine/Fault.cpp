#include "runtime/emulator/machine/Fault.h"
#include "runtime/emulator/machine/Warp.h"
#include "runtime/emulator/program/Layout.h"
#include "support/Format.h"
#include <functional>

namespace tilewright::emulator {

std::string_view faultName(FaultCode code) {
  static constexpr std::string_view names[] = {
      "out-of-bounds", "misaligned", "uninitialized",      "race",
      "trap",          "deadlock",   "undefined-behavior", "unsupported",
      "limit",         "resources"};
  return names[size_t(code)];
}

bool isFinding(FaultCode code) {
  return code != FaultCode::unsupported && code != FaultCode::limit &&
         code != FaultCode::resources;
}

std::string Fault::where() const {
  return format("in {}, block {},{},{}, warp {}, lane {}",
                {function, block[0], block[1], block[2], warp, lane});
}

std::string Fault::str() const {
  return format("{}:{}: {}: {} ({})",
                {at.line, at.column, faultName(code), message, where()});
}

namespace {
/// A source location in `.loc`; line 0: there is none.
struct Source {
  std::string file;
  uint32_t line = 0, column = 0;
};
} // namespace

static Source sourceOf(const Program &program, const Instruction &instruction) {
  for (const std::unique_ptr<Function> &function : program.functions) {
    const std::vector<Instruction> &code = function->code;
    const std::less<> before;
    if (before(&instruction, code.data()) ||
        !before(&instruction, code.data() + code.size()))
      continue;
    const ptx::SourceLine *line =
        sourceLine(*function, uint32_t(&instruction - code.data()));
    if (!line || !line->line)
      return {};
    Source source = {"", line->line, line->column};
    for (const ptx::SourceFile &file : program.source->files)
      if (file.number == line->file)
        source.file = file.path;
    return source;
  }
  return {};
}

std::string printLocation(const Launch &launch,
                          const Instruction &instruction) {
  std::string text =
      format("line {}:{}", {instruction.at.line, instruction.at.column});
  const Source source = sourceOf(*launch.program, instruction);
  if (!source.file.empty())
    text += format(" ({}:{}:{})", {source.file, source.line, source.column});
  return text;
}

/// Blocks in the order of their linear index.
static bool isBefore(const Fault &a, const Fault &b) {
  for (int dim = 2; dim >= 0; --dim)
    if (a.block[dim] != b.block[dim])
      return a.block[dim] < b.block[dim];
  return false;
}

/// Of several faults, that of the first block stays.
static void report(Launch &launch, std::unique_ptr<Fault> fault) {
  std::lock_guard lock(launch.faultMutex);
  if (!launch.fault || isBefore(*fault, *launch.fault))
    launch.fault = std::move(fault);
  launch.stops = true;
}

Step fail(Warp &warp, const Instruction &instruction, FaultCode code,
          std::string message, uint32_t lane, uint64_t address) {
  auto fault = std::make_unique<Fault>();
  fault->code = code;
  fault->message = std::move(message);
  fault->at = instruction.at;
  fault->function = warp.group.frame->function->name;
  fault->block = warp.block->location.blockIndex;
  fault->warp = warp.index;
  fault->lane = lane;
  fault->address = address;
  Launch &launch = *warp.block->launch;
  Source source = sourceOf(*launch.program, instruction);
  fault->sourceFile = std::move(source.file);
  fault->sourceLine = source.line;
  fault->sourceColumn = source.column;
  report(launch, std::move(fault));
  return Step::failed;
}

static std::string memoryLimits(const Launch &launch) {
  return format("expected at most {} bytes of local memory a thread, and {} "
                "bytes of registers, local and shared memory in the blocks "
                "that run at a time",
                {maxLocalBytes, launch.options.maxMemory});
}

void failForMemory(Launch &launch) {
  const Function &kernel = launch.program->kernel();
  auto fault = std::make_unique<Fault>();
  fault->code = FaultCode::resources;
  fault->message = memoryLimits(launch);
  fault->at = kernel.code.front().at;
  fault->function = kernel.name;
  report(launch, std::move(fault));
}

Step failForMemory(Warp &warp, const Instruction &instruction) {
  return fail(warp, instruction, FaultCode::resources,
              memoryLimits(*warp.block->launch));
}

} // namespace tilewright::emulator
