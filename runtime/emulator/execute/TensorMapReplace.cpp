// Changes of tensor maps by kernels: PTX sections 9.7.9.26.1 and 9.7.13.15.18.
#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/machine/TensorMap.h"
#include "support/Format.h"
#include <bit>
#include <cstring>

namespace tilewright::emulator {

namespace {

enum class Field : uint8_t {
  address,
  rank,
  box,
  size,
  stride,
  elementStride,
  element,
  interleave,
  swizzle,
  fill,
};

/// The values of Table 33, which are not the driver's.
constexpr TensorElement elements[] = {
    TensorElement::u8,         TensorElement::u16,  TensorElement::u32,
    TensorElement::s32,        TensorElement::u64,  TensorElement::s64,
    TensorElement::f16,        TensorElement::f32,  TensorElement::f32Flushed,
    TensorElement::f64,        TensorElement::bf16, TensorElement::tf32,
    TensorElement::tf32Flushed};

constexpr bool hasOrdinal(Field field) {
  return field >= Field::box && field <= Field::elementStride;
}

/// The allowed values of a field are those below; 0: any. Combinations are
/// checked when the map is used.
constexpr uint64_t limitOf(Field field) {
  switch (field) {
  case Field::rank:
    return 5;
  case Field::element:
    return std::size(elements);
  case Field::interleave:
    return 3;
  case Field::swizzle:
    return 4;
  case Field::fill:
    return 2;
  default:
    return 0;
  }
}

/// The stride of the dimension after the ordinal.
void set(TensorMap &map, Field field, unsigned ordinal, uint64_t value) {
  switch (field) {
  case Field::address:
    map.address = value;
    break;
  case Field::rank:
    map.rank = uint32_t(value) + 1;
    break;
  case Field::box:
    map.box[ordinal] = uint32_t(value);
    break;
  case Field::size:
    map.size[ordinal] = value;
    break;
  case Field::stride:
    map.stride[ordinal + 1] = value;
    break;
  case Field::elementStride:
    map.elementStride[ordinal] = uint32_t(value);
    break;
  case Field::element:
    map.element = elements[value];
    break;
  case Field::interleave:
    map.interleave = TensorInterleave(value);
    break;
  case Field::swizzle:
    map.swizzle = TensorSwizzle(value);
    break;
  case Field::fill:
    map.fill = TensorFill(value);
    break;
  }
}

/// A new value for one lane's map. `ordinal` and `value` as the operands say
/// them. False: a fault is recorded.
bool replace(Warp &warp, const Instruction &in, unsigned lane, Field field,
             uint32_t ordinal, uint64_t value) {
  MemoryAccess memoryAccess = {AddressSpace(in.space),
                               laneAddress(warp, in, in.operands[0], 0, lane),
                               tensorMapBytes, 64, Access::atomic};
  std::byte *host = locate(warp, in, memoryAccess, lane);
  if (!host)
    return false;
  std::span<std::byte, tensorMapBytes> bytes(host, tensorMapBytes);
  auto map = readTensorMap(bytes);
  uint64_t limit = limitOf(field);
  uint32_t ordinals = field == Field::stride ? 4 : 5;
  std::string why;
  if (!map.ok())
    why = map.status().message();
  else if (limit && value >= limit)
    why = format("expected a value below {}, found {}", {limit, value});
  else if (ordinal >= ordinals)
    why =
        format("expected a dimension below {}, found {}", {ordinals, ordinal});
  if (!why.empty()) {
    fail(warp, in, FaultCode::undefinedBehavior, why, lane,
         memoryAccess.address);
    return false;
  }
  set(*map, field, ordinal, value);
  write(*map, bytes);
  warp.changed |= isInGlobal(warp, in, in.operands[0]);
  return true;
}

/// T: the bits of the value.
template <class T> Step runReplace(Warp &warp, const Instruction &in) {
  const auto field = Field(in.mode);
  const bool ordered = hasOrdinal(field);
  for (uint32_t rest = warp.active; rest; rest &= rest - 1) {
    unsigned lane = unsigned(std::countr_zero(rest));
    uint32_t ordinal = ordered ? operand<uint32_t>(warp, in, 1)[lane] : 0;
    T value = operand<T>(warp, in, ordered ? 2 : 1)[lane];
    if (!replace(warp, in, lane, field, ordinal, value))
      return Step::failed;
  }
  return Step::next;
}
template <Field field>
Execute buildReplace(const Match &match, Instruction &in) {
  in.mode = uint8_t(field);
  return typeBits(match.type()) == 64 ? runReplace<uint64_t>
                                      : runReplace<uint32_t>;
}

/// The warp's lanes copy one map together.
Step runCopyFence(Warp &warp, const Instruction &in) {
  const uint32_t size = operand<uint32_t>(warp, in, 2)[0];
  if (size != tensorMapBytes)
    return fail(warp, in, FaultCode::undefinedBehavior,
                format("expected a size of 128, found {}", {size}));
  LaneAddresses to, from;
  if (!findAddresses(warp, in, in.operands[0], size, Access::store, to, 64,
                     0) ||
      !findAddresses(warp, in, in.operands[1], size, Access::load, from, 64, 1))
    return Step::failed;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (to.of(lane) != to.of(0) || from.of(lane) != from.of(0))
      return fail(warp, in, FaultCode::undefinedBehavior,
                  "expected the same addresses in all lanes", lane);
  std::memcpy(to.of(0), from.of(0), size);
  warp.polls = 0;
  warp.changed = true;
  return Step::next;
}
Execute buildCopyFence(const Match &, Instruction &) { return runCopyFence; }

Execute reject(const Match &match, Instruction &) {
  match.reject("the atomicity of swizzles is for sm_100 and later");
  return nullptr;
}

//===--- The table --------------------------------------------------------===//

#define REPLACE(FIELD, TYPE, OPERANDS, FUNCTION)                               \
  {"tensormap",                                                                \
   ".replace .tile ." FIELD " ss?=global|shared::cta .b1024 type=" TYPE,       \
   OPERANDS, "9.7.9.26.1", FUNCTION}
#define VALUE(TYPE) "[a], value:" TYPE
#define ORDERED(TYPE) "[a], #ordinal:u32, value:" TYPE
#define CONSTANT "[a], #value:u32"

constexpr Form table[] = {
    REPLACE("global_address", "b64", VALUE("b64"),
            buildReplace<Field::address>),
    REPLACE("rank", "b32", VALUE("b32"), buildReplace<Field::rank>),
    REPLACE("box_dim", "b32", ORDERED("b32"), buildReplace<Field::box>),
    REPLACE("global_dim", "b32", ORDERED("b32"), buildReplace<Field::size>),
    REPLACE("global_stride", "b64", ORDERED("b64"),
            buildReplace<Field::stride>),
    REPLACE("element_stride", "b32", ORDERED("b32"),
            buildReplace<Field::elementStride>),
    REPLACE("elemtype", "b32", CONSTANT, buildReplace<Field::element>),
    REPLACE("interleave_layout", "b32", CONSTANT,
            buildReplace<Field::interleave>),
    REPLACE("swizzle_mode", "b32", CONSTANT, buildReplace<Field::swizzle>),
    REPLACE("fill_mode", "b32", CONSTANT, buildReplace<Field::fill>),
    REPLACE("swizzle_atomicity", "b32", "*", reject),
    {"tensormap",
     ".cp_fenceproxy .global .shared::cta .tensormap::generic .release "
     "scope=cta|cluster|gpu|sys .sync .aligned",
     "[d:global], [a:shared::cta], #size:u32", "9.7.13.15.18", buildCopyFence},
};
} // namespace

std::span<const Form> tensorMapForms() { return table; }

} // namespace tilewright::emulator
