// Common parts of our HTML pages. Each is one self-contained file.
#ifndef TILEWRIGHT_SUPPORT_HTML_H
#define TILEWRIGHT_SUPPORT_HTML_H

#include "support/Markup.h"
#include "tilewright/support/Export.h"

namespace tilewright::html {

using markup::Markup;

/// The contents of a page's <head>: its title, and the style sheet of all
/// pages.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup headContent(const Markup &title);
/// The whole file, around its <head> and <body>.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
document(const Markup &content);

/// A row of a table, on a separate line.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup row(const Markup &cells);
/// A cell of the class `kind`; without a class if that is empty.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup cell(const Markup &content,
                                                 std::string_view kind = "");
/// The same for the head of a column or row.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup
headCell(const Markup &content, std::string_view kind = "");

/// A large number above its meaning: of the class "card".
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup card(const Markup &figure,
                                                 const Markup &meaning);

} // namespace tilewright::html

#endif // TILEWRIGHT_SUPPORT_HTML_H
