#include "spatial/program/LineScanner.h"

#include "support/Format.h"
#include <algorithm>
#include <charconv>

namespace tilewright::spatial {

static bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isNameCharacter(char c) {
  return isDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_';
}

void LineScanner::fail(std::string message) {
  if (error.ok())
    error = Status::invalidInput(std::move(message));
}

void LineScanner::failExpected(std::string_view what) {
  if (failed())
    return;
  size_t end = 0;
  while (end < rest.size() && end < 24 && !isBlank(rest[end]))
    ++end;
  std::string found(rest.substr(0, end));
  for (char &c : found) // Text that a terminal can show.
    if (c < ' ' || c > '~')
      c = '?';
  fail(found.empty() ? format("expected {} at the end of the line", {what})
                     : format("expected {}, found '{}'", {what, found}));
}

void LineScanner::skipBlanks() {
  size_t at = 0;
  while (at < rest.size() && isBlank(rest[at]))
    ++at;
  rest.remove_prefix(at);
}

bool LineScanner::atEnd() {
  skipBlanks();
  return rest.empty();
}

bool LineScanner::acceptHere(std::string_view text) {
  if (!rest.starts_with(text))
    return false;
  rest.remove_prefix(text.size());
  return true;
}

bool LineScanner::accept(std::string_view word) {
  skipBlanks();
  if (!rest.starts_with(word) ||
      (rest.size() > word.size() && !isBlank(rest[word.size()])))
    return false;
  rest.remove_prefix(word.size());
  return true;
}

void LineScanner::expect(std::string_view word) {
  if (!accept(word))
    failExpected(format("'{}'", {word}));
}

void LineScanner::expectHere(std::string_view text) {
  if (!acceptHere(text))
    failExpected(format("'{}'", {text}));
}

std::string_view LineScanner::word() {
  skipBlanks();
  size_t end = 0;
  while (end < rest.size() && !isBlank(rest[end]))
    ++end;
  std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end);
  return taken;
}

std::string_view LineScanner::identifier() {
  size_t end = 0;
  while (end < rest.size() && isNameCharacter(rest[end]))
    ++end;
  std::string_view taken = rest.substr(0, end);
  if (taken.empty())
    failExpected("a name");
  rest.remove_prefix(end);
  return taken;
}

int64_t LineScanner::natural(int64_t most) {
  int64_t value = 0;
  size_t end = 0;
  for (; end < rest.size() && isDigit(rest[end]); ++end) {
    value = 10 * value + (rest[end] - '0');
    if (value > most) {
      fail(format("expected a number of at most {}, found '{}'",
                  {most == mostLineNumber ? "2^40" : std::to_string(most),
                   rest.substr(0, 24)}));
      return 0;
    }
  }
  if (end == 0)
    failExpected("a number");
  rest.remove_prefix(end);
  return value;
}

Affine LineScanner::affine() {
  const int64_t start = natural(mostLineIndex);
  int64_t step = 0;
  if (acceptHere("-"))
    step = -natural(mostLineIndex);
  else if (acceptHere("+"))
    step = acceptHere("-") ? -natural(mostLineIndex) : natural(mostLineIndex);
  return {start, step};
}

VectorName LineScanner::vectorName() {
  std::string_view name = identifier();
  VectorName vector;
  if (failed())
    return vector;
  std::optional<uint32_t> value = names.value(name);
  if (!value) {
    fail(format("the manifest has no value '{}'", {name.substr(0, 60)}));
    return vector;
  }
  vector.value = *value;
  expectHere("[");
  vector.index = affine();
  expectHere("]");
  return vector;
}

bool LineScanner::atStreams() const {
  return rest.size() > 1 && (rest[0] == 'e' || rest[0] == 'w') &&
         isDigit(rest[1]);
}

StreamList LineScanner::streams() {
  StreamList list;
  skipBlanks();
  do {
    Stream stream;
    if (acceptHere("w"))
      stream.direction = Direction::west;
    else if (!acceptHere("e"))
      failExpected("a stream (e0, w3)");
    int64_t number = natural();
    if (number > std::numeric_limits<uint16_t>::max())
      fail(format("expected a stream of at most 65535, found {}", {number}));
    stream.number = static_cast<uint16_t>(number);
    list.push_back(stream);
  } while (!failed() && acceptHere(","));
  return list;
}

Port LineScanner::streamOperand() {
  Port port;
  port.streams = streams();
  expectHere(":");
  port.name = vectorName();
  return port;
}

Affine LineScanner::row() {
  skipBlanks();
  if (!acceptHere("r"))
    failExpected("a row (r0)");
  return affine();
}

int16_t LineScanner::plane() {
  expectHere(".");
  return static_cast<int16_t>(natural(INT16_MAX));
}

double LineScanner::number() {
  double value = 0;
  const char *begin = rest.data(), *end = begin + rest.size();
  auto [at, code] = std::from_chars(begin, end, value);
  if (code != std::errc() || (at != end && !isBlank(*at))) {
    failExpected("a number that a double holds");
    return 0;
  }
  rest.remove_prefix(static_cast<size_t>(at - begin));
  return value;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

NameTable::NameTable(const Schedule &schedule) {
  values.reserve(schedule.values.size());
  for (size_t i = 0; i < schedule.values.size(); ++i)
    values.emplace(schedule.values[i].name, static_cast<uint32_t>(i));
  for (size_t i = 0; i < schedule.maps.size(); ++i)
    maps.emplace(schedule.maps[i].name, static_cast<uint32_t>(i));
}

std::optional<uint32_t> NameTable::find(const Indices &indices,
                                        std::string_view name) {
  auto found = indices.find(name);
  if (found == indices.end())
    return std::nullopt;
  return found->second;
}

std::optional<uint32_t> NameTable::value(std::string_view name) const {
  return find(values, name);
}

std::optional<uint32_t> NameTable::map(std::string_view name) const {
  return find(maps, name);
}

} // namespace tilewright::spatial
