// What the lanes of a warp do together: PTX sections 9.7.9.6 and 9.7.13.
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/execute/WarpSync.h"
#include <bit>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

//===--- shfl -------------------------------------------------------------===//

enum class Shuffle : uint8_t { up, down, bfly, idx };

/// Section 9.7.9.6: the lane that `lane` reads from, and whether it is inside
/// the segment.
struct Source {
  unsigned lane;
  bool inside;
};
static Source sourceOf(Shuffle mode, unsigned lane, uint32_t b, uint32_t c) {
  unsigned value = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  unsigned most = (lane & segment) | (clamp & ~segment & 31);
  unsigned least = lane & segment;
  int source = 0;
  bool inside = false;
  switch (mode) {
  case Shuffle::up:
    source = int(lane) - int(value);
    inside = source >= int(most);
    break;
  case Shuffle::down:
    source = int(lane + value);
    inside = source <= int(most);
    break;
  case Shuffle::bfly:
    source = int(lane ^ value);
    inside = source <= int(most);
    break;
  case Shuffle::idx:
    source = int(least | (value & ~segment));
    inside = source <= int(most);
    break;
  }
  return {inside ? unsigned(source) : lane, inside};
}

/// d|p = a of the source lane; the value of an inactive lane is unspecified.
static Step shuffle(Warp &warp, const Instruction &in) {
  const uint32_t *a = operand<uint32_t>(warp, in, 2);
  const uint32_t *b = operand<uint32_t>(warp, in, 3);
  const uint32_t *c = operand<uint32_t>(warp, in, 4);
  uint32_t results[32], inside = 0;
  for (unsigned lane = 0; lane < 32; ++lane) {
    Source source = sourceOf(Shuffle(in.mode), lane, b[lane], c[lane]);
    results[lane] = a[source.lane];
    inside |= uint32_t{source.inside} << lane;
  }
  forActive(warp, operand<uint32_t>(warp, in, 0),
            [&](unsigned lane) { return results[lane]; });
  if (in.operands[1].present())
    setPredicate(warp, in.operands[1], inside);
  return Step::next;
}
static Step runShuffle(Warp &warp, const Instruction &in) {
  return together(warp, in, operand<uint32_t>(warp, in, 5), shuffle);
}
/// The form of before `.sync`, among the lanes that run.
static Step runShuffleUnsynchronized(Warp &warp, const Instruction &in) {
  return shuffle(warp, in);
}
static void setShuffle(const Match &match, Instruction &in) {
  std::string_view mode = match["mode"];
  Shuffle shuffle = mode == "up"     ? Shuffle::up
                    : mode == "down" ? Shuffle::down
                    : mode == "bfly" ? Shuffle::bfly
                                     : Shuffle::idx;
  in.mode = uint8_t(shuffle);
}
static Execute buildShuffle(const Match &match, Instruction &in) {
  setShuffle(match, in);
  return runShuffle;
}
static Execute buildOldShuffle(const Match &match, Instruction &in) {
  setShuffle(match, in);
  return runShuffleUnsynchronized;
}

//===--- vote -------------------------------------------------------------===//

enum class Vote : uint8_t { all, any, uni, ballot };

/// Lanes outside the mask do not count.
static Step vote(Warp &warp, const Instruction &in) {
  uint32_t counted = warp.active;
  uint32_t yes = predicateOperand(warp, in, 1) & counted;
  switch (Vote(in.mode)) {
  case Vote::ballot:
    forActive(warp, operand<uint32_t>(warp, in, 0),
              [&](unsigned) { return yes; });
    return Step::next;
  case Vote::all:
    setPredicate(warp, in.operands[0], yes == counted ? ~uint32_t{0} : 0);
    return Step::next;
  case Vote::any:
    setPredicate(warp, in.operands[0], yes ? ~uint32_t{0} : 0);
    return Step::next;
  case Vote::uni:
    setPredicate(warp, in.operands[0],
                 yes == counted || !yes ? ~uint32_t{0} : 0);
    return Step::next;
  }
  return Step::next;
}
static Step runVote(Warp &warp, const Instruction &in) {
  return together(warp, in, operand<uint32_t>(warp, in, 2), vote);
}
static Step runOldVote(Warp &warp, const Instruction &in) {
  return vote(warp, in);
}
static void setVote(const Match &match, Instruction &in) {
  std::string_view mode = match["mode"];
  Vote vote = mode == "all"   ? Vote::all
              : mode == "any" ? Vote::any
              : mode == "uni" ? Vote::uni
                              : Vote::ballot;
  in.mode = uint8_t(vote);
}
static Execute buildVote(const Match &match, Instruction &in) {
  setVote(match, in);
  return runVote;
}
static Execute buildOldVote(const Match &match, Instruction &in) {
  setVote(match, in);
  return runOldVote;
}

//===--- match ------------------------------------------------------------===//

template <class T> static Step matchAny(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  uint32_t results[32];
  for (unsigned lane = 0; lane < 32; ++lane)
    results[lane] = warp.active &
                    maskOf([&](unsigned other) { return a[other] == a[lane]; });
  forActive(warp, operand<uint32_t>(warp, in, 0),
            [&](unsigned lane) { return results[lane]; });
  return Step::next;
}
template <class T> static Step runMatchAny(Warp &warp, const Instruction &in) {
  return together(warp, in, operand<uint32_t>(warp, in, 2), matchAny<T>);
}
template <class T> static Step matchAll(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 2);
  T first = a[std::countr_zero(warp.active)];
  uint32_t equal = maskOf([&](unsigned lane) { return a[lane] == first; });
  bool all = (equal & warp.active) == warp.active;
  forActive(warp, operand<uint32_t>(warp, in, 0),
            [&](unsigned) { return all ? warp.active : 0; });
  if (in.operands[1].present())
    setPredicate(warp, in.operands[1], all ? ~uint32_t{0} : 0);
  return Step::next;
}
template <class T> static Step runMatchAll(Warp &warp, const Instruction &in) {
  return together(warp, in, operand<uint32_t>(warp, in, 3), matchAll<T>);
}
static Execute buildMatchAny(const Match &match, Instruction &) {
  return match.type() == Type::b64 ? runMatchAny<uint64_t>
                                   : runMatchAny<uint32_t>;
}
static Execute buildMatchAll(const Match &match, Instruction &) {
  return match.type() == Type::b64 ? runMatchAll<uint64_t>
                                   : runMatchAll<uint32_t>;
}

//===--- redux ------------------------------------------------------------===//

template <class T, T (*Combine)(T, T)>
static Step reduce(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  uint32_t rest = warp.active;
  T result = a[std::countr_zero(rest)];
  for (rest &= rest - 1; rest; rest &= rest - 1)
    result = Combine(result, a[std::countr_zero(rest)]);
  forActive(warp, operand<T>(warp, in, 0), [&](unsigned) { return result; });
  return Step::next;
}
template <class T, T (*Combine)(T, T)>
static Step runRedux(Warp &warp, const Instruction &in) {
  return together(warp, in, operand<uint32_t>(warp, in, 2), reduce<T, Combine>);
}
template <class T> static T sumOf(T a, T b) {
  return T(uint32_t(a) + uint32_t(b));
}
template <class T> static T leastOf(T a, T b) { return b < a ? b : a; }
template <class T> static T mostOf(T a, T b) { return b > a ? b : a; }
static uint32_t bothOf(uint32_t a, uint32_t b) { return a & b; }
static uint32_t eitherOf(uint32_t a, uint32_t b) { return a | b; }
static uint32_t differenceOf(uint32_t a, uint32_t b) { return a ^ b; }

template <class T> static Execute reduxOf(std::string_view op) {
  return op == "add"   ? runRedux<T, sumOf<T>>
         : op == "min" ? runRedux<T, leastOf<T>>
                       : runRedux<T, mostOf<T>>;
}
static Execute buildRedux(const Match &match, Instruction &) {
  std::string_view op = match["op"];
  if (op == "and")
    return runRedux<uint32_t, bothOf>;
  if (op == "or")
    return runRedux<uint32_t, eitherOf>;
  if (op == "xor")
    return runRedux<uint32_t, differenceOf>;
  return match.type() == Type::s32 ? reduxOf<int32_t>(op)
                                   : reduxOf<uint32_t>(op);
}

//===--- Others -----------------------------------------------------------===//

static Step runActivemask(Warp &warp, const Instruction &in) {
  forActive(warp, operand<uint32_t>(warp, in, 0),
            [&](unsigned) { return warp.active; });
  return Step::next;
}
static Execute buildActivemask(const Match &, Instruction &) {
  return runActivemask;
}

/// The lowest lane of the mask is the leader; the manual does not specify one.
static Step elect(Warp &warp, const Instruction &in) {
  uint32_t leader = uint32_t(std::countr_zero(warp.active));
  forActive(warp, operand<uint32_t>(warp, in, 0),
            [&](unsigned) { return leader; });
  setPredicate(warp, in.operands[1], uint32_t{1} << leader);
  return Step::next;
}
static Step runElect(Warp &warp, const Instruction &in) {
  return together(warp, in, operand<uint32_t>(warp, in, 2), elect);
}
static Execute buildElect(const Match &, Instruction &) { return runElect; }

static Step nothing(Warp &, const Instruction &) { return Step::next; }
static Step runWarpBarrier(Warp &warp, const Instruction &in) {
  return together(warp, in, operand<uint32_t>(warp, in, 0), nothing);
}
static Execute buildWarpBarrier(const Match &, Instruction &) {
  return runWarpBarrier;
}

//===--- The table --------------------------------------------------------===//

#define MODES "mode=up|down|bfly|idx .b32"

static constexpr Form table[] = {
    {"shfl", ".sync " MODES, "d:b32|dp:pred?, a:b32, b:b32, c:b32, mask:b32",
     "9.7.9.6", buildShuffle},
    {"shfl", MODES, "d:b32|dp:pred?, a:b32, b:b32, c:b32", "9.7.9.5",
     buildOldShuffle},
    {"vote", ".sync mode=all|any|uni .pred", "d:pred, !a:pred, mask:b32",
     "9.7.13.9", buildVote},
    {"vote", ".sync mode=ballot .b32", "d:b32, !a:pred, mask:b32", "9.7.13.9",
     buildVote},
    {"vote", "mode=all|any|uni .pred", "d:pred, !a:pred", "9.7.13.8",
     buildOldVote},
    {"vote", "mode=ballot .b32", "d:b32, !a:pred", "9.7.13.8", buildOldVote},
    {"match", ".any .sync type=b32|b64", "d:b32, a:type, mask:b32", "9.7.13.10",
     buildMatchAny},
    {"match", ".all .sync type=b32|b64", "d:b32|dp:pred?, a:type, mask:b32",
     "9.7.13.10", buildMatchAll},
    {"redux", ".sync op=add|min|max type=u32|s32", "d:type, a:type, mask:b32",
     "9.7.13.12", buildRedux},
    {"redux", ".sync op=and|or|xor type=b32", "d:type, a:type, mask:b32",
     "9.7.13.12", buildRedux},
    {"activemask", ".b32", "d:b32", "9.7.13.11", buildActivemask},
    {"elect", ".sync", "d:b32|dp:pred, mask:b32", "9.7.13.14", buildElect},
    {"bar", ".warp .sync", "mask:b32", "9.7.13.2", buildWarpBarrier},
};

std::span<const Form> warpForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
