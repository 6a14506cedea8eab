#include "library/model/SpillWarnings.h"

#include "llvm/ADT/StringRef.h"

namespace tilewright {

static int64_t numberOf(const Remark &remark, llvm::StringRef name) {
  int64_t number = 0;
  for (const auto &[key, value] : remark.arguments)
    if (key == name)
      llvm::StringRef(value).getAsInteger(10, number);
  return number;
}

static bool isWorthAWarning(const Remark &remark) {
  return remark.code == "spills" &&
         4 * (numberOf(remark, "spills") + numberOf(remark, "reloads")) >
             numberOf(remark, "instructions");
}

void warnOfSpills(llvm::ArrayRef<Remark> remarks,
                  std::vector<Diagnostic> &warnings) {
  for (const Remark &remark : remarks) {
    if (!isWorthAWarning(remark))
      continue;
    Diagnostic &warning = warnings.emplace_back();
    warning.severity = Severity::warning;
    warning.code = remark.code;
    warning.where = remark.where;
    warning.message = "kernel '" + remark.kernel +
                      "' for cpu: " + remark.message +
                      "; smaller tiles or another schedule may be faster";
  }
}

} // namespace tilewright
