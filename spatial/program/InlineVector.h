// A vector that is short as a rule.
#ifndef TILEWRIGHT_SPATIAL_PROGRAM_INLINEVECTOR_H
#define TILEWRIGHT_SPATIAL_PROGRAM_INLINEVECTOR_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>

namespace tilewright::spatial {

/// Like std::vector, but the first `inlineCount` elements lie in it: no
/// allocation, and 8 bytes beside them.
template <typename T, uint32_t inlineCount> class InlineVector {
public:
  using value_type = T;
  using iterator = T *;
  using const_iterator = const T *;

  InlineVector() {}
  InlineVector(std::initializer_list<T> list)
      : InlineVector(list.begin(), list.end()) {}
  template <std::input_iterator Iterator>
  InlineVector(Iterator first, Iterator last) {
    for (; first != last; ++first)
      push_back(*first);
  }
  InlineVector(const InlineVector &other)
      : InlineVector(other.begin(), other.end()) {}
  InlineVector(InlineVector &&other) noexcept { take(other); }
  ~InlineVector() { release(); }

  InlineVector &operator=(const InlineVector &other) {
    if (this != &other)
      *this = InlineVector(other);
    return *this;
  }
  InlineVector &operator=(InlineVector &&other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }

  [[nodiscard]] size_t size() const { return count; }
  [[nodiscard]] bool empty() const { return count == 0; }
  [[nodiscard]] T *data() { return isInline() ? elements : allocated; }
  [[nodiscard]] const T *data() const {
    return isInline() ? elements : allocated;
  }
  [[nodiscard]] T *begin() { return data(); }
  [[nodiscard]] T *end() { return data() + count; }
  [[nodiscard]] const T *begin() const { return data(); }
  [[nodiscard]] const T *end() const { return data() + count; }
  [[nodiscard]] T &operator[](size_t i) { return data()[i]; }
  [[nodiscard]] const T &operator[](size_t i) const { return data()[i]; }
  [[nodiscard]] T &front() { return data()[0]; }
  [[nodiscard]] const T &front() const { return data()[0]; }
  [[nodiscard]] T &back() { return data()[count - 1]; }
  [[nodiscard]] const T &back() const { return data()[count - 1]; }

  void push_back(T element) {
    if (count == capacity)
      grow();
    std::construct_at(data() + count, std::move(element));
    ++count;
  }
  void pop_back() { std::destroy_at(data() + --count); }
  void clear() {
    std::destroy_n(data(), count);
    count = 0;
  }

  friend bool operator==(const InlineVector &a, const InlineVector &b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

private:
  [[nodiscard]] bool isInline() const { return capacity == inlineCount; }
  void grow() {
    T *larger = std::allocator<T>().allocate(size_t(capacity) * 2);
    const uint32_t size = count;
    std::uninitialized_move_n(data(), size, larger);
    const uint32_t grown = capacity * 2;
    release();
    allocated = larger;
    count = size;
    capacity = grown;
  }
  /// Takes the elements of another one; this one has none.
  void take(InlineVector &other) noexcept {
    count = std::exchange(other.count, 0);
    if (other.isInline()) {
      std::uninitialized_move_n(other.elements, count, elements);
      std::destroy_n(other.elements, count);
      return;
    }
    allocated = other.allocated;
    capacity = std::exchange(other.capacity, inlineCount);
  }
  void release() noexcept {
    clear();
    if (!isInline())
      std::allocator<T>().deallocate(allocated, capacity);
    capacity = inlineCount;
  }

  uint32_t count = 0, capacity = inlineCount;
  union {
    T elements[inlineCount];
    T *allocated;
  };
};

} // namespace tilewright::spatial

#endif // TILEWRIGHT_SPATIAL_PROGRAM_INLINEVECTOR_H
