#include "spatial/program/InlineVector.h"
#include <catch2/catch.hpp>
#include <memory>
#include <string>

using tilewright::spatial::InlineVector;

/// Its copies know how many of them there are.
using Counted = std::shared_ptr<int>;
using List = InlineVector<Counted, 2>;

TEST_CASE("a short vector keeps and frees its elements, within it or not") {
  for (size_t size : {0, 1, 2, 3, 4, 5, 9}) {
    INFO(size << " elements");
    Counted element = std::make_shared<int>(7);
    const auto uses = static_cast<long>(size);
    List list;
    for (size_t i = 0; i < size; ++i)
      list.push_back(element);
    CHECK(list.size() == size);
    CHECK(element.use_count() == 1 + uses);
    List copy = list;
    CHECK(copy == list);
    CHECK(element.use_count() == 1 + 2 * uses);
    List moved = std::move(copy);
    CHECK(moved == list);
    CHECK(element.use_count() == 1 + 2 * uses);
    // From and to any size.
    for (size_t other : {0, 2, 3}) {
      List target, source;
      for (size_t i = 0; i < other; ++i) {
        target.push_back(std::make_shared<int>(1));
        source.push_back(element);
      }
      target = list;
      CHECK(target == list);
      target = std::move(source);
      CHECK(target.size() == other);
      CHECK(element.use_count() == 1 + 2 * uses + static_cast<long>(other));
    }
    moved.clear();
    CHECK(moved.empty());
    moved.push_back(element);
    CHECK(*moved.back() == 7);
    CHECK(element.use_count() == 2 + uses);
  }
}

TEST_CASE("short vectors are equal by their elements") {
  using Words = InlineVector<std::string, 1>;
  const Words one = {"a"}, two = {"a", "b"};
  CHECK(two == Words{"a", "b"});
  CHECK_FALSE(one == two);
  CHECK_FALSE(two == Words{"a", "c"});
  CHECK(two.front() == "a");
  CHECK(two.back() == "b");
  Words words = two;
  words.pop_back();
  CHECK(words == one);
}
