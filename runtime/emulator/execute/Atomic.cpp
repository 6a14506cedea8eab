// Atomic operations and reductions: PTX sections 9.7.13.5 and 9.7.13.6.
#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/AtomicOps.h"
#include "runtime/emulator/execute/Tables.h"
#include <cstring>
#include <type_traits>

namespace tilewright::emulator {
inline namespace TILEWRIGHT_ISA {

// Lanes run in order. Blocks that could access the same memory run one at a
// time (Instruction::communicates), so nothing here needs the host's atomics.

struct Wide {
  uint64_t low, high;
  friend bool operator==(const Wide &, const Wide &) = default;
};

template <class T, typename F>
static bool eachIndex(Warp &warp, const Instruction &in, unsigned address,
                      unsigned width, F function) {
  LaneAddresses addresses;
  if (!findAddresses(warp, in, in.operands[address],
                     uint32_t(width * sizeof(T)), Access::atomic, addresses))
    return false;
  bool changes = false;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(__builtin_ctz(rest));
    T *memory = reinterpret_cast<T *>(addresses.of(lane));
    for (unsigned i = 0; i < width; ++i) {
      T old = memory[i];
      function(lane, i, memory[i]);
      changes |= std::memcmp(&old, &memory[i], sizeof(T)) != 0;
    }
  }
  const Ref ref = in.operands[address];
  if (changes) {
    warp.polls = 0;
    ++warp.block->cluster->looks.traffic;
    warp.changed = warp.changed || isInGlobal(warp, in, ref);
  } else {
    look<T>(warp, in, ref, addresses);
  }
  return true;
}

/// Operands of `atom`: results, address, sources; of `red` no results.
template <class T, class Op>
static Step runAtom(Warp &warp, const Instruction &in) {
  unsigned width = in.width;
  T olds[8][32];
  bool done = eachIndex<T>(warp, in, width, width,
                           [&](unsigned lane, unsigned i, T &memory) {
                             T b = operand<T>(warp, in, width + 1 + i)[lane];
                             olds[i][lane] = memory;
                             memory = Op::apply(memory, b);
                           });
  if (!done)
    return Step::failed;
  for (unsigned i = 0; i < width; ++i)
    forActive(warp, operand<T>(warp, in, i),
              [&](unsigned lane) { return olds[i][lane]; });
  return Step::next;
}
template <class T, class Op>
static Step runRed(Warp &warp, const Instruction &in) {
  bool done = eachIndex<T>(warp, in, 0, in.width,
                           [&](unsigned lane, unsigned i, T &memory) {
                             T b = operand<T>(warp, in, 1 + i)[lane];
                             memory = Op::apply(memory, b);
                           });
  return done ? Step::next : Step::failed;
}
template <class T> static Step runCas(Warp &warp, const Instruction &in) {
  const T *expected = operand<T>(warp, in, 2), *b = operand<T>(warp, in, 3);
  T olds[32];
  bool done =
      eachIndex<T>(warp, in, 1, 1, [&](unsigned lane, unsigned, T &memory) {
        olds[lane] = memory;
        if (memory == expected[lane])
          memory = b[lane];
      });
  if (!done)
    return Step::failed;
  forActive(warp, operand<T>(warp, in, 0),
            [&](unsigned lane) { return olds[lane]; });
  return Step::next;
}

//===--- Choosing ---------------------------------------------------------===//

/// Others of the launch may see it; shared memory is the block's, or the
/// cluster's, which one thread runs.
static void setOrder(Instruction &in) {
  AddressSpace space = AddressSpace(in.space);
  in.communicates =
      space == AddressSpace::global || space == AddressSpace::generic;
}

template <bool Returns, class T, class Op> constexpr Execute function() {
  return Returns ? runAtom<T, Op> : runRed<T, Op>;
}

template <bool Returns, class T> static Execute integerOp(std::string_view op) {
  if constexpr (std::is_unsigned_v<T> && sizeof(T) == 4) {
    if (op == "inc")
      return function<Returns, T, Inc>();
    if (op == "dec")
      return function<Returns, T, Dec>();
  }
  return op == "and"    ? function<Returns, T, And>()
         : op == "or"   ? function<Returns, T, Or>()
         : op == "xor"  ? function<Returns, T, Xor>()
         : op == "exch" ? function<Returns, T, Exchange>()
         : op == "add"  ? function<Returns, T, AddInteger>()
         : op == "min"  ? function<Returns, T, MinInteger>()
         : op == "max"  ? function<Returns, T, MaxInteger>()
                        : nullptr;
}
template <bool Returns>
static Execute buildInteger(const Match &match, Instruction &in) {
  setOrder(in);
  return withInteger(match.type(), [&](auto t) {
    return integerOp<Returns, decltype(t)>(match["op"]);
  });
}
static Execute buildWideExchange(const Match &, Instruction &in) {
  setOrder(in);
  return runAtom<Wide, Exchange>;
}
static Execute buildCas(const Match &match, Instruction &in) {
  setOrder(in);
  switch (typeBits(match.type())) {
  case 16:
    return runCas<uint16_t>;
  case 32:
    return runCas<uint32_t>;
  case 64:
    return runCas<uint64_t>;
  default:
    return runCas<Wide>;
  }
}

template <bool Returns, class T> static Execute smallOp(std::string_view op) {
  return op == "add"   ? function<Returns, T, AddFloat<false>>()
         : op == "min" ? function<Returns, T, MinFloat>()
                       : function<Returns, T, MaxFloat>();
}
template <bool Returns, class T> static Execute pairOp(std::string_view op) {
  return op == "add"
             ? function<Returns, uint32_t, OnPairs<AddFloat<false>, T>>()
         : op == "min" ? function<Returns, uint32_t, OnPairs<MinFloat, T>>()
                       : function<Returns, uint32_t, OnPairs<MaxFloat, T>>();
}
/// An f32 at a generic address: the lanes whose cell is in shared memory, then
/// the others.
template <bool Returns>
static Step runGenericSum(Warp &warp, const Instruction &in) {
  const uint64_t *from = operand<uint64_t>(warp, in, Returns ? in.width : 0);
  const uint32_t active = warp.active;
  uint32_t shared = active & maskOf([&](unsigned lane) {
                      return (from[lane] + in.immediate) / windowBytes ==
                             sharedWindow / windowBytes;
                    });
  Step step = Step::next;
  warp.active = shared;
  if (shared)
    step = function<Returns, float, AddFloat<false>>()(warp, in);
  warp.active = active & ~shared;
  if (warp.active && step == Step::next)
    step = function<Returns, float, AddFloat<true>>()(warp, in);
  warp.active = active;
  return step;
}

template <bool Returns>
static Execute buildFloat(const Match &match, Instruction &in) {
  setOrder(in);
  std::string_view op = match["op"];
  bool inShared = AddressSpace(in.space) == AddressSpace::shared ||
                  AddressSpace(in.space) == AddressSpace::sharedCluster;
  switch (match.type()) {
  case Type::f64:
    return function<Returns, double, AddFloat<false>>();
  case Type::f32:
    if (AddressSpace(in.space) == AddressSpace::generic && !in.shortAddress)
      return runGenericSum<Returns>;
    return inShared ? function<Returns, float, AddFloat<false>>()
                    : function<Returns, float, AddFloat<true>>();
  case Type::f16:
    return smallOp<Returns, Half>(op);
  case Type::bf16:
    return smallOp<Returns, BFloat>(op);
  case Type::f16x2:
    return pairOp<Returns, Half>(op);
  default:
    return pairOp<Returns, BFloat>(op);
  }
}

//===--- The table --------------------------------------------------------===//

#define ATOM_ORDER                                                             \
  "order?=relaxed|acquire|release|acq_rel scope?=cta|cluster|gpu|sys "
#define RED_ORDER "order?=relaxed|release scope?=cta|cluster|gpu|sys "
#define SPACES "ss?=global|shared|shared::cta|shared::cluster "
#define ATOM ATOM_ORDER SPACES
#define RED RED_ORDER SPACES
// Vectors are for global memory.
#define VECTOR_ATOM ATOM_ORDER "ss?=global "
#define VECTOR_RED RED_ORDER "ss?=global "
#define HINT "hint?=L2::cache_hint "
#define D_A_B "{d}:type, [a], {b}:type, policy:b64?"
#define A_B "[a], {b}:type, policy:b64?"
#define BITWISE "op=and|or|xor "
#define NUMERIC "op=add|min|max "
#define SMALL "type=f16|bf16|f16x2|bf16x2"
#define ATOM_SECTION "9.7.13.5"
#define RED_SECTION "9.7.13.6"

static constexpr Form table[] = {
    {"atom", ATOM BITWISE HINT "type=b32|b64", D_A_B, ATOM_SECTION,
     buildInteger<true>},
    {"atom", ATOM "op=exch " HINT "type=b32|b64", D_A_B, ATOM_SECTION,
     buildInteger<true>},
    {"atom", ATOM "op=exch " HINT ".b128", "d:b128, [a], b:b128, policy:b64?",
     ATOM_SECTION, buildWideExchange},
    {"atom", ATOM "op=cas type=b16|b32|b64|b128", "d:type, [a], b:type, c:type",
     ATOM_SECTION, buildCas},
    {"atom", ATOM "op=add " HINT "type=u32|s32|u64", D_A_B, ATOM_SECTION,
     buildInteger<true>},
    {"atom", ATOM "op=min|max " HINT "type=u32|s32|u64|s64", D_A_B,
     ATOM_SECTION, buildInteger<true>},
    {"atom", ATOM "op=inc|dec " HINT "type=u32", D_A_B, ATOM_SECTION,
     buildInteger<true>},
    {"atom", ATOM "op=add " HINT "type=f32|f64", D_A_B, ATOM_SECTION,
     buildFloat<true>},
    {"atom", ATOM "op=add .noftz " HINT SMALL, D_A_B, ATOM_SECTION,
     buildFloat<true>},
    {"atom", VECTOR_ATOM "op=add " HINT "vec=v2|v4 type=f32", D_A_B,
     ATOM_SECTION, buildFloat<true>},
    {"atom", VECTOR_ATOM NUMERIC ".noftz " HINT "vec=v2|v4|v8 " SMALL, D_A_B,
     ATOM_SECTION, buildFloat<true>},
    {"red", RED BITWISE HINT "type=b32|b64", A_B, RED_SECTION,
     buildInteger<false>},
    {"red", RED "op=add " HINT "type=u32|s32|u64", A_B, RED_SECTION,
     buildInteger<false>},
    {"red", RED "op=min|max " HINT "type=u32|s32|u64|s64", A_B, RED_SECTION,
     buildInteger<false>},
    {"red", RED "op=inc|dec " HINT "type=u32", A_B, RED_SECTION,
     buildInteger<false>},
    {"red", RED "op=add " HINT "type=f32|f64", A_B, RED_SECTION,
     buildFloat<false>},
    {"red", RED "op=add .noftz " HINT SMALL, A_B, RED_SECTION,
     buildFloat<false>},
    {"red", VECTOR_RED "op=add " HINT "vec=v2|v4 type=f32", A_B, RED_SECTION,
     buildFloat<false>},
    {"red", VECTOR_RED NUMERIC ".noftz " HINT "vec=v2|v4|v8 " SMALL, A_B,
     RED_SECTION, buildFloat<false>},
};

std::span<const Form> atomicForms() { return table; }

} // namespace TILEWRIGHT_ISA
} // namespace tilewright::emulator
