#include "tileir/diagnostics/TextTokens.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace tilewright {

static bool isNamePart(char c) { return isAlnum(c) || c == '_' || c == '$'; }

/// The length of a string with its quotes, or of what there is of it.
static size_t lengthOfString(StringRef rest) {
  // Weights are strings of many megabytes.
  size_t end = rest.find_first_of("\"\n\\", 1);
  while (end < rest.size() && rest[end] == '\\')
    end = rest.find_first_of("\"\n\\", end + 2);
  return end < rest.size() ? end + 1 : rest.size();
}

/// The length of the token that a text begins with.
static size_t lengthOfToken(StringRef rest) {
  if (rest.empty())
    return 0;
  if (rest.front() == '"')
    return lengthOfString(rest);
  if (rest.starts_with("->") || rest.starts_with(">="))
    return 2;
  const bool hasSign = StringRef("%#!@^").contains(rest.front());
  if (hasSign && rest.substr(1).starts_with("\""))
    return 1 + lengthOfString(rest.substr(1));
  if (!hasSign && !isNamePart(rest.front()))
    return 1;
  auto isPart = [hasSign](char c) {
    return isNamePart(c) || c == '.' || (hasSign && c == '-');
  };
  return std::min(rest.find_if_not(isPart, 1), rest.size());
}

StringRef TextTokens::peek() const {
  return text.substr(at, lengthOfToken(text.substr(at)));
}

StringRef TextTokens::next() {
  const StringRef token = peek();
  at += token.size();
  skipBlanks();
  return token;
}

bool TextTokens::consume(StringRef token) {
  if (peek() != token)
    return false;
  next();
  return true;
}

static bool isOpenBracket(StringRef token) {
  return token == "(" || token == "[" || token == "{" || token == "<";
}
static bool isCloseBracket(StringRef token) {
  return token == ")" || token == "]" || token == "}" || token == ">";
}

StringRef TextTokens::skipBrackets() {
  const size_t begin = at;
  for (size_t depth = 1; at < text.size();) {
    const size_t end = at;
    const StringRef token = next();
    depth += isOpenBracket(token);
    depth -= isCloseBracket(token);
    if (depth == 0)
      return text.slice(begin, end);
  }
  return text.substr(begin);
}

size_t TextTokens::position() const {
  return std::min(at, text.empty() ? 0 : text.size() - 1);
}

void TextTokens::skipBlanks() {
  for (; at < text.size(); ++at) {
    if (text.substr(at).starts_with("//"))
      at = std::min(text.find('\n', at), text.size() - 1);
    else if (!isSpace(text[at]))
      return;
  }
}

} // namespace tilewright
