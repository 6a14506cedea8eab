#include "runtime/abi/Json.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::runtime {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Records where parsing fails, which the parser reports only to its handler.
struct ErrorPosition : nlohmann::json_sax<Json> {
  size_t position = 0;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t at, const std::string &,
                   const nlohmann::detail::exception &) override {
    position = at;
    return false;
  }
};
} // namespace

/// Of lists and objects in each other. What reads, copies or prints values is
/// recursive.
constexpr size_t maxNesting = 100;

/// The position of the first bracket that is nested too deep; else nothing.
static std::optional<size_t> findDeepBracket(std::string_view text) {
  size_t depth = 0;
  bool isInString = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"')
      isInString = !isInString;
    else if (isInString)
      i += c == '\\';
    else if (c == '[' || c == '{')
      ++depth;
    else if (depth && (c == ']' || c == '}'))
      --depth;
    if (depth > maxNesting)
      return i;
  }
  return std::nullopt;
}

/// An error at the byte `position` of `text`.
static Status errorAt(std::string_view file, std::string_view text,
                      size_t position, std::string_view message) {
  std::string_view before = text.substr(0, position);
  auto line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t lineStart = before.rfind('\n');
  size_t column =
      before.size() - (lineStart == std::string_view::npos ? 0 : lineStart + 1);
  return Status::invalidInput(
      file.empty()
          ? format("{} at line {}, column {}", {message, line, column + 1})
          : format("{}:{}:{}: {}", {file, line, column + 1, message}));
}

Status checkJsonNesting(std::string_view text, std::string_view file) {
  if (std::optional<size_t> deep = findDeepBracket(text))
    return errorAt(file, text, *deep,
                   format("expected lists and objects nested at most {} deep, "
                          "found more",
                          {maxNesting}));
  return {};
}

StatusOr<Json> parseJson(std::string_view text, std::string_view file) {
  TILEWRIGHT_RETURN_IF_ERROR(checkJsonNesting(text, file));
  Json value = Json::parse(text, nullptr, false);
  if (!value.is_discarded())
    return value;
  ErrorPosition handler;
  Json::sax_parse(text, &handler);
  size_t at = std::min(handler.position, text.size());
  return errorAt(file, text, at ? at - 1 : 0, "not valid JSON");
}

static std::string compact(const Json &value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// `text`, or its beginning.
static std::string clipped(std::string text) {
  constexpr size_t most = 60;
  if (text.size() <= most)
    return text;
  size_t end = most - 3;
  while (end && (text[end] & 0xC0) == 0x80) // Within a character.
    --end;
  return text.substr(0, end) + "...";
}

std::string describeJson(const Json &value) {
  constexpr size_t mostShown = 8;
  if (value.is_object())
    return "an object";
  if (!value.is_array())
    return clipped(compact(value));
  const bool isShown =
      value.size() <= mostShown && std::ranges::none_of(value, [](auto &item) {
        return item.is_structured();
      });
  return isShown ? clipped(compact(value))
                 : "a list of " + counted(value.size(), "value");
}

/// One line with blanks after commas and colons.
static std::string oneLine(const Json &value) {
  if (!value.is_structured())
    return compact(value);
  std::string out = value.is_object() ? "{" : "[";
  for (auto item = value.begin(); item != value.end(); ++item) {
    out += item == value.begin() ? "" : ", ";
    if (value.is_object())
      out += compact(item.key()) + ": ";
    out += oneLine(*item);
  }
  return out + (value.is_object() ? "}" : "]");
}

static void printInto(const Json &value, size_t indent, size_t used,
                      std::string &out) {
  constexpr size_t columns = 100;
  std::string line = oneLine(value);
  if (!value.is_structured() || value.empty() ||
      (indent > 0 && indent + used + line.size() < columns)) {
    out += line;
    return;
  }
  out += value.is_object() ? "{" : "[";
  for (auto item = value.begin(); item != value.end(); ++item) {
    out += item == value.begin() ? "\n" : ",\n";
    out.append(indent + 1, ' ');
    std::string key =
        value.is_object() ? compact(item.key()) + ": " : std::string();
    out += key;
    printInto(*item, indent + 1, key.size(), out);
  }
  out += "\n";
  out.append(indent, ' ');
  out += value.is_object() ? "}" : "]";
}

std::string printJson(const Json &value) {
  std::string out;
  printInto(value, 0, 0, out);
  return out + "\n";
}

//===----------------------------------------------------------------------===//
// JsonCursor
//===----------------------------------------------------------------------===//

void JsonCursor::fail(std::string_view message) const {
  if (error->ok())
    *error =
        Status::invalidInput(path.empty() ? std::string(message)
                                          : format("{}: {}", {path, message}));
}

void JsonCursor::expected(std::string_view what) const {
  fail(format("expected {}, found {}", {what, describeJson(*value)}));
}

bool JsonCursor::has(std::string_view key) const {
  return value->is_object() && value->contains(key);
}

static std::string join(const std::string &path, std::string_view key) {
  return path.empty() ? std::string(key) : format("{}.{}", {path, key});
}

JsonCursor JsonCursor::at(std::string_view key) const {
  static const Json null;
  JsonCursor member(null, join(path, key), *error);
  if (!value->is_object())
    expected("an object");
  else if (auto found = value->find(key); found != value->end())
    member.value = &*found;
  else
    member.fail("is missing");
  return member;
}

void JsonCursor::allowOnly(std::initializer_list<std::string_view> keys) const {
  if (!value->is_object())
    return expected("an object");
  for (auto item = value->begin(); item != value->end(); ++item) {
    if (std::find(keys.begin(), keys.end(), item.key()) != keys.end())
      continue;
    return fail(format("unknown key '{}'; the keys are {}",
                       {item.key(), joined(keys)}));
  }
}

void JsonCursor::allowValuesOnly(
    std::initializer_list<std::string_view> keys) const {
  if (!value->is_object())
    return expected("an object");
  for (auto item = value->begin(); item != value->end(); ++item) {
    const Json &found = *item;
    bool isEmpty =
        found.is_null() || found == false || found == 0 ||
        (found.is_string() && found.get_ref<const std::string &>().empty()) ||
        (found.is_structured() && found.empty());
    if (!isEmpty &&
        std::find(keys.begin(), keys.end(), item.key()) == keys.end())
      return fail(format("unknown key '{}' with the value {}",
                         {item.key(), describeJson(found)}));
  }
}

std::vector<JsonCursor> JsonCursor::elements() const {
  std::vector<JsonCursor> result;
  if (!value->is_array()) {
    expected("a list");
    return result;
  }
  for (size_t i = 0; i < value->size(); ++i)
    result.emplace_back((*value)[i], format("{}[{}]", {path, i}), *error);
  return result;
}

std::vector<std::pair<std::string, JsonCursor>> JsonCursor::members() const {
  std::vector<std::pair<std::string, JsonCursor>> result;
  if (!value->is_object()) {
    expected("an object");
    return result;
  }
  for (auto item = value->begin(); item != value->end(); ++item)
    result.emplace_back(item.key(),
                        JsonCursor(*item, join(path, item.key()), *error));
  std::sort(result.begin(), result.end(),
            [](const auto &a, const auto &b) { return a.first < b.first; });
  return result;
}

std::string JsonCursor::string() const {
  if (value->is_string())
    return value->get<std::string>();
  expected("a string");
  return {};
}

bool JsonCursor::boolean() const {
  if (value->is_boolean())
    return value->get<bool>();
  expected("true or false");
  return false;
}

double JsonCursor::real() const {
  if (value->is_number())
    return value->get<double>();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (*value == "Infinity")
    return infinity;
  if (*value == "-Infinity")
    return -infinity;
  if (*value == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  expected("a number");
  return 0;
}

int64_t JsonCursor::integer(int64_t least, int64_t most) const {
  bool fits = value->is_number_integer();
  if (value->is_number_unsigned())
    fits =
        value->get<uint64_t>() <= uint64_t(std::numeric_limits<int64_t>::max());
  if (fits) {
    int64_t result = value->get<int64_t>();
    if (result >= least && result <= most)
      return result;
  }
  bool atMost = most != std::numeric_limits<int64_t>::max();
  bool atLeast = least != std::numeric_limits<int64_t>::min();
  std::string what = "an integer";
  if (atMost)
    what += format(" from {} to {}", {least, most});
  else if (atLeast)
    what += format(" of at least {}", {least});
  expected(what);
  return std::max<int64_t>(0, least);
}

Expression JsonCursor::expression() const {
  if (value->is_string()) {
    StatusOr<Expression> parsed =
        Expression::parse(value->get_ref<const std::string &>());
    if (parsed.ok())
      return *parsed;
    fail(parsed.status().message());
    return {};
  }
  if (value->is_number_integer())
    return integer();
  expected("an integer or an expression");
  return {};
}

std::vector<Expression> JsonCursor::expressions() const {
  std::vector<Expression> result;
  for (const JsonCursor &element : elements())
    result.push_back(element.expression());
  return result;
}

DType JsonCursor::dtype() const {
  if (value->is_string())
    if (std::optional<DType> dtype =
            dtypeFromName(value->get_ref<const std::string &>()))
      return *dtype;
  expected(
      format("a dtype ({})", {joined(allDTypes(), ", ", &DTypeInfo::name)}));
  return DType::F32;
}

Json toJson(const Expression &expression) {
  if (std::optional<int64_t> value = expression.constant())
    return *value;
  return expression.str();
}

Json toJson(const std::vector<Expression> &expressions) {
  Json list = Json::array();
  for (const Expression &expression : expressions)
    list.push_back(toJson(expression));
  return list;
}

} // namespace tilewright::runtime
