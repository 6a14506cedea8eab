#include "support/Html.h"

#include "support/HtmlStyle.h"

namespace tilewright::html {

using namespace markup;

Markup headContent(const Markup &title) {
  return line(voidElement("meta", {{"charset", "utf-8"}})) +
         line(voidElement(
             "meta", {{"name", "viewport"},
                      {"content", "width=device-width, initial-scale=1"}})) +
         line(element("title", title)) + verbatimElement("style", pageStyle);
}

std::string document(const Markup &content) {
  return "<!DOCTYPE html>\n" +
         line(element("html", {{"lang", "en"}}, content)).str();
}

static Attributes ofKind(std::string_view kind) {
  return kind.empty() ? Attributes() : Attributes{{"class", kind}};
}

Markup row(const Markup &cells) { return line(element("tr", cells)); }

Markup cell(const Markup &content, std::string_view kind) {
  return element("td", ofKind(kind), content);
}

Markup headCell(const Markup &content, std::string_view kind) {
  return element("th", ofKind(kind), content);
}

Markup card(const Markup &figure, const Markup &meaning) {
  return element("div", {{"class", "card"}},
                 element("b", figure) + element("span", meaning));
}

} // namespace tilewright::html
