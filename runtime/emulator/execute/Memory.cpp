// Loads, stores and hints: PTX sections 9.7.9.8 to 9.7.9.18.
#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/Tables.h"
#include <cstring>
#include <type_traits>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

/// 16 bytes.
struct Wide {
  uint64_t low, high;
};

/// An element's value in a register of type R: sign-extended.
template <class R, class T> static R extended(T value) {
  if constexpr (std::is_signed_v<T>)
    return R(std::make_signed_t<R>(value));
  else
    return R(value);
}

//===--- ld ---------------------------------------------------------------===//

/// `Width` elements of type T a lane, into registers of type R.
template <class T, class R, unsigned Width>
static Step runLoad(Warp &warp, const Instruction &in) {
  LaneAddresses addresses;
  if (!findAddresses(warp, in, in.operands[Width], Width * sizeof(T),
                     Access::load, addresses))
    return Step::failed;
  if (in.communicates)
    look<T>(warp, in, in.operands[Width], addresses);
  if (addresses.uniform) {
    const T *from = reinterpret_cast<const T *>(addresses.of(0));
    for (unsigned i = 0; i < Width; ++i) {
      R value = extended<R>(from[i]);
      forActive(warp, operand<R>(warp, in, i), [&](unsigned) { return value; });
    }
    return Step::next;
  }
  if (addresses.contiguous(warp, Width * sizeof(T))) {
    const T *from = reinterpret_cast<const T *>(addresses.of(0));
    for (unsigned i = 0; i < Width; ++i) {
      R *d = operand<R>(warp, in, i);
      TILEWRIGHT_EACH_LANE
      d[lane] = extended<R>(from[lane * Width + i]);
    }
    return Step::next;
  }
  for (unsigned i = 0; i < Width; ++i) {
    R *d = operand<R>(warp, in, i);
    forActive(warp, d, [&](unsigned lane) {
      return extended<R>(reinterpret_cast<const T *>(addresses.of(lane))[i]);
    });
  }
  return Step::next;
}

//===--- st ---------------------------------------------------------------===//

template <class T, class R, unsigned Width>
static Step runStore(Warp &warp, const Instruction &in) {
  LaneAddresses addresses;
  if (!findAddresses(warp, in, in.operands[0], Width * sizeof(T), Access::store,
                     addresses))
    return Step::failed;
  warp.polls = 0;
  const GlobalWatch<Width * sizeof(T)> watch(warp, in, in.operands[0],
                                             addresses);
  if (addresses.contiguous(warp, Width * sizeof(T))) {
    T *to = reinterpret_cast<T *>(addresses.of(0));
    for (unsigned i = 0; i < Width; ++i) {
      const R *a = operand<R>(warp, in, 1 + i);
      TILEWRIGHT_EACH_LANE
      to[lane * Width + i] = T(a[lane]);
    }
    return Step::next;
  }
  const R *a[Width];
  for (unsigned i = 0; i < Width; ++i)
    a[i] = operand<R>(warp, in, 1 + i);
  // Of lanes that write to one location, the last remains.
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctz(rest));
    T *to = reinterpret_cast<T *>(addresses.of(lane));
    for (unsigned i = 0; i < Width; ++i)
      to[i] = T(a[i][lane]);
  }
  return Step::next;
}

//===--- Choosing ---------------------------------------------------------===//

template <template <class, class, unsigned> class Run, class T, class R>
static Execute withWidth(unsigned width) {
  switch (width) {
  case 1:
    return Run<T, R, 1>::run;
  case 2:
    return Run<T, R, 2>::run;
  case 4:
    return Run<T, R, 4>::run;
  default:
    return Run<T, R, 8>::run;
  }
}
template <template <class, class, unsigned> class Run, class T>
static Execute withRegister(unsigned bytes, unsigned width) {
  if constexpr (sizeof(T) == 16)
    return withWidth<Run, T, T>(width);
  if constexpr (sizeof(T) <= 2)
    if (bytes == 2)
      return withWidth<Run, T, uint16_t>(width);
  if constexpr (sizeof(T) <= 4)
    if (bytes == 4)
      return withWidth<Run, T, uint32_t>(width);
  if constexpr (sizeof(T) <= 8)
    return withWidth<Run, T, uint64_t>(width);
  return nullptr;
}
template <class T, class R, unsigned W> struct Load {
  static constexpr Execute run = runLoad<T, R, W>;
};
template <class T, class R, unsigned W> struct Store {
  static constexpr Execute run = runStore<T, R, W>;
};

/// The value may be from another block, so blocks run one at a time.
static bool communicates(const Match &match, const Instruction &in) {
  std::string_view order = match["order"];
  AddressSpace space = AddressSpace(in.space);
  bool own = space == AddressSpace::shared || space == AddressSpace::local ||
             space == AddressSpace::param;
  return !own && !order.empty() && order != "weak";
}

static Execute buildLoad(const Match &match, Instruction &in) {
  in.communicates = communicates(match, in);
  Type type = match.type();
  unsigned bytes = in.resultBytes, width = in.width;
  switch (typeBits(type)) {
  case 8:
    return isSigned(type) ? withRegister<Load, int8_t>(bytes, width)
                          : withRegister<Load, uint8_t>(bytes, width);
  case 16:
    return isSigned(type) ? withRegister<Load, int16_t>(bytes, width)
                          : withRegister<Load, uint16_t>(bytes, width);
  case 32:
    return isSigned(type) ? withRegister<Load, int32_t>(bytes, width)
                          : withRegister<Load, uint32_t>(bytes, width);
  case 64:
    return withRegister<Load, uint64_t>(bytes, width);
  default:
    return withRegister<Load, Wide>(bytes, width);
  }
}
static Execute buildStore(const Match &match, Instruction &in) {
  in.communicates = communicates(match, in);
  unsigned bytes = in.sourceBytes, width = in.width;
  switch (typeBits(match.type())) {
  case 8:
    return withRegister<Store, uint8_t>(bytes, width);
  case 16:
    return withRegister<Store, uint16_t>(bytes, width);
  case 32:
    return withRegister<Store, uint32_t>(bytes, width);
  case 64:
    return withRegister<Store, uint64_t>(bytes, width);
  default:
    return withRegister<Store, Wide>(bytes, width);
  }
}

//===--- Hints ------------------------------------------------------------===//

static Step runNothing(Warp &, const Instruction &) { return Step::next; }
static Execute buildNothing(const Match &, Instruction &) { return runNothing; }

//===--- The table --------------------------------------------------------===//

#define TYPES "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
#define SPACES                                                                 \
  "global|shared|shared::cta|shared::cluster|local|const|param|"               \
  "param::entry|param::func"
/// Those where others may see the order.
#define SHARED_SPACES "global|shared|shared::cta|shared::cluster"
#define EVICTION                                                               \
  "l1?=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|"   \
  "L1::no_allocate l2?=L2::evict_normal|L2::evict_last|L2::evict_first "
#define HINTS "hint?=L2::cache_hint prefetch?=L2::64B|L2::128B|L2::256B "
#define ELEMENTS "vec?=v2|v4|v8 type=" TYPES

static constexpr Form table[] = {
    {"ld",
     "order?=weak|volatile ss?=" SPACES
     " cop?=ca|cg|cs|lu|cv " EVICTION HINTS ELEMENTS,
     "{d}~type, [a], policy:b64?", "9.7.9.8", buildLoad},
    {"ld",
     "order=relaxed|acquire scope=cta|cluster|gpu|sys ss?=" SHARED_SPACES
     " " EVICTION HINTS ELEMENTS,
     "{d}~type, [a], policy:b64?", "9.7.9.8", buildLoad},
    {"ld", ".mmio order=relaxed|acquire .sys ss?=global type=" TYPES,
     "{d}~type, [a]", "9.7.9.8", buildLoad},
    {"ld", "ss=global cop?=ca|cg|cs .nc " EVICTION HINTS ELEMENTS,
     "{d}~type, [a], policy:b64?", "9.7.9.9", buildLoad},
    {"ldu", "ss?=global vec?=v2|v4 type=" TYPES, "{d}~type, [a]", "9.7.9.10",
     buildLoad},
    {"st",
     "order?=weak|volatile ss?=" SHARED_SPACES "|local|param|param::func "
     "cop?=wb|cg|cs|wt " EVICTION "hint?=L2::cache_hint " ELEMENTS,
     "[a], {b}~type, policy:b64?", "9.7.9.11", buildStore},
    {"st",
     "order=relaxed|release scope=cta|cluster|gpu|sys ss?=" SHARED_SPACES
     " " EVICTION "hint?=L2::cache_hint " ELEMENTS,
     "[a], {b}~type, policy:b64?", "9.7.9.11", buildStore},
    {"st", ".mmio order=relaxed|release .sys ss?=global type=" TYPES,
     "[a], {b}~type", "9.7.9.11", buildStore},
    {"prefetch", "ss?=global|local level=L1|L2|L2::evict_last|L2::evict_normal",
     "[a]", "9.7.9.15", buildNothing},
    {"prefetch", "ss?=const|param .tensormap", "[a]", "9.7.9.15", buildNothing},
    {"prefetchu", ".L1", "[a]", "9.7.9.15", buildNothing},
    {"applypriority", "ss?=global .L2::evict_normal", "[a], #size:u32",
     "9.7.9.16", buildNothing},
    {"discard", "ss?=global .L2", "[a], #size:u32", "9.7.9.17", buildNothing},
};

std::span<const Form> memoryForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
