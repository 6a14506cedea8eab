//===- Conversion.h - From one layout in registers to another ---*- C++ -*-===//
//
// A conversion moves a tile from the registers of one layout to those of
// another, by the cheapest of four ways. The plan is data: code generation
// walks it, and a test executes it.
//
// A plan works on a *frame* (see Refine.h), once for each of its repeats.
// Registers are virtual there; tables say which register each one is, and -1
// where it is padding: it needs no value and has none.
// A thread packs the bits of lane, warp and block, lanes lowest.
//
//===----------------------------------------------------------------------===//
#ifndef TILEWRIGHT_CODEGEN_LAYOUT_CONVERSION_H
#define TILEWRIGHT_CODEGEN_LAYOUT_CONVERSION_H

#include "codegen/layout/Access.h"
#include "codegen/layout/Refine.h"
#include "tilewright/support/Export.h"

namespace tilewright::layout {

enum class ConversionKind : uint8_t {
  /// Each register holds its element already.
  nothing,
  /// Each thread has all that it needs, in other registers.
  registers,
  /// Each warp has: values travel between its lanes.
  shuffle,
  /// Each block has: values travel through shared memory.
  shared,
};
[[nodiscard]] std::string_view conversionKindName(ConversionKind kind);

/// x -> linear(x) XOR constant.
struct AffineMap {
  LinearMap linear;
  Bits constant = 0;
  [[nodiscard]] Bits apply(Bits argument) const {
    return linear.apply(argument) ^ constant;
  }
};

/// A register offered and the one that receives it, relative (by XOR) to the
/// round's.
struct RoundPair {
  Bits send = 0, receive = 0;
};

/// One round: thread t sends the registers send(t) ^ pair.send. Its registers
/// receive(t) ^ pair.receive get what the thread of lane sourceLane(t) in its
/// warp sends; if reject(t) != 0 it ignores that. The pairs of a round fit one
/// 32-bit register, or are copies.
struct Round {
  AffineMap send, sourceLane, receive, reject;
  /// Whether values leave their lanes. Else the round moves registers only.
  bool crossesLanes = false;
  /// Whether each lane l gets from lane l ^ xorMask.
  bool isXor = false;
  Bits xorMask = 0;
};

/// Through shared memory, for each repeat: every thread stores; barrier; every
/// thread loads; barrier if another pass follows. Several repeats share a pass
/// where memory suffices.
struct SharedExchange {
  /// Of one repeat, in the frame: the offsets that `store` and `load` use.
  /// Repeat i of a pass begins memory.items() * i elements further. The base
  /// is aligned to 128 bytes.
  Layout memory;
  LinearAccess store, load;
  /// Threads with (thread & redundant) != 0 hold copies and need not store.
  Bits redundantThreads = 0;
  int64_t repeatsPerPass = 1, bytes = 0;
  /// Of one warp and one repeat: all its stores, and all its loads.
  int64_t storeWavefronts = 0, loadWavefronts = 0;
};

struct ConversionPlan {
  ConversionKind kind = ConversionKind::nothing;
  /// Why no cheaper way will do; empty for `nothing`.
  std::string reason;
  Frame frame;
  Refined from, to;
  /// Kinds `registers` and `shuffle`: the rounds of one repeat, and the pairs
  /// that each round moves.
  std::vector<Round> rounds;
  std::vector<RoundPair> pairs;
  /// Kind `shared`.
  SharedExchange shared;
  /// Whether `shared.memory` is all of the tile's memory, row-major, and its
  /// accesses are element by element: repeats are dealt, so there is no frame.
  bool isByElement = false;

  /// Issue slots of one warp, about; 0 for `nothing`.
  int64_t slots = 0;
  /// Shuffle instructions of one thread: rounds that cross lanes, for each
  /// repeat, twice for 64-bit elements.
  int64_t shuffles = 0;
};

struct ConversionOptions {
  /// Bits of an element, 8 to 64; smaller ones must be widened before.
  unsigned elementBits = 32;
  /// The tile's shape: elements beyond it are padding. Empty: all that both
  /// layouts cover.
  Dims shape = {};
  /// Shared memory that the conversion may use.
  int64_t sharedBytes = 232448;
  /// With more shuffles per thread than this, shared memory is taken. Without a
  /// number, where it takes fewer issue slots.
  std::optional<int64_t> maxShuffles = std::nullopt;
  unsigned vectorBits = 128;
  /// Takes shared memory even where a cheaper way would do.
  bool throughShared = false;
};

/// For each register of `to` the one of `from` that holds its element in every
/// thread, -1 where it is padding. Nothing where a thread needs an element of
/// another thread, or another register in some threads.
std::optional<std::vector<int32_t>> sourceRegisters(const Layout &from,
                                                    const Layout &to);

/// Plans a conversion. Rejected where the layouts are not both in registers of
/// the same rank, lanes, warps and blocks, do not cover the shape, move
/// elements between blocks, or need more shared memory than there is.
StatusOr<ConversionPlan> planConversion(const Layout &from, const Layout &to,
                                        const ConversionOptions &options = {});

/// The plan for a reader: its kind, the reason, rounds or widths and
/// wavefronts.
[[nodiscard]] TILEWRIGHT_PRIVATE_API std::string
print(const ConversionPlan &plan);

} // namespace tilewright::layout

#endif // TILEWRIGHT_CODEGEN_LAYOUT_CONVERSION_H
