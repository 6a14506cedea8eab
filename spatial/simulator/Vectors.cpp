#include "spatial/simulator/Vectors.h"

#include <algorithm>
#include <new>

namespace tilewright::spatial {

VectorPool::Node *VectorPool::take() {
  if (unused.empty()) {
    // Chunks of about 64 KiB.
    size_t bytes = sizeof(Node) + (lanes * sizeof(Lane) + 15) / 16 * 16;
    size_t count = std::max<size_t>(1, 65536 / bytes);
    chunks.push_back(
        std::make_unique_for_overwrite<std::byte[]>(bytes * count));
    for (size_t i = count; i-- > 0;) {
      Node *node = new (chunks.back().get() + i * bytes) Node;
      node->pool = this;
      unused.push_back(node);
    }
  }
  Node *node = unused.back();
  unused.pop_back();
  node->uses = 1;
  return node;
}

} // namespace tilewright::spatial
