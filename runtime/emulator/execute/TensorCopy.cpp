// Copies of boxes of tensors: PTX sections 9.7.9.25.5.
#include "runtime/emulator/execute/Groups.h"
#include "runtime/emulator/execute/MbarrierCopy.h"
#include "runtime/emulator/execute/Reduce.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/execute/TensorBox.h"
#include "runtime/emulator/machine/Observer.h"
#include "support/Format.h"
#include <cstring>

namespace tilewright::emulator {

namespace {

//===--- Operands ---------------------------------------------------------===//

/// One lane's copy, as its operands say.
struct TensorCopy {
  TensorMap map;
  std::array<int32_t, 5> corner = {};
};

/// Why the emulator does not copy with a map that is right; or empty.
std::string_view unsupported(const TensorMap &map) {
  if (map.interleave != TensorInterleave::none)
    return "interleaved tensors are not supported";
  if (map.element >= TensorElement::f32Flushed)
    return "types that flush or round (f32.ftz, tf32) are not supported";
  uint64_t row = uint64_t{map.box[0]} * bytesOf(map.element);
  if (map.swizzle != TensorSwizzle::none && row != uint64_t{16}
                                                       << unsigned(map.swizzle))
    return "rows that are shorter than the swizzle are not supported";
  return {};
}

/// Reads the map and the coordinates: the address operand `index`, whose
/// register is the operand `first`. False: a fault is recorded.
bool readCopy(Warp &warp, const Instruction &in, unsigned index, unsigned first,
              unsigned lane, TensorCopy &copy) {
  MemoryAccess memoryAccess = {
      in.address(index).space,
      laneAddress(warp, in, in.operands[first], index, lane), tensorMapBytes,
      64, Access::load};
  auto reject = [&](FaultCode code, const std::string &why) {
    fail(warp, in, code, why, lane, memoryAccess.address);
    return false;
  };
  uint64_t window = memoryAccess.address - memoryAccess.address % windowBytes;
  if (window == sharedWindow || window == localWindow)
    return reject(FaultCode::undefinedBehavior,
                  "expected a tensor map in global, constant or parameter "
                  "memory");
  const std::byte *bytes = locate(warp, in, memoryAccess, lane);
  if (!bytes)
    return false;
  auto map = readTensorMap(
      std::span<const std::byte, tensorMapBytes>(bytes, tensorMapBytes));
  if (!map.ok())
    return reject(FaultCode::undefinedBehavior, map.status().message());
  if (Status right = check(*map); !right.ok())
    return reject(FaultCode::undefinedBehavior, right.message());
  if (map->rank != in.width)
    return reject(FaultCode::undefinedBehavior,
                  format("tensor map: expected a rank of {}, found {}",
                         {in.width, map->rank}));
  if (std::string_view why = unsupported(*map); !why.empty())
    return reject(FaultCode::unsupported, std::string(why));
  copy.map = *map;
  for (unsigned dim = 0; dim < map->rank; ++dim)
    copy.corner[dim] = operand<int32_t>(warp, in, first + 1 + dim)[lane];
  return true;
}

/// A box is at most as large as shared memory, and starts at a line.
constexpr uint32_t boxAlignment = 128;
bool boxFits(Warp &warp, const Instruction &in, const TensorMap &map,
             unsigned lane) {
  if (map.boxBytes() <= warp.block->sharedBytes)
    return true;
  fail(warp, in, FaultCode::outOfBounds,
       format("expected a box inside the block's {} bytes of shared memory, "
              "found one of {}",
              {warp.block->sharedBytes, map.boxBytes()}),
       lane);
  return false;
}

//===--- Loads ------------------------------------------------------------===//

/// Of f16 it is the pattern of `fma.oob`; of the other types the canonical NaN,
/// as theirs is not known.
void fillWithNan(TensorElement element, std::span<std::byte> bytes) {
  uint64_t pattern = element == TensorElement::f16    ? 0x7EFF
                     : element == TensorElement::bf16 ? 0x7FFF
                     : element == TensorElement::f32  ? 0x7FFFFFFF
                                                      : 0x7FFFFFFFFFFFFFFF;
  uint32_t width = bytesOf(element);
  for (size_t i = 0; i < bytes.size(); i += width)
    std::memcpy(&bytes[i], &pattern, width);
}

template <bool toMany> Step runLoad(Warp &warp, const Instruction &in) {
  // Operands: to, the map, coordinates, the mbarrier, the blocks' mask.
  const unsigned barrierOperand = 2 + in.width;
  std::vector<std::byte> bytes;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    TensorCopy copy;
    if (!readCopy(warp, in, 1, 1, lane, copy) ||
        !boxFits(warp, in, copy.map, lane))
      return Step::failed;
    bytes.assign(copy.map.boxBytes(), std::byte{0});
    if (copy.map.fill == TensorFill::nan)
      fillWithNan(copy.map.element, bytes);
    bool read = Box(copy.map, copy.corner).eachRow([&](const RowPart &part) {
      MemoryAccess memoryAccess = {AddressSpace::global, part.address,
                                   part.bytes, 1, Access::load};
      const std::byte *from = locate(warp, in, memoryAccess, lane);
      if (!from)
        return false;
      std::memcpy(&bytes[part.offset], from, part.bytes);
      tellCopy(warp, in, DataPath::copiedToShared, part.address, part.bytes);
      return true;
    });
    if (!read)
      return Step::failed;
    MbarrierCopy copyTarget = mbarrierCopyOf(warp, in, lane, 0, in.operands[0],
                                             2, in.operands[barrierOperand]);
    // All bytes of the box are reported, also those of elements outside.
    copyTarget.to.bytes = uint32_t(bytes.size());
    copyTarget.to.alignment = boxAlignment;
    if (toMany)
      copyTarget.blocks = operand<uint16_t>(warp, in, barrierOperand + 1)[lane];
    bool arrived =
        copyAndSignal(warp, in, lane, copyTarget, [&](SharedLocation location) {
          eachPiece(copy.map.swizzle, location.offset, 0, bytes.size(),
                    [&](uint32_t offset, uint64_t from, uint64_t count) {
                      std::memcpy(location.block->shared + offset, &bytes[from],
                                  count);
                      return true;
                    });
        });
    if (!arrived)
      return Step::failed;
  }
  return Step::next;
}

//===--- Stores -----------------------------------------------------------===//

void copyBytes(std::byte *to, const std::byte *from, size_t bytes) {
  std::memcpy(to, from, bytes);
}

/// How a box is combined with the tensor's elements.
constexpr uint8_t copies = 0xFF;
ReduceElements combinationOf(const Instruction &in, TensorElement element) {
  static constexpr Type types[] = {Type::u8,  Type::u16, Type::u32, Type::s32,
                                   Type::u64, Type::s64, Type::f16, Type::f32,
                                   Type::f64, Type::bf16};
  if (in.mode == copies)
    return copyBytes;
  auto op = ReduceOp(in.mode);
  Type type = types[size_t(element)];
  bool ofBits =
      op == ReduceOp::bitAnd || op == ReduceOp::bitOr || op == ReduceOp::bitXor;
  if (ofBits && (type == Type::u32 || type == Type::s32))
    type = Type::b32;
  else if (ofBits && (type == Type::u64 || type == Type::s64))
    type = Type::b64;
  return reduceElements(op, type);
}

Step runStore(Warp &warp, const Instruction &in) {
  // Operands: the map, coordinates, the source.
  const unsigned sourceOperand = 1 + in.width;
  Access access = in.mode == copies ? Access::store : Access::atomic;
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    TensorCopy copy;
    if (!readCopy(warp, in, 0, 0, lane, copy) ||
        !boxFits(warp, in, copy.map, lane))
      return Step::failed;
    ReduceElements combine = combinationOf(in, copy.map.element);
    if (!combine)
      return fail(warp, in, FaultCode::undefinedBehavior,
                  "expected an operation that the map's type has", lane);
    uint64_t source =
        laneAddress(warp, in, in.operands[sourceOperand], 1, lane);
    if (source % boxAlignment)
      return fail(
          warp, in, FaultCode::misaligned,
          format(
              "expected a box that starts at a multiple of 128 bytes, found {}",
              {source}),
          lane, source);
    bool stored = Box(copy.map, copy.corner).eachRow([&](const RowPart &part) {
      MemoryAccess there = {AddressSpace::global, part.address, part.bytes, 1,
                            access};
      std::byte *to = locate(warp, in, there, lane);
      tellCopy(warp, in, DataPath::copiedToGlobal, part.address, part.bytes);
      auto store = [&](uint32_t offset, uint64_t at, uint64_t count) {
        MemoryAccess here = {in.address(1).space, offset, uint32_t(count), 1,
                             Access::load};
        const std::byte *from = locate(warp, in, here, lane);
        if (from)
          startCopy(warp, &Warp::bulkCopies, lane,
                    [=] { combine(to + at, from, count); });
        return from != nullptr;
      };
      return to && eachPiece(copy.map.swizzle, uint32_t(source), part.offset,
                             part.bytes, store);
    });
    if (!stored)
      return Step::failed;
  }
  warp.polls = 0;
  return Step::next;
}

//===--- Choosing ---------------------------------------------------------===//

uint8_t rankOf(const Match &match) { return uint8_t(match["dim"][0] - '0'); }

template <bool toMany> Execute buildLoad(const Match &match, Instruction &in) {
  in.width = rankOf(match);
  return runLoad<toMany>;
}
Execute buildStore(const Match &match, Instruction &in) {
  in.width = rankOf(match);
  in.mode = match.has("op") ? uint8_t(reduceOpFromName(match["op"])) : copies;
  // Others of the launch may add to the same location.
  in.communicates = in.mode != copies;
  return runStore;
}
Execute reject(const Match &match, Instruction &) {
  match.reject(match.has("mode") ? "the mode ." + std::string(match["mode"])
                                 : "pairs of blocks are for sm_100 and later");
  return nullptr;
}
Step runNothing(Warp &, const Instruction &) { return Step::next; }
Execute buildNothing(const Match &, Instruction &) { return runNothing; }

//===--- The table --------------------------------------------------------===//

#define DIM "dim=1d|2d|3d|4d|5d "
#define HINT ".L2::cache_hint "
#define LOAD_TO(SPACES, MODE)                                                  \
  ".async .bulk .tensor " DIM "dst=" SPACES " .global " MODE                   \
  ".mbarrier::complete_tx::bytes "
#define LOAD(MODE) LOAD_TO("shared::cluster|shared::cta", MODE)
#define MULTICAST LOAD_TO("shared::cluster", ".tile? ") ".multicast::cluster "
#define TO_GLOBAL " .bulk .tensor " DIM ".global .shared::cta "
#define STORE(MODE) ".async" TO_GLOBAL MODE ".bulk_group "
#define REDUCE(MODE)                                                           \
  ".reduce .async" TO_GLOBAL "op=add|min|max|inc|dec|and|or|xor " MODE         \
  ".bulk_group "
#define PREFETCH(MODE) ".async .bulk .prefetch .tensor " DIM ".L2 .global " MODE

#define FROM_TENSOR "[d:dst], [m:generic, {c}:s32], [b:dst]"
#define TO_TENSOR "[m:generic, {c}:s32], [a:shared::cta]"
#define MASK ", mask:b16"
#define POLICY ", policy:b64"

#define LOAD_SECTION "9.7.9.25.5.2"
#define REDUCE_SECTION "9.7.9.25.5.3"
#define PREFETCH_SECTION "9.7.9.25.5.4"

#define OTHER_LOADS "mode=im2col|im2col::w|im2col::w::128|tile::gather4 "
#define OTHER_STORES "mode=im2col_no_offs|tile::scatter4 "

constexpr Form table[] = {
    {"cp", LOAD(".tile? "), FROM_TENSOR, LOAD_SECTION, buildLoad<false>},
    {"cp", LOAD(".tile? ") HINT, FROM_TENSOR POLICY, LOAD_SECTION,
     buildLoad<false>},
    {"cp", MULTICAST, FROM_TENSOR MASK, LOAD_SECTION, buildLoad<true>},
    {"cp", MULTICAST HINT, FROM_TENSOR MASK POLICY, LOAD_SECTION,
     buildLoad<true>},
    {"cp", STORE(".tile? "), TO_TENSOR, LOAD_SECTION, buildStore},
    {"cp", STORE(".tile? ") HINT, TO_TENSOR POLICY, LOAD_SECTION, buildStore},
    {"cp", REDUCE(".tile? "), TO_TENSOR, REDUCE_SECTION, buildStore},
    {"cp", REDUCE(".tile? ") HINT, TO_TENSOR POLICY, REDUCE_SECTION,
     buildStore},
    {"cp", PREFETCH(".tile? "), "[m:generic, {c}:s32]", PREFETCH_SECTION,
     buildNothing},
    {"cp", PREFETCH(".tile? ") HINT, "[m:generic, {c}:s32]" POLICY,
     PREFETCH_SECTION, buildNothing},
    // What the facts at hand do not settle, or later targets have.
    {"cp",
     LOAD(OTHER_LOADS) ".multicast::cluster? "
                       "cta?=cta_group::1|cta_group::2 .L2::cache_hint?",
     "*", LOAD_SECTION, reject},
    {"cp",
     LOAD(".tile? ") ".multicast::cluster? "
                     "cta=cta_group::1|cta_group::2 .L2::cache_hint?",
     "*", LOAD_SECTION, reject},
    {"cp", STORE(OTHER_STORES) ".L2::cache_hint?", "*", LOAD_SECTION, reject},
    {"cp", REDUCE(OTHER_STORES) ".L2::cache_hint?", "*", REDUCE_SECTION,
     reject},
    {"cp", PREFETCH(OTHER_LOADS) ".L2::cache_hint?", "*", PREFETCH_SECTION,
     reject},
};
} // namespace

std::span<const Form> tensorCopyForms() { return table; }

} // namespace tilewright::emulator
