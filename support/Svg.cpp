#include "support/Svg.h"

namespace tilewright::svg {

using namespace markup;

static Attributes joinedTo(Attributes first, const Attributes &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Attribute viewBox(const Pixels &width, const Pixels &height) {
  return {"viewBox", "0 0 " + width.str() + " " + height.str()};
}

Markup picture(const Attributes &attributes, const Markup &content) {
  return line(element(
      "svg", joinedTo({{"xmlns", "http://www.w3.org/2000/svg"}}, attributes),
      line() + content));
}

Markup rectangle(const Pixels &x, const Pixels &y, const Pixels &width,
                 const Pixels &height, const Attributes &attributes) {
  return line(emptyElement("rect", joinedTo({{"x", x.str()},
                                             {"y", y.str()},
                                             {"width", width.str()},
                                             {"height", height.str()}},
                                            attributes)));
}

Markup text(const Pixels &x, const Pixels &y, const Attributes &attributes,
            const Markup &words) {
  return line(element(
      "text", joinedTo({{"x", x.str()}, {"y", y.str()}}, attributes), words));
}

Markup path(std::span<const std::pair<double, double>> points,
            const Attributes &attributes) {
  std::string steps;
  for (auto [x, y] : points)
    steps +=
        (steps.empty() ? "M" : "L") + Pixels(x).str() + " " + Pixels(y).str();
  return line(emptyElement("path", joinedTo({{"d", steps}}, attributes)));
}

} // namespace tilewright::svg
