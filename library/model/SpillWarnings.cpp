#include "library/model/SpillWarnings.h"

#include "llvm/ADT/StringRef.h"

using namespace llvm;

namespace tilewright {

static int64_t numberOf(const Remark &remark, StringRef name) {
  int64_t number = 0;
  for (const auto &[key, value] : remark.arguments)
    if (key == name)
      StringRef(value).getAsInteger(10, number);
  return number;
}

void warnOfSpills(ArrayRef<Remark> remarks,
                  std::vector<std::string> &warnings) {
  for (const Remark &remark : remarks)
    if (remark.code == "spills" &&
        4 * (numberOf(remark, "spills") + numberOf(remark, "reloads")) >
            numberOf(remark, "instructions"))
      warnings.push_back("kernel '" + remark.kernel +
                         "' for cpu: " + remark.message +
                         "; smaller tiles or another schedule may be faster");
}

} // namespace tilewright
