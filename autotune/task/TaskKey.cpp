#include "autotune/task/TaskKey.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

namespace tilewright::autotune {

/// 32 hexadecimal digits.
static std::string hashOf(std::initializer_list<llvm::StringRef> parts) {
  llvm::BLAKE3 hasher;
  for (llvm::StringRef part : parts) {
    uint64_t size = part.size();
    hasher.update({reinterpret_cast<const uint8_t *>(&size), sizeof size});
    hasher.update(part);
  }
  return llvm::toHex(hasher.final<16>(), /*LowerCase=*/true);
}

/// The text with "?" for the sizes in shapes: of <64x128xf32>.
static std::string withoutSizes(llvm::StringRef code) {
  std::string text;
  while (!code.empty()) {
    size_t digits = code.take_while(llvm::isDigit).size();
    bool startsSize =
        !text.empty() && (text.back() == '<' || text.back() == 'x');
    if (digits != 0 && startsSize && code.drop_front(digits).starts_with("x")) {
      text += '?';
      code = code.drop_front(digits);
    } else {
      size_t count = std::max<size_t>(digits, 1);
      text += code.take_front(count);
      code = code.drop_front(count);
    }
  }
  return text;
}

std::string withOldNames(std::string_view from) {
  auto isOfName = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '.';
  };
  std::string text;
  for (llvm::StringRef code = from;;) {
    size_t start = code.find("tile.");
    text += code.take_front(start);
    if (start == llvm::StringRef::npos)
      return text;
    const bool isWhole = text.empty() || !isOfName(text.back());
    llvm::StringRef name = code.drop_front(start).take_while(isOfName);
    code = code.drop_front(start + name.size());
    if (isWhole &&
        (name == "tile.name" || name == "tile.dims" || name == "tile.value")) {
      text += "graph";
      name = name.substr(name.find('.'));
    }
    text += name;
  }
}

std::string taskKey(const TaskRecord &record) {
  return hashOf({record.target, withOldNames(record.code), record.arguments});
}

std::string familyKey(const TaskRecord &record) {
  return hashOf({record.target, withoutSizes(withOldNames(record.code))});
}

void completeKey(TaskRecord &record, std::span<const TaskTensor> tensors) {
  record.task = taskKey(record);
  record.family = familyKey(record);
  record.shape.clear();
  for (const TaskTensor &tensor : tensors)
    record.shape.insert(record.shape.end(), tensor.shape.begin(),
                        tensor.shape.end());
}

} // namespace tilewright::autotune
