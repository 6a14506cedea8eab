//===- TextArguments.cpp - Words and parameters of a layout's text --------===//
#include "codegen/layout/TextArguments.h"
#include "codegen/layout/Text.h"
#include "support/Format.h"

#include <charconv>

namespace tilewright::layout {

TextArguments::TextArguments(std::string_view text) : text(text) {
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    bool blank = i == text.size() || text[i] == ' ' || text[i] == '\t' ||
                 text[i] == '\n';
    if (!blank)
      continue;
    if (i > begin)
      words.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
}

void TextArguments::fail(std::string_view found, std::string_view expected) {
  if (failed())
    return;
  bool isEnd = found.data() == nullptr || found.empty();
  size_t at = found.data() ? size_t(found.data() - text.data()) : text.size();
  error = format(
      "layout '{}', column {}: expected {}, found {}",
      {text, at + 1, expected, isEnd ? "the end" : format("'{}'", {found})});
}

void TextArguments::failWith(const std::string &reason) {
  if (!failed())
    error = format("layout '{}': {}", {text, reason});
}

std::string_view TextArguments::word(std::string_view expected) {
  if (words.empty() || words.front().find('=') != std::string_view::npos) {
    fail(words.empty() ? std::string_view() : words.front(), expected);
    return {};
  }
  std::string_view taken = words.front();
  words.erase(words.begin());
  return taken;
}

std::string_view TextArguments::rest() {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == "of") {
      std::string_view result =
          text.substr(words[i].data() - text.data() + words[i].size());
      words.resize(i);
      return result;
    }
  fail({}, "'of' and a layout");
  return {};
}

std::string_view TextArguments::value(std::string_view key) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].size() > key.size() && words[i].starts_with(key) &&
        words[i][key.size()] == '=') {
      std::string_view result = words[i].substr(key.size() + 1);
      words.erase(words.begin() + i);
      return result;
    }
  return {};
}

bool TextArguments::has(std::string_view key) const {
  for (std::string_view each : words)
    if (each.size() > key.size() && each.starts_with(key) &&
        each[key.size()] == '=')
      return true;
  return false;
}

bool TextArguments::parseInteger(std::string_view &from, int64_t &value) {
  auto [end, code] =
      std::from_chars(from.data(), from.data() + from.size(), value);
  if (code != std::errc() || value < 0)
    return false;
  from.remove_prefix(end - from.data());
  return true;
}

Dims TextArguments::parseDims(std::string_view from, char separator,
                              std::string_view expected) {
  Dims result;
  std::string_view whole = from;
  while (true) {
    int64_t value = 0;
    if (result.rank() == maxRank || !parseInteger(from, value) ||
        (!from.empty() && from.front() != separator)) {
      fail(from.empty() ? whole : from, expected);
      return result;
    }
    result.append(value);
    if (from.empty())
      return result;
    from.remove_prefix(1);
  }
}

Dims TextArguments::shape(std::string_view key) {
  std::string expected = std::string(key) + "= and a shape such as 128x64";
  if (!has(key)) {
    fail(words.empty() ? std::string_view() : words.front(), expected);
    return {};
  }
  std::string_view found = value(key);
  return found == "scalar" ? Dims() : parseDims(found, 'x', expected);
}

Dims TextArguments::shapeOr(std::string_view key, const Dims &otherwise) {
  return has(key) ? shape(key) : otherwise;
}

Dims TextArguments::listOr(std::string_view key, const Dims &otherwise) {
  if (!has(key))
    return otherwise;
  std::string_view found = value(key);
  return found.empty() ? Dims() : parseDims(found, ',', "integers such as 1,0");
}

std::vector<TextArguments::Digit> TextArguments::digits(std::string_view key) {
  constexpr std::string_view copies = "copies";
  std::vector<Digit> result;
  std::string_view whole = value(key), from = whole;
  while (!from.empty() && !failed()) {
    Digit digit{0, 1};
    bool isCopies = from.starts_with(copies);
    if (isCopies) {
      from.remove_prefix(copies.size());
      digit.dim = Repeats::copies;
    }
    bool isInteger = parseInteger(from, isCopies ? digit.count : digit.dim);
    bool ends = from.empty() || (from.front() == ',' && from.size() > 1);
    if (!isInteger || !ends || result.size() == maxRank)
      fail(from.empty() ? whole : from, "digits such as 1,copies4,0");
    result.push_back(digit);
    from.remove_prefix(from.empty() ? 0 : 1);
  }
  return result;
}

int64_t TextArguments::integerOr(std::string_view key, int64_t otherwise) {
  if (!has(key))
    return otherwise;
  std::string_view found = value(key), rest = found;
  int64_t result = 0;
  if (!parseInteger(rest, result) || !rest.empty())
    fail(found, "an integer");
  return result;
}

Dims TextArguments::shapeWord() {
  std::string_view found = word("a shape such as 128x64");
  if (failed() || found == "scalar")
    return {};
  return parseDims(found, 'x', "a shape such as 128x64");
}

unsigned TextArguments::elementBits() {
  constexpr std::string_view expected =
      "an element type such as f32, bf16, f8E4M3FN or i8";
  std::string_view found = word(expected);
  unsigned bits = elementTypeBits(found);
  if (!failed() && !bits)
    fail(found, expected);
  return bits;
}

std::vector<Dims> TextArguments::columns(std::string_view key, unsigned rank) {
  std::vector<Dims> result;
  std::string expected =
      format("columns of {} coordinates, such as (0,1),(0,2)", {rank});
  if (!has(key))
    return result;
  std::string_view rest = value(key);
  while (!failed()) {
    size_t close = rest.find(')');
    if (rest.empty() || rest.front() != '(' || close == rest.npos) {
      fail(rest, expected);
      break;
    }
    std::string_view inside = rest.substr(1, close - 1);
    result.push_back(inside.empty() ? Dims()
                                    : parseDims(inside, ',', expected));
    if (result.back().rank() != rank)
      fail(rest.substr(0, close + 1), expected);
    if (result.size() > 40)
      fail(rest, "at most 40 columns");
    rest.remove_prefix(close + 1);
    if (rest.empty())
      break;
    if (rest.front() != ',')
      fail(rest, "',' or the end");
    rest.remove_prefix(1);
  }
  return result;
}

void TextArguments::finish() {
  if (!words.empty())
    fail(words.front(), "no more parameters");
}

} // namespace tilewright::layout
