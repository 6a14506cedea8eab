// Whatever the texts, tags are balanced and no text is a tag.
#include "support/Markup.h"

#include <catch2/catch.hpp>
#include <optional>
#include <random>

using namespace tilewright::markup;

TEST_CASE("markup: texts are escaped") {
  CHECK(Markup("a<b & 'c' > \"d\"\n\x01").str() ==
        "a&lt;b &amp; &#39;c&#39; &gt; &quot;d&quot;  ");
  CHECK(Markup("größe\x7f").str() == "größe ");
}

TEST_CASE("markup: literal texts keep tabs and apostrophes") {
  CHECK(Markup::literal("ld.b32 %r1,\t[a'];\t// a<b & \"c\" > d").str() ==
        "ld.b32 %r1,\t[a'];\t// a&lt;b &amp; &quot;c&quot; &gt; d");
}

TEST_CASE("markup: elements, with their attributes in order") {
  CHECK(element("b", {}).str() == "<b></b>");
  CHECK(element("td", {{"class", "n"}, {"data-v", "1"}}, "x").str() ==
        "<td class=\"n\" data-v=\"1\">x</td>");
  CHECK(emptyElement("rect", {{"width", "4"}}).str() == "<rect width=\"4\"/>");
  CHECK(voidElement("meta", {{"charset", "utf-8"}}).str() ==
        "<meta charset=\"utf-8\">");
  CHECK(verbatimElement("style", "a > b { }").str() ==
        "<style>a > b { }</style>");
  CHECK(line(element("tr", "a" + element("b", "c") + "d")).str() ==
        "<tr>a<b>c</b>d</tr>\n");
}

TEST_CASE("markup: an attribute cannot end early") {
  CHECK(element("a", {{"title", "\"><script>'&"}}, "").str() ==
        "<a title=\"&quot;&gt;&lt;script&gt;&#39;&amp;\"></a>");
}

/// Elements and texts at random. Counts the elements.
static Markup randomMarkup(std::mt19937 &random, int depth, size_t &elements) {
  static constexpr std::string_view texts[] = {
      "a", "<b>", "</b>", "\">", "'", "&lt;", "-->", "/>", "<!--", "\t\n"};
  auto text = [&] { return texts[random() % std::size(texts)]; };
  Markup content;
  for (unsigned parts = random() % 4; parts > 0; --parts) {
    Attributes attributes;
    for (unsigned count = random() % 3; count > 0; --count)
      attributes.emplace_back("title", text());
    const unsigned kind = random() % 4;
    elements += kind > 1;
    if (kind == 0)
      content += text();
    else if (kind == 1)
      content += Markup::literal(text());
    else if (kind == 2 || depth == 0)
      content += emptyElement("rect", attributes);
    else
      content += element(random() % 2 ? "b" : "td", attributes,
                         randomMarkup(random, depth - 1, elements));
  }
  return content;
}

/// The number of elements; none where the tags are not balanced. It ignores
/// escaping: each '<' begins a tag, each quote ends a value.
static std::optional<size_t> elementsOf(const std::string &text) {
  std::vector<std::string> open;
  size_t elements = 0;
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos;) {
    size_t end = at + 1;
    for (bool isQuoted = false; end < text.size(); ++end) {
      isQuoted ^= text[end] == '"';
      if (!isQuoted && text[end] == '>')
        break;
    }
    std::string tag = text.substr(at + 1, end - at - 1);
    std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    at = end;
    elements += tag[0] != '/';
    if (tag[0] != '/' && tag.back() != '/') {
      open.push_back(name);
    } else if (tag[0] == '/') {
      if (open.empty() || "/" + open.back() != name)
        return std::nullopt;
      open.pop_back();
    }
  }
  return open.empty() ? std::optional(elements) : std::nullopt;
}

TEST_CASE("markup: tags are balanced") {
  const unsigned seed = GENERATE(range(0u, 200u));
  std::mt19937 random(seed);
  size_t elements = 0;
  const std::string text = randomMarkup(random, 5, elements).str();
  INFO("seed " << seed << ": " << text);
  CHECK(elementsOf(text) == elements);
}
