#include "frontends/onnx/InputElements.h"

#include "frontends/onnx/NamedValue.h"

using namespace mlir;

namespace tilewright::onnx {

std::string elementName(StringRef sequence, int64_t index) {
  return (sequence + "[" + Twine(index) + "]").str();
}

std::string lengthName(StringRef name) { return (name + "[]").str(); }

/// The index in the name of an element of this sequence.
static std::optional<int64_t> indexIn(StringRef name, StringRef sequence) {
  int64_t index = 0;
  if (!name.consume_front(sequence) || !name.consume_front("[") ||
      !name.consume_back("]") || !llvm::all_of(name, llvm::isDigit) ||
      name.getAsInteger(10, index))
    return std::nullopt;
  return index;
}

/// The number that is given as the shape "x[]".
static StatusOr<std::optional<int64_t>>
givenCount(const ImportOptions &options, StringRef name, int64_t most) {
  auto given = options.inputShapes.find(lengthName(name));
  if (given == options.inputShapes.end())
    return std::optional<int64_t>();
  if (given->second.size() == 1 && given->second[0] >= 0 &&
      given->second[0] <= most)
    return std::optional(given->second[0]);
  return Status::invalidInput("the shape of '" + given->first +
                              "' is the number of elements of input '" +
                              name.str() + "', expected one from 0 to " +
                              std::to_string(most));
}

StatusOr<std::optional<int64_t>> givenLength(const ImportOptions &options,
                                             StringRef sequence) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<int64_t> length,
                              givenCount(options, sequence, maximumElements));
  const std::optional<int64_t> count = length;
  auto need = [&](StringRef name) -> Status {
    std::optional<int64_t> index = indexIn(name, sequence);
    if (index && *index >= count.value_or(maximumElements))
      return Status::invalidInput(
          "'" + name.str() + "' was given, input '" + sequence.str() +
          "' has at most " + std::to_string(count.value_or(maximumElements)) +
          " elements");
    if (index)
      length = std::max(length.value_or(0), *index + 1);
    return {};
  };
  for (const auto &[name, shape] : options.inputShapes)
    TILEWRIGHT_RETURN_IF_ERROR(need(name));
  for (const std::string &name : options.givenInputs)
    TILEWRIGHT_RETURN_IF_ERROR(need(name));
  return length;
}

StatusOr<bool> isInputGiven(const ImportOptions &options, StringRef name) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::optional<int64_t> count,
                              givenCount(options, name, 1));
  const bool isNamed = options.inputShapes.count(name.str()) ||
                       options.givenInputs.count(name.str());
  if (isNamed && count == 0)
    return Status::invalidInput("'" + name.str() + "' was given, and '" +
                                lengthName(name) + "' says that it is not");
  return isNamed || count == 1;
}

} // namespace tilewright::onnx
