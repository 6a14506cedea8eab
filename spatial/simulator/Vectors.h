// The lanes of vectors, shared by all places that hold one.
#ifndef TILEWRIGHT_SPATIAL_SIMULATOR_VECTORS_H
#define TILEWRIGHT_SPATIAL_SIMULATOR_VECTORS_H

#include "spatial/numeric/Numeric.h"
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tilewright::spatial {

/// Memory for lanes: so many for each vector. It must outlive its vectors, and
/// belongs to one thread.
class VectorPool {
public:
  explicit VectorPool(size_t lanes) : lanes(lanes) {}
  VectorPool(const VectorPool &) = delete;
  VectorPool &operator=(const VectorPool &) = delete;

  [[nodiscard]] size_t lanesEach() const { return lanes; }

private:
  friend class VectorRef;
  /// Lanes follow, the first of them at an address that is a multiple of 16.
  struct alignas(16) Node {
    VectorPool *pool = nullptr;
    uint32_t uses = 0;
    Lane *data() { return reinterpret_cast<Lane *>(this + 1); }
  };
  Node *take();
  void giveBack(Node *node) { unused.push_back(node); }

  size_t lanes = 0;
  std::vector<std::unique_ptr<std::byte[]>> chunks;
  std::vector<Node *> unused;
};

/// A vector's lanes, or nothing. Copies share them; they are written only where
/// they are made.
class VectorRef {
public:
  VectorRef() = default;
  /// Lanes that the caller writes before it copies the reference.
  explicit VectorRef(VectorPool &pool) : node(pool.take()) {}
  VectorRef(const VectorRef &other) : node(other.node) {
    if (node)
      ++node->uses;
  }
  VectorRef(VectorRef &&other) noexcept
      : node(std::exchange(other.node, nullptr)) {}
  VectorRef &operator=(VectorRef other) noexcept {
    std::swap(node, other.node);
    return *this;
  }
  ~VectorRef() {
    if (node && --node->uses == 0)
      node->pool->giveBack(node);
  }

  explicit operator bool() const { return node; }
  [[nodiscard]] std::span<Lane> lanes() const {
    return {node->data(), node->pool->lanes};
  }

private:
  VectorPool::Node *node = nullptr;
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_SIMULATOR_VECTORS_H
