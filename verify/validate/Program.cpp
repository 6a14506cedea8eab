#include "verify/validate/Program.h"

#include "support/Format.h"
#include <algorithm>
#include <map>

namespace tilewright::verify {

bool takes(const Port &port, const runtime::HostTensor &tensor) {
  return tensor.dtype() == port.dtype &&
         std::ranges::equal(tensor.shape(), port.shape,
                            [](int64_t size, int64_t wanted) {
                              return wanted < 0 || size == wanted;
                            });
}

std::string findDisagreement(std::span<const Port> ports,
                             std::span<const runtime::HostTensor> inputs) {
  std::map<std::string_view, int64_t> sizes;
  for (size_t i = 0; i < inputs.size(); ++i)
    for (size_t d = 0; d < ports[i].sizeNames.size(); ++d) {
      const std::string &name = ports[i].sizeNames[d];
      if (name.empty())
        continue;
      const int64_t size = inputs[i].shape()[d];
      const auto [known, isNew] = sizes.try_emplace(name, size);
      if (known->second != size)
        return format("the inputs disagree on {}: {} and {}",
                      {name, known->second, size});
    }
  return "";
}

std::string portText(const Port &port) {
  std::string text =
      port.name + ": " + std::string(runtime::dtypeName(port.dtype)) + "[";
  for (size_t d = 0; d < port.shape.size(); ++d)
    text += (d ? ", " : "") +
            (port.shape[d] < 0 ? "?" : std::to_string(port.shape[d]));
  return text + "]";
}

static std::string listText(const std::vector<Port> &ports) {
  std::string text = "(";
  for (const Port &port : ports)
    text += (text.size() > 1 ? ", " : "") + portText(port);
  return text + ")";
}

std::string signatureText(const Signature &signature) {
  return listText(signature.inputs) + " -> " + listText(signature.outputs);
}

void Hints::add(const Hints &other) {
  sizes.insert(other.sizes.begin(), other.sizes.end());
  integers.insert(other.integers.begin(), other.integers.end());
  reals.insert(other.reals.begin(), other.reals.end());
}

} // namespace tilewright::verify
