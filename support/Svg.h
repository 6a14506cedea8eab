// Pictures as SVG: plots and drawings.
#ifndef TILEWRIGHT_SUPPORT_SVG_H
#define TILEWRIGHT_SUPPORT_SVG_H

#include "support/Format.h"
#include "support/Markup.h"
#include "tilewright/support/Export.h"

#include <span>

namespace tilewright::svg {

using markup::Attribute;
using markup::Attributes;
using markup::Markup;

/// A coordinate or a length in pixels: whole numbers as they are, others to a
/// tenth of a pixel.
class Pixels {
public:
  Pixels(std::integral auto whole) : written(std::to_string(whole)) {}
  Pixels(std::floating_point auto value) : written(formatFixed(value, 1)) {}
  [[nodiscard]] const std::string &str() const { return written; }

private:
  std::string written;
};

/// What the picture shows of the plane: from 0, 0 to these.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Attribute viewBox(const Pixels &width,
                                                       const Pixels &height);

/// A whole <svg> element that can be a separate file.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup
picture(const Attributes &attributes, const Markup &content);

// Shapes, each on a separate line. `attributes` follow those of the position.

[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup
rectangle(const Pixels &x, const Pixels &y, const Pixels &width,
          const Pixels &height, const Attributes &attributes);
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup text(const Pixels &x,
                                                 const Pixels &y,
                                                 const Attributes &attributes,
                                                 const Markup &words);
/// Straight lines from each point to the next.
[[nodiscard]] TILEWRIGHT_PRIVATE_API Markup
path(std::span<const std::pair<double, double>> points,
     const Attributes &attributes);

} // namespace tilewright::svg

#endif // TILEWRIGHT_SUPPORT_SVG_H
