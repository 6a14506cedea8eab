// Reading JSON with errors that name the location, and printing it to be read.
// For sources only: public headers do not show the JSON library.
#ifndef TILEWRIGHT_RUNTIME_ABI_JSON_H
#define TILEWRIGHT_RUNTIME_ABI_JSON_H

#include "tilewright/manifest/DType.h"
#include "tilewright/manifest/Expression.h"
#include "tilewright/support/Export.h"
#include "tilewright/support/Status.h"
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::runtime {

/// JSON whose objects keep the order in which keys were added.
using Json = nlohmann::ordered_json;

/// Parses `text`, whose lists and objects are nested at most 100 deep. The
/// error has line and column, "FILE:2:3: .." where the file has a name.
TILEWRIGHT_PRIVATE_API StatusOr<Json> parseJson(std::string_view text,
                                                std::string_view file = {});

/// An error where lists and objects of `text` are nested deeper than that; the
/// text need not be valid.
TILEWRIGHT_PRIVATE_API Status checkJsonNesting(std::string_view text,
                                               std::string_view file = {});

/// `value` as an error shows it: at most 60 bytes of a number, a string or a
/// short list, else "a list of 9 values" or "an object".
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
describeJson(const Json &value);

/// Prints `value`: values that fit on a line of 100 columns are on one line.
/// Invalid UTF-8 is replaced. Ends with a newline.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string printJson(const Json &value);

/// A location in a JSON document. Reading an unexpected value stores an error
/// in `error` (the first one stays) and returns a default, so that readers need
/// no check after each step.
class TILEWRIGHT_PRIVATE_API JsonCursor {
public:
  JsonCursor(const Json &read, std::string location, Status &failure)
      : value(&read), path(std::move(location)), error(&failure) {}

  /// The member `key`, which must exist.
  [[nodiscard]] JsonCursor at(std::string_view key) const;
  /// Whether this is an object that has `key`.
  [[nodiscard]] bool has(std::string_view key) const;
  /// Reports members other than `keys`.
  void allowOnly(std::initializer_list<std::string_view> keys) const;
  /// Reports members other than `keys` that say something: not null, false, 0
  /// or empty.
  void allowValuesOnly(std::initializer_list<std::string_view> keys) const;
  /// The elements of an array.
  [[nodiscard]] std::vector<JsonCursor> elements() const;
  /// The members of an object, sorted by key.
  [[nodiscard]] std::vector<std::pair<std::string, JsonCursor>> members() const;

  [[nodiscard]] bool isNull() const { return value->is_null(); }
  [[nodiscard]] std::string string() const;
  [[nodiscard]] bool boolean() const;
  /// A number; "NaN", "Infinity" and "-Infinity" are strings.
  [[nodiscard]] double real() const;
  /// An integer in [least, most].
  [[nodiscard]] int64_t
  integer(int64_t least = std::numeric_limits<int64_t>::min(),
          int64_t most = std::numeric_limits<int64_t>::max()) const;
  /// An integer, or a string in the expression language.
  [[nodiscard]] Expression expression() const;
  [[nodiscard]] std::vector<Expression> expressions() const;
  [[nodiscard]] DType dtype() const;

  /// Stores the error "PATH: expected WHAT, found <this value>".
  void expected(std::string_view what) const;
  /// Stores the error "PATH: MESSAGE".
  void fail(std::string_view message) const;
  [[nodiscard]] bool failed() const { return !error->ok(); }

private:
  const Json *value;
  std::string path;
  Status *error;
};

/// A constant as a JSON integer, anything else as a string.
[[nodiscard]] Json toJson(const Expression &expression);
[[nodiscard]] Json toJson(const std::vector<Expression> &expressions);

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_ABI_JSON_H
