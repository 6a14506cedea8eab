#include "Reduce.h"

#include "Edits.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

using namespace mlir;

namespace tilewright::fuzz {

namespace {
class Reducer {
public:
  Reducer(const CaseResult &faulty, const CheckOptions &options)
      : best(faulty), options(options), result(faulty.fault()->result) {
    best.checked.runs = {faulty.fault()->run};
    best.verdicts = {*faulty.fault()};
    this->options.jobs = 1;
    // What is smaller takes less time.
    this->options.seconds = std::min(options.seconds, 20u);
  }
  CaseResult reduce();

private:
  using Edit = std::function<bool(Edited &, size_t number)>;
  bool take(const Case &candidate);
  bool tryEdit(const Edit &edit, size_t number, bool &exists);
  bool edit(const Edit &edit);
  bool eraseSome();
  bool shrinkSizes();
  bool simplifySchedule();
  bool simplifyInputs();

  CaseResult best;
  CheckOptions options;
  Result result;
};
} // namespace

/// Whether the candidate has the fault; it is the best one then.
bool Reducer::take(const Case &candidate) {
  CaseResult caseResult = check(candidate, options);
  const Verdict *fault = caseResult.fault();
  if (!fault || fault->result != result)
    return false;
  best = caseResult;
  return true;
}

bool Reducer::tryEdit(const Edit &edit, size_t number, bool &exists) {
  auto module = parseSourceString<ModuleOp>(best.checked.text,
                                            &kerneltest::kernelContext());
  Edited edited{module->lookupSymbol<tile::KernelOp>("k"), best.checked.inputs};
  edited.inputs.resize(edited.kernel.getNumArguments());
  exists = edit(edited, number);
  if (!exists)
    return false;
  cleanUp(edited);
  if (failed(verify(*module)))
    return false;
  Case candidate = best.checked;
  candidate.inputs = edited.inputs;
  candidate.text.clear();
  llvm::raw_string_ostream stream(candidate.text);
  for (Operation &op : *module->getBody())
    stream << op << "\n";
  return candidate.text != best.checked.text && take(candidate);
}

/// Makes all edits of a kind that keep the fault.
bool Reducer::edit(const Edit &edit) {
  bool isBetter = false, exists = true;
  for (size_t number = 0; exists;)
    if (tryEdit(edit, number, exists))
      isBetter = true;
    else
      ++number;
  return isBetter;
}

/// Erases effects, many at a time first.
bool Reducer::eraseSome() {
  bool isBetter = false;
  for (size_t count : {16, 8, 4, 2, 1}) {
    bool exists = true;
    for (size_t number = 0; exists;)
      if (tryEdit([&](Edited &edited,
                      size_t at) { return eraseEffects(edited, at, count); },
                  number, exists))
        isBetter = true;
      else
        number += count;
  }
  return isBetter;
}

/// The text with another size in the types' brackets. Other numbers stay: a
/// text that no longer fits is not valid.
static std::string withSize(const std::string &text, int64_t from, int64_t to) {
  std::string changed, number;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : '\n';
    if (c >= '0' && c <= '9') {
      number += c;
      continue;
    }
    char before = changed.empty() ? ' ' : changed.back();
    bool isSize =
        c == 'x' && (before == '<' || before == 'x') && !number.empty();
    changed +=
        isSize && number == std::to_string(from) ? std::to_string(to) : number;
    number.clear();
    if (i < text.size())
      changed += c;
  }
  return changed;
}

static std::set<int64_t> sizesIn(const std::string &text) {
  std::set<int64_t> sizes;
  for (size_t i = 1; i < text.size(); ++i)
    if ((text[i - 1] == '<' || text[i - 1] == 'x') && isdigit(text[i])) {
      size_t end = text.find_first_not_of("0123456789", i);
      if (end != std::string::npos && text[end] == 'x')
        sizes.insert(std::stoll(text.substr(i, end - i)));
    }
  return sizes;
}

bool Reducer::shrinkSizes() {
  bool isBetter = false;
  std::set<int64_t> sizes = sizesIn(best.checked.text);
  for (int64_t size :
       std::set<int64_t, std::greater<>>(sizes.begin(), sizes.end()))
    for (int64_t smaller :
         {int64_t(1), int64_t(2), int64_t(3), size / 2, size - 1}) {
      if (smaller < 1 || smaller >= size)
        continue;
      Case candidate = best.checked;
      candidate.text = withSize(candidate.text, size, smaller);
      for (kerneltest::Input &input : candidate.inputs)
        std::ranges::replace(input.dims, size, smaller);
      if (!take(candidate))
        continue;
      isBetter = true;
      break;
    }
  return isBetter;
}

/// Removes parameters from the schedule, one by one.
bool Reducer::simplifySchedule() {
  bool isBetter = false;
  std::istringstream in(best.checked.runs[0].schedule);
  std::vector<std::string> parts;
  for (std::string part; in >> part;)
    parts.push_back(part);
  for (size_t i = 0; i < parts.size();) {
    Case candidate = best.checked;
    std::string &text = candidate.runs[0].schedule;
    text.clear();
    for (size_t j = 0; j < parts.size(); ++j)
      if (j != i)
        text += (text.empty() ? "" : " ") + parts[j];
    if (!take(candidate)) {
      ++i;
      continue;
    }
    parts.erase(parts.begin() + i);
    isBetter = true;
  }
  return isBetter;
}

/// Fills each argument with one number, or a few.
bool Reducer::simplifyInputs() {
  bool isBetter = false;
  for (size_t i = 0; i < best.checked.inputs.size(); ++i)
    for (std::vector<double> values :
         {std::vector<double>{1}, std::vector<double>{1, 2, 3, 0}}) {
      const kerneltest::Input &input = best.checked.inputs[i];
      if (input.values == values || input.scalar)
        continue;
      Case candidate = best.checked;
      candidate.inputs[i] = {.dims = input.dims,
                             .strides = input.strides,
                             .values = values,
                             .tolerance = input.tolerance};
      if (!take(candidate))
        continue;
      isBetter = true;
      break;
    }
  return isBetter;
}

CaseResult Reducer::reduce() {
  // Steady results only: a fault that comes and goes is shown as it is.
  if (!take(best.checked))
    return best;
  simplifySchedule();
  for (bool isBetter = true; isBetter;) {
    isBetter = eraseSome();
    isBetter |= edit(dropGrid);
    isBetter |= edit(flattenRegion);
    isBetter |= edit(replaceByLoad);
    isBetter |= edit(forwardOperand);
    isBetter |= edit(replaceByConstant);
    isBetter |= shrinkSizes();
  }
  simplifySchedule();
  simplifyInputs();
  return best;
}

CaseResult reduce(const CaseResult &faulty, const CheckOptions &options) {
  return Reducer(faulty, options).reduce();
}

} // namespace tilewright::fuzz
