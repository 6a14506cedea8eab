// Moves between registers, and addresses: PTX section 9.7.9 and 9.7.13 without
// accesses to memory.
#include "runtime/emulator/execute/Lanes.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/program/AddressMap.h"
#include <cstring>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

//===--- mov --------------------------------------------------------------===//

/// 16 bytes of a .b128 register.
struct Wide {
  uint64_t low, high;
};

template <class T> static Step runMove(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  forActive(warp, operand<T>(warp, in, 0),
            [&](unsigned lane) { return a[lane]; });
  return Step::next;
}
/// For the address of a local variable; frames of calls are consecutive.
template <class T> static Step runMoveLocal(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  T base = warp.group.frame->localBase;
  forActive(warp, operand<T>(warp, in, 0),
            [&](unsigned lane) { return T(a[lane] + base); });
  return Step::next;
}
/// The time is counted in looks at it, so that runs repeat.
template <class T> static Step runMoveClock(Warp &warp, const Instruction &in) {
  warp.clock += 32;
  uint64_t time = in.clock == ClockPart::high ? warp.clock >> 32 : warp.clock;
  forActive(warp, operand<T>(warp, in, 0), [&](unsigned) { return T(time); });
  return Step::next;
}
static Step runMovePredicate(Warp &warp, const Instruction &in) {
  setPredicate(warp, in.operands[0], predicateOperand(warp, in, 1));
  return Step::next;
}

template <class T> static Execute moveOf(const Instruction &in) {
  if (in.clock != ClockPart::none)
    return runMoveClock<T>;
  return in.frameRelative ? runMoveLocal<T> : runMove<T>;
}
static Execute buildMove(const Match &match, Instruction &in) {
  switch (typeBits(match.type())) {
  case 1:
    return runMovePredicate;
  case 16:
    return runMove<uint16_t>;
  case 32:
    return moveOf<uint32_t>(in);
  case 64:
    return moveOf<uint64_t>(in);
  default:
    return runMove<Wide>;
  }
}

/// Part i of the vector is bits [i * bits, (i + 1) * bits) of the scalar; the
/// register of a part has at least two bytes.
template <unsigned Count, class Part, class Whole>
static Step runPack(Warp &warp, const Instruction &in) {
  constexpr unsigned bits = 8 * sizeof(Whole) / Count;
  const Part *parts[Count];
  for (unsigned i = 0; i < Count; ++i)
    parts[i] = operand<Part>(warp, in, 1 + i);
  forActive(warp, operand<Whole>(warp, in, 0), [&](unsigned lane) {
    Whole value = 0;
    for (unsigned i = 0; i < Count; ++i) {
      Whole part = parts[i][lane];
      value |= (part & (Whole(~Whole{0}) >> (8 * sizeof(Whole) - bits)))
               << (i * bits);
    }
    return value;
  });
  return Step::next;
}
template <unsigned Count, class Part, class Whole>
static Step runUnpack(Warp &warp, const Instruction &in) {
  constexpr unsigned bits = 8 * sizeof(Whole) / Count;
  // A part may be written to the register that is read.
  Whole a[32];
  std::memcpy(a, operand<Whole>(warp, in, Count), sizeof(a));
  for (unsigned i = 0; i < Count; ++i)
    forActive(warp, operand<Part>(warp, in, i), [&](unsigned lane) {
      Whole part = a[lane] >> (i * bits);
      return Part(part & (Whole(~Whole{0}) >> (8 * sizeof(Whole) - bits)));
    });
  return Step::next;
}
template <Step (*Run)(Warp &, const Instruction &)>
static Execute buildVectorMove(const Match &, Instruction &) {
  return Run;
}
static Step runPackWide(Warp &warp, const Instruction &in) {
  const uint64_t *low = operand<uint64_t>(warp, in, 1);
  const uint64_t *high = operand<uint64_t>(warp, in, 2);
  forActive(warp, operand<Wide>(warp, in, 0),
            [&](unsigned lane) { return Wide{low[lane], high[lane]}; });
  return Step::next;
}
static Step runUnpackWide(Warp &warp, const Instruction &in) {
  const Wide *a = operand<Wide>(warp, in, 2);
  forActive(warp, operand<uint64_t>(warp, in, 0),
            [&](unsigned lane) { return a[lane].low; });
  forActive(warp, operand<uint64_t>(warp, in, 1),
            [&](unsigned lane) { return a[lane].high; });
  return Step::next;
}

//===--- Addresses --------------------------------------------------------===//

static uint64_t windowOf(std::string_view space) {
  if (space.starts_with("shared"))
    return sharedWindow;
  if (space == "local")
    return localWindow;
  return space.starts_with("param") ? paramWindow : 0;
}

/// Immediate: what is added to make the address generic, or its negation.
template <class T> static Step runCvta(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  T change = T(in.immediate);
  if (in.frameRelative)
    change = T(change + warp.group.frame->localBase);
  forActive(warp, operand<T>(warp, in, 0),
            [&](unsigned lane) { return T(a[lane] + change); });
  return Step::next;
}
static Execute buildCvta(const Match &match, Instruction &in) {
  uint64_t window = windowOf(match["ss"]);
  // Windows are beyond the range of 32 bits.
  if (match.type() == Type::u32)
    return window ? nullptr : runCvta<uint32_t>;
  in.immediate = match.has("to") ? uint64_t{0} - window : window;
  return runCvta<uint64_t>;
}

enum Window : uint8_t {
  inGlobal,
  inConstant,
  inLocal,
  inParam,
  inSharedCluster,
  inSharedBlock
};

static bool isIn(Warp &warp, Window window, uint64_t address) {
  uint64_t index = address / windowBytes;
  const Block &block = *warp.block;
  auto isConstant = [&] {
    Allocation *found = block.launch->memory->find(address);
    return found && found->readOnly;
  };
  switch (window) {
  case inGlobal:
    return address >= globalStart && !isConstant();
  case inConstant:
    return address >= globalStart && isConstant();
  case inLocal:
    return index == localWindow / windowBytes;
  case inParam:
    return index == paramWindow / windowBytes;
  case inSharedCluster:
    return index == sharedWindow / windowBytes;
  case inSharedBlock: {
    uint64_t rank = (address - sharedWindow) >> sharedRankShift;
    return index == sharedWindow / windowBytes &&
           (rank == 0 || rank == block.location.clusterRank() + 1);
  }
  }
  return false;
}
template <class T> static Step runIsspacep(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  uint32_t holds = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (warp.active >> lane & 1 && isIn(warp, Window(in.mode), a[lane]))
      holds |= uint32_t{1} << lane;
  setPredicate(warp, in.operands[0], holds);
  return Step::next;
}
static Execute buildIsspacep(const Match &match, Instruction &in) {
  std::string_view space = match["ss"];
  in.mode = space == "global"            ? inGlobal
            : space == "const"           ? inConstant
            : space == "local"           ? inLocal
            : space.starts_with("param") ? inParam
            : space == "shared::cluster" ? inSharedCluster
                                         : inSharedBlock;
  return runIsspacep<uint64_t>;
}

/// The address of the same variable in the block of rank b.
template <class T> static Step runMapa(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  const uint32_t *b = operand<uint32_t>(warp, in, 2);
  T window = T(in.immediate);
  forActive(warp, operand<T>(warp, in, 0), [&](unsigned lane) {
    T offset = a[lane] & T(sharedOffsetMask);
    return T(window + (T(b[lane] + 1) << sharedRankShift) + offset);
  });
  return Step::next;
}
static Execute buildMapa(const Match &match, Instruction &in) {
  bool isGeneric = match["ss"].empty();
  in.immediate = isGeneric ? sharedWindow : 0;
  if (match.type() == Type::u64)
    return runMapa<uint64_t>;
  return isGeneric ? nullptr : runMapa<uint32_t>;
}

template <class T>
static Step runGetctarank(Warp &warp, const Instruction &in) {
  const T *a = operand<T>(warp, in, 1);
  uint32_t own = warp.block->location.clusterRank();
  forActive(warp, operand<uint32_t>(warp, in, 0), [&](unsigned lane) {
    uint32_t rank = uint32_t(a[lane] >> sharedRankShift) & 0xFF;
    return rank ? rank - 1 : own;
  });
  return Step::next;
}
static Execute buildGetctarank(const Match &match, Instruction &) {
  return match.type() == Type::u64 ? runGetctarank<uint64_t>
                                   : runGetctarank<uint32_t>;
}

//===--- Hints ------------------------------------------------------------===//

/// Policies say nothing to a machine without caches.
static Step runCreatepolicy(Warp &warp, const Instruction &in) {
  forActive(warp, operand<uint64_t>(warp, in, 0),
            [](unsigned) { return uint64_t{1}; });
  return Step::next;
}
static Execute buildCreatepolicy(const Match &, Instruction &) {
  return runCreatepolicy;
}

//===--- The table --------------------------------------------------------===//

#define SCALARS "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"

static constexpr Form table[] = {
    {"mov", "type=pred|b128|" SCALARS, "d:type, a:type", "9.7.9.1", buildMove},
    {"mov", ".b32", "d:b32, {a*2}:b16", "9.7.9.2",
     buildVectorMove<runPack<2, uint16_t, uint32_t>>},
    {"mov", ".b32", "d:b32, {a*4}:b8", "9.7.9.2",
     buildVectorMove<runPack<4, uint16_t, uint32_t>>},
    {"mov", ".b64", "d:b64, {a*2}:b32", "9.7.9.2",
     buildVectorMove<runPack<2, uint32_t, uint64_t>>},
    {"mov", ".b64", "d:b64, {a*4}:b16", "9.7.9.2",
     buildVectorMove<runPack<4, uint16_t, uint64_t>>},
    {"mov", ".b16", "d:b16, {a*2}:b8", "9.7.9.2",
     buildVectorMove<runPack<2, uint16_t, uint16_t>>},
    {"mov", ".b128", "d:b128, {a*2}:b64", "9.7.9.2",
     buildVectorMove<runPackWide>},
    {"mov", ".b32", "{d*2}:b16, a:b32", "9.7.9.2",
     buildVectorMove<runUnpack<2, uint16_t, uint32_t>>},
    {"mov", ".b32", "{d*4}:b8, a:b32", "9.7.9.2",
     buildVectorMove<runUnpack<4, uint16_t, uint32_t>>},
    {"mov", ".b64", "{d*2}:b32, a:b64", "9.7.9.2",
     buildVectorMove<runUnpack<2, uint32_t, uint64_t>>},
    {"mov", ".b64", "{d*4}:b16, a:b64", "9.7.9.2",
     buildVectorMove<runUnpack<4, uint16_t, uint64_t>>},
    {"mov", ".b16", "{d*2}:b8, a:b16", "9.7.9.2",
     buildVectorMove<runUnpack<2, uint16_t, uint16_t>>},
    {"mov", ".b128", "{d*2}:b64, a:b128", "9.7.9.2",
     buildVectorMove<runUnpackWide>},
    {"cvta",
     ".to? ss=global|shared|shared::cta|shared::cluster|local|const|param|"
     "param::entry type=u32|u64",
     "d:type, a:type", "9.7.9.20", buildCvta},
    {"isspacep",
     "ss=global|shared|shared::cta|shared::cluster|local|const|param|"
     "param::entry",
     "d:pred, a:u64", "9.7.9.19", buildIsspacep},
    {"mapa", "ss?=shared::cluster type=u32|u64", "d:type, a:type, b:u32",
     "9.7.9.23", buildMapa},
    {"getctarank", "ss?=shared::cluster type=u32|u64", "d:u32, a:type",
     "9.7.9.24", buildGetctarank},
    {"createpolicy",
     ".fractional l2=L2::evict_last|L2::evict_normal|L2::evict_first|"
     "L2::evict_unchanged l2b?=L2::evict_first|L2::evict_unchanged .b64",
     "d:b64, fraction:f32?", "9.7.9.18", buildCreatepolicy},
    {"createpolicy", ".cvt .L2 .b64", "d:b64, a:b64", "9.7.9.18",
     buildCreatepolicy},
    {"createpolicy",
     ".range ss?=global l2=L2::evict_last|L2::evict_normal|L2::evict_first|"
     "L2::evict_unchanged l2b?=L2::evict_first|L2::evict_unchanged .b64",
     "d:b64, [a], primary:u32, total:u32", "9.7.9.18", buildCreatepolicy},
};

std::span<const Form> moveForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
