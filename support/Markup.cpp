#include "support/Markup.h"

#include <algorithm>
#include <cassert>
#include <cctype>

namespace tilewright::markup {

static const char *entity(char c) {
  switch (c) {
  case '&':
    return "&amp;";
  case '<':
    return "&lt;";
  case '>':
    return "&gt;";
  case '"':
    return "&quot;";
  default:
    return nullptr;
  }
}

static void appendText(std::string &out, std::string_view text) {
  for (char c : text) {
    const bool isControl = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (const char *escaped = c == '\'' ? "&#39;" : entity(c))
      out += escaped;
    else
      out += isControl ? ' ' : c;
  }
}

Markup::Markup(std::string_view text) { appendText(content, text); }

Markup Markup::literal(std::string_view text) {
  Markup made;
  for (char c : text) {
    if (const char *escaped = entity(c))
      made.content += escaped;
    else
      made.content += c;
  }
  return made;
}

/// Names are constants of the program: "td", "font-size", "data-v".
[[maybe_unused]] static bool isName(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) || c == '-' || c == ':';
  });
}

/// Without the '>'.
static std::string tagStart(std::string_view name,
                            const Attributes &attributes) {
  assert(isName(name) && "not a name of an element");
  std::string tag = "<" + std::string(name);
  for (const Attribute &attribute : attributes) {
    assert(isName(attribute.name) && "not a name of an attribute");
    tag += " " + attribute.name + "=\"";
    appendText(tag, attribute.value);
    tag += "\"";
  }
  return tag;
}

static std::string endTag(std::string_view name) {
  return "</" + std::string(name) + ">";
}

Markup element(std::string_view name, const Attributes &attributes,
               const Markup &content) {
  Markup made;
  made.content =
      tagStart(name, attributes) + ">" + content.content + endTag(name);
  return made;
}

Markup emptyElement(std::string_view name, const Attributes &attributes) {
  Markup made;
  made.content = tagStart(name, attributes) + "/>";
  return made;
}

Markup voidElement(std::string_view name, const Attributes &attributes) {
  // Of the void elements of the HTML standard only this one is in use.
  assert(name == "meta" && "an element that has an end tag");
  Markup made;
  made.content = tagStart(name, attributes) + ">";
  return made;
}

Markup verbatimElement(std::string_view name, std::string_view content) {
  assert(content.find("</") == content.npos && "ends the element too early");
  Markup made;
  made.content = tagStart(name, {}) + ">" + std::string(content) + endTag(name);
  return made;
}

Markup line(Markup content) {
  content.content += "\n";
  return content;
}

} // namespace tilewright::markup
