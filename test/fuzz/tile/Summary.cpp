#include "Summary.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"

namespace tilewright::fuzz {

/// A message without its numbers, one line.
static std::string reasonOf(const std::string &message) {
  std::string reason;
  for (char c : message) {
    bool isNumber = c >= '0' && c <= '9';
    if (isNumber && !reason.empty() && reason.back() == 'N')
      continue;
    reason += isNumber ? 'N' : c == '\n' ? ' ' : c;
  }
  return reason.substr(0, 300);
}

void Summary::add(const CaseResult &caseResult) {
  ++cases;
  faultyCases += caseResult.fault() != nullptr;
  for (const std::string &op : caseResult.ops)
    ++ops[op];
  for (const Verdict &verdict : caseResult.verdicts) {
    ++byTarget[verdict.run.target][verdict.result];
    if (verdict.result != Result::rejected)
      continue;
    auto &[count, seed] =
        rejections[verdict.run.target + ": " + reasonOf(verdict.message)];
    if (!count++)
      seed = caseResult.checked.seed;
  }
}

static std::string padded(std::string text, size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string Summary::text() const {
  std::string text = std::to_string(cases) + " kernels, " +
                     std::to_string(faultyCases) + " with faults\n";
  for (const auto &[target, results] : byTarget) {
    text += "  " + padded(target, 12);
    for (const auto &[result, count] : results)
      text += " " + std::string(nameOf(result)) + " " + std::to_string(count);
    text += "\n";
  }
  text += "ops, by the kernels that have them\n ";
  size_t column = 0;
  for (const auto &[op, count] : ops) {
    std::string entry = " " + op + " " + std::to_string(count);
    if (column + entry.size() > 96)
      text += "\n ", column = 0;
    text += entry;
    column += entry.size();
  }
  text += "\nops of the tile dialect that no kernel has\n ";
  for (mlir::RegisteredOperationName name :
       kerneltest::kernelContext().getRegisteredOperations())
    if (name.getDialectNamespace() == "tile" &&
        !ops.count(name.getStringRef().str()))
      text += " " + name.getStringRef().str();
  text += "\nrejected, by reason\n";
  for (const auto &[reason, found] : rejections)
    text += "  " + std::to_string(found.first) + "  " + reason + " (as seed " +
            std::to_string(found.second) + ")\n";
  return text;
}

} // namespace tilewright::fuzz
