#include "runtime/emulator/counters/Lines.h"
#include <map>

namespace tilewright::emulator {

namespace {
using LineMap = std::map<uint32_t, LineCounters>;

void add(LineMap &lines, uint32_t line, const Counters &counters,
         InstructionClass kind) {
  auto [entry, isNew] = lines.try_emplace(line, LineCounters{line, {}, kind});
  entry->second.counters += counters;
}

std::vector<LineCounters> inOrder(const LineMap &lines) {
  std::vector<LineCounters> result;
  for (const auto &[line, counters] : lines)
    result.push_back(counters);
  return result;
}
} // namespace

std::vector<LineCounters> byLine(const KernelCounters &kernel) {
  LineMap lines;
  for (size_t i = 0; i < kernel.functions.size(); ++i) {
    const std::vector<Instruction> &code = kernel.program->functions[i]->code;
    const FunctionCounters &own = kernel.functions[i];
    // The last instruction is a `ret` that nobody wrote.
    size_t count = code.size() - (own.code.back().warps ? 0 : 1);
    for (size_t index = 0; index < count; ++index)
      add(lines, code[index].at.line, own.code[index], own.traits[index].kind);
  }
  return inOrder(lines);
}

std::vector<SourceCounters> bySourceLine(const KernelCounters &kernel) {
  std::map<unsigned, LineMap> files;
  for (size_t i = 0; i < kernel.functions.size(); ++i) {
    const Function &function = *kernel.program->functions[i];
    const FunctionCounters &own = kernel.functions[i];
    for (uint32_t index = 0; index < function.code.size(); ++index)
      if (const ptx::SourceLine *source = sourceLine(function, index);
          source && source->line)
        add(files[source->file], source->line, own.code[index],
            own.traits[index].kind);
  }
  std::vector<SourceCounters> result;
  for (const auto &[number, lines] : files) {
    SourceCounters file;
    for (const ptx::SourceFile &named : kernel.program->source->files)
      if (named.number == number)
        file.path = named.path;
    file.lines = inOrder(lines);
    result.push_back(std::move(file));
  }
  return result;
}

std::vector<std::string_view> textLines(const KernelCounters &kernel) {
  std::string_view text = *kernel.program->source->text;
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

} // namespace tilewright::emulator
