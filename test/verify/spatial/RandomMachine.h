// Machines that nobody designed.
#ifndef TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMMACHINE_H
#define TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMMACHINE_H

#include <cstdint>
#include <random>
#include <string>

namespace tilewright::test {

/// Draws from a seed. The same on all hosts.
class Dice {
public:
  explicit Dice(uint64_t seed) : engine(seed) {}

  /// From `least` to `most`.
  int64_t number(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(
                       engine() % static_cast<uint64_t>(most - least + 1));
  }
  bool chance(int percent) { return number(1, 100) <= percent; }
  /// An element of a container, which is not empty.
  template <typename Container> auto &pick(Container &container) {
    return container[static_cast<size_t>(
        number(0, static_cast<int64_t>(container.size()) - 1))];
  }
  template <typename T> T oneOf(std::initializer_list<T> choices) {
    return choices.begin()[number(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  template <typename Container> void shuffle(Container &container) {
    for (size_t i = container.size(); i > 1; --i)
      std::swap(container[i - 1], container[static_cast<size_t>(
                                      number(0, static_cast<int64_t>(i) - 1))]);
  }
  uint64_t bits() { return engine(); }

private:
  std::mt19937_64 engine;
};

/// The text of a machine file: 4 to 64 lanes, units in any order, with or
/// without an sxm, one chip or (one in five) several.
[[nodiscard]] std::string randomMachine(Dice &dice);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_VERIFY_SPATIAL_RANDOMMACHINE_H
