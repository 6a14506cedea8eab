#include "runtime/emulator/tensor/Fragments.h"
#include <cassert>
#include <cstring>

namespace tilewright::emulator {

namespace {

/// An element that is moved as a whole: 32 of b1 are one word.
int movedBits(ElementType type) {
  return type == ElementType::b1 ? 32 : elementFacts(type).registerBits;
}

/// One tile of a fragment in the plain array: `origin` is its first element,
/// element (line, index along the run) is line * lineStride + index * runStride
/// further.
struct Tile {
  std::ptrdiff_t origin;
  int lineStride;
  int runStride;
};

/// Counts in moved elements.
struct Tiling {
  int run;
  int rows;
  int columns;
  int rowTiles;
  int depthTiles;
  int count;
  bool isB;

  explicit Tiling(const Fragment &fragment) {
    bool bits = fragment.type == ElementType::b1;
    isB = fragment.role == MatrixRole::b;
    run = bits ? 1 : fragment.run;
    rows = bits && isB ? fragment.rows / 32 : fragment.rows;
    columns = bits && !isB ? fragment.columns / 32 : fragment.columns;
    rowTiles = fragment.rows / 8;
    depthTiles = rows / (4 * run);
    count = isB ? depthTiles * (columns / 8) : rowTiles * (columns / (4 * run));
  }

  [[nodiscard]] Tile at(int tile) const {
    if (isB) {
      int depth = tile % depthTiles * 4 * run, column = tile / depthTiles * 8;
      return {std::ptrdiff_t{column} * rows + depth, rows, 1};
    }
    int row = tile % rowTiles * 8;
    int column = tile / rowTiles * 4 * run;
    return {std::ptrdiff_t{column} * rows + row, 1, rows};
  }
};

/// The shift and mask that lead from a register to an element's number.
struct Field {
  int shift;
  std::uint32_t mask;
};
Field fieldOf(ElementType type) {
  switch (type) {
  case ElementType::e2m1:
    return {2, 0xf};
  case ElementType::e2m3:
  case ElementType::e3m2:
    return {0, 0x3f};
  default:
    return {0, static_cast<std::uint32_t>(
                   (std::uint64_t{1} << (movedBits(type) & 63)) - 1)};
  }
}

/// One tile, whose elements take `bits` in registers of type Word.
template <class Word, class Element, int bits>
void collectTile(const Fragment &fragment, const Tile &tile, int run,
                 const void *const *registers, Element *matrix) {
  constexpr int perRegister = bits < 32 ? 32 / bits : 1;
  Field field = fieldOf(fragment.type);
  // A word of B whose elements take all bits is one in the array, too.
  bool isPlain = field.mask == (std::uint64_t{1} << (bits & 63)) - 1;
  if (sizeof(Element) * 8 == bits && bits < 32 && tile.runStride == 1 &&
      isPlain) {
    auto *words = static_cast<const Word *>(registers[0]);
    for (int lane = 0; lane < 32; ++lane)
      std::memcpy(matrix + tile.origin + lane / 4 * tile.lineStride +
                      lane % 4 * perRegister,
                  words + lane, sizeof(Word));
    return;
  }
  for (int index = 0; index < run; ++index) {
    auto *lanes = static_cast<const Word *>(registers[index / perRegister]);
    int shift = index % perRegister * bits + field.shift;
    for (int t = 0; t < 4; ++t) {
      Element *to = matrix + tile.origin +
                    std::ptrdiff_t{t * run + index} * tile.runStride;
      for (int line = 0; line < 8; ++line) {
        Word word = lanes[4 * line + t];
        to[line * tile.lineStride] =
            static_cast<Element>(bits < 32 ? word >> shift & field.mask : word);
      }
    }
  }
}

template <class Word, class Element, int bits>
void distributeTile(const Tile &tile, int run, const Element *matrix,
                    void *const *registers) {
  constexpr int perRegister = bits < 32 ? 32 / bits : 1;
  for (int index = 0; index < run; ++index) {
    auto *lanes = static_cast<Word *>(registers[index / perRegister]);
    int inRegister = index % perRegister;
    for (int t = 0; t < 4; ++t) {
      const Element *from = matrix + tile.origin +
                            std::ptrdiff_t{t * run + index} * tile.runStride;
      for (int line = 0; line < 8; ++line) {
        Word old = inRegister ? lanes[4 * line + t] : 0;
        Word element = from[line * tile.lineStride];
        if constexpr (bits < 32)
          element = (element & ((Word{1} << bits) - 1)) << (inRegister * bits);
        lanes[4 * line + t] = old | element;
      }
    }
  }
}

template <class Word, class Element, int bits>
void collect(const Fragment &fragment, const Tiling &tiling,
             const void *const *registers, void *matrix) {
  constexpr int perRegister = bits < 32 ? 32 / bits : 1;
  for (int tile = 0; tile < tiling.count; ++tile)
    collectTile<Word, Element, bits>(fragment, tiling.at(tile), tiling.run,
                                     registers +
                                         tile * tiling.run / perRegister,
                                     static_cast<Element *>(matrix));
}

template <class Word, class Element, int bits>
void distribute(const Fragment &fragment, const Tiling &tiling,
                const void *matrix, void *const *registers) {
  constexpr int perRegister = bits < 32 ? 32 / bits : 1;
  for (int tile = 0; tile < fragment.copies * tiling.count; ++tile)
    distributeTile<Word, Element, bits>(
        tiling.at(tile % tiling.count), tiling.run,
        static_cast<const Element *>(matrix),
        registers + tile * tiling.run / perRegister);
}

} // namespace

Fragment makeFragment(MatrixRole role, ElementType type, int rows, int columns,
                      int copies) {
  int bits = elementFacts(type).registerBits;
  int run = role == MatrixRole::accumulator ? 2 : bits < 32 ? 32 / bits : 1;
  return {type, role, rows, columns, run, copies};
}

int Fragment::elements() const { return rows * columns / 32 * copies; }

int Fragment::elementsPerRegister() const {
  int bits = elementFacts(type).registerBits;
  return bits < 32 ? 32 / bits : 1;
}

int Fragment::registers() const { return elements() / elementsPerRegister(); }

int Fragment::registerBits() const {
  return type == ElementType::f64 ? 64 : 32;
}

MatrixIndex Fragment::index(int lane, int element) const {
  element %= elements() / copies;
  int unit = element / run;
  int along = lane % 4 * run + element % run;
  int line = lane / 4;
  if (role == MatrixRole::b) {
    int depthTiles = rows / (4 * run);
    return {unit % depthTiles * 4 * run + along, unit / depthTiles * 8 + line};
  }
  int rowTiles = rows / 8;
  return {unit % rowTiles * 8 + line, unit / rowTiles * 4 * run + along};
}

void collectFragment(const Fragment &fragment, const void *const *registers,
                     void *matrix) {
  Tiling tiling(fragment);
  switch (movedBits(fragment.type)) {
  case 64:
    return collect<std::uint64_t, std::uint64_t, 64>(fragment, tiling,
                                                     registers, matrix);
  case 32:
    return collect<std::uint32_t, std::uint32_t, 32>(fragment, tiling,
                                                     registers, matrix);
  case 16:
    return collect<std::uint32_t, std::uint16_t, 16>(fragment, tiling,
                                                     registers, matrix);
  case 8:
    return collect<std::uint32_t, std::uint8_t, 8>(fragment, tiling, registers,
                                                   matrix);
  case 4:
    return collect<std::uint32_t, std::uint8_t, 4>(fragment, tiling, registers,
                                                   matrix);
  default:
    assert(false && "no such width");
  }
}

void distributeFragment(const Fragment &fragment, const void *matrix,
                        void *const *registers) {
  assert(fieldOf(fragment.type).mask != 0x3f &&
         fieldOf(fragment.type).shift == 0 && "an operand type");
  Tiling tiling(fragment);
  switch (movedBits(fragment.type)) {
  case 64:
    return distribute<std::uint64_t, std::uint64_t, 64>(fragment, tiling,
                                                        matrix, registers);
  case 32:
    return distribute<std::uint32_t, std::uint32_t, 32>(fragment, tiling,
                                                        matrix, registers);
  case 16:
    return distribute<std::uint32_t, std::uint16_t, 16>(fragment, tiling,
                                                        matrix, registers);
  case 8:
    return distribute<std::uint32_t, std::uint8_t, 8>(fragment, tiling, matrix,
                                                      registers);
  case 4:
    return distribute<std::uint32_t, std::uint8_t, 4>(fragment, tiling, matrix,
                                                      registers);
  default:
    assert(false && "no such width");
  }
}

MatrixIndex matrixIndex(int lane, int half, bool transposed) {
  int line = lane / 4, along = 2 * (lane % 4) + half;
  return transposed ? MatrixIndex{along, line} : MatrixIndex{line, along};
}

void rowsToLanes(const void *const rows[8], bool transposed,
                 std::uint32_t lanes[32]) {
  // Untransposed, the words of the rows are the lanes' one after another.
  std::uint32_t words[32];
  for (int row = 0; row < 8; ++row)
    std::memcpy(words + 4 * row, rows[row], 16);
  if (transposed)
    transposeLanes(words, lanes);
  else
    std::memcpy(lanes, words, sizeof words);
}

void lanesToRows(const std::uint32_t lanes[32], bool transposed,
                 void *const rows[8]) {
  std::uint32_t words[32];
  if (transposed)
    transposeLanes(lanes, words);
  else
    std::memcpy(words, lanes, sizeof words);
  for (int row = 0; row < 8; ++row)
    std::memcpy(rows[row], words + 4 * row, 16);
}

void transposeLanes(const std::uint32_t from[32], std::uint32_t to[32]) {
  std::uint32_t elements[64];
  for (int lane = 0; lane < 32; ++lane)
    for (int half = 0; half < 2; ++half)
      elements[2 * lane + half] = from[lane] >> (16 * half) & 0xffff;
  for (int lane = 0; lane < 32; ++lane) {
    MatrixIndex low = matrixIndex(lane, 0, true);
    MatrixIndex high = matrixIndex(lane, 1, true);
    to[lane] = elements[8 * low.row + low.column] |
               elements[8 * high.row + high.column] << 16;
  }
}

} // namespace tilewright::emulator
