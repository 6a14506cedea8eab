// The elements of HTML and SVG, as values. Html.h and Svg.h build on them.
#ifndef TILEWRIGHT_SUPPORT_MARKUP_H
#define TILEWRIGHT_SUPPORT_MARKUP_H

#include "tilewright/support/Export.h"
#include "tilewright/support/Language.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::markup {

/// A name, which is not escaped, and a value, which is.
struct Attribute {
  Attribute(std::string_view name, std::string_view value)
      : name(name), value(value) {}
  std::string name, value;
};
/// They are written in this order.
using Attributes = std::vector<Attribute>;

/// A sequence of texts and elements. It is made of nothing but escaped text and
/// whole elements, so its tags are balanced and no text can be a tag.
class TILEWRIGHT_PRIVATE_API Markup {
public:
  Markup() = default;
  /// A text: & < > " ' are escaped; control characters, which XML does not
  /// have, become blanks.
  Markup(std::string_view text);
  Markup(const std::string &text) : Markup(std::string_view(text)) {}
  Markup(const char *text) : Markup(std::string_view(text)) {}
  /// The same, but tabs and apostrophes stay as they are: for code, and for
  /// sentences of the program. Only & < > " are escaped.
  static Markup literal(std::string_view text);

  Markup &operator+=(const Markup &more) {
    content += more.content;
    return *this;
  }
  friend Markup operator+(Markup first, const Markup &second) {
    return std::move(first += second);
  }

  [[nodiscard]] bool empty() const { return content.empty(); }
  [[nodiscard]] const std::string &str() const { return content; }

private:
  friend Markup element(std::string_view name, const Attributes &attributes,
                        const Markup &content);
  friend Markup emptyElement(std::string_view name,
                             const Attributes &attributes);
  friend Markup voidElement(std::string_view name,
                            const Attributes &attributes);
  friend Markup verbatimElement(std::string_view name,
                                std::string_view content);
  friend Markup line(Markup content);
  std::string content;
};

/// `<NAME ATTRIBUTES>CONTENT</NAME>`.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup element(
    std::string_view name, const Attributes &attributes, const Markup &content);
[[nodiscard]] inline Markup element(std::string_view name,
                                    const Markup &content) {
  return element(name, {}, content);
}
/// `<NAME ATTRIBUTES/>`, for elements of SVG that have no content.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup
emptyElement(std::string_view name, const Attributes &attributes);
/// `<NAME ATTRIBUTES>`, for those elements of HTML that have no end tag:
/// "meta".
[[nodiscard]] Markup voidElement(std::string_view name,
                                 const Attributes &attributes);
/// For <style> and <script>, in which nothing is escaped: `content` is a
/// constant of the program and does not contain "</".
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup
verbatimElement(std::string_view name, std::string_view content);

/// `content` and the end of the line.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup line(Markup content = {});

} // namespace tilewright::markup

#endif // TILEWRIGHT_SUPPORT_MARKUP_H
