// Matrices between memory and registers: PTX sections 9.7.14.4.3, .4
// (wmma.load, wmma.store) and 9.7.14.5.15 to .17 (ldmatrix, stmatrix,
// movmatrix).
#include "runtime/emulator/execute/Access.h"
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/execute/WarpSync.h"
#include "runtime/emulator/tensor/MatrixMultiply.h"
#include "support/Format.h"
#include <cstring>

namespace tilewright::emulator {
namespace {

//===--- ldmatrix, stmatrix, movmatrix ------------------------------------===//

/// Lanes 8 j to 8 j + 7 have the addresses of matrix j's rows; those of other
/// lanes do not count.
bool findRows(Warp &warp, const Instruction &in, unsigned address,
              unsigned matrices, Access access, LaneAddresses &addresses) {
  uint32_t active = warp.active;
  if (matrices < 4)
    warp.active = (uint32_t{1} << 8 * matrices) - 1;
  bool found =
      findAddresses(warp, in, in.operands[address], 16, access, addresses);
  warp.active = active;
  return found;
}

Step runLdmatrix(Warp &warp, const Instruction &in) {
  if (Step step = wholeWarp(warp, in); step != Step::next)
    return step;
  unsigned matrices = in.vectorLengths[0];
  LaneAddresses addresses;
  if (!findRows(warp, in, matrices, matrices, Access::load, addresses))
    return Step::failed;
  for (unsigned j = 0; j < matrices; ++j) {
    const void *rows[8];
    for (unsigned row = 0; row < 8; ++row)
      rows[row] = addresses.of(unsigned(rowAddressLane(int(j), int(row))));
    rowsToLanes(rows, in.mode != 0, operand<uint32_t>(warp, in, j));
  }
  return Step::next;
}
Step runStmatrix(Warp &warp, const Instruction &in) {
  if (Step step = wholeWarp(warp, in); step != Step::next)
    return step;
  unsigned matrices = in.vectorLengths[0];
  LaneAddresses addresses;
  if (!findRows(warp, in, 0, matrices, Access::store, addresses))
    return Step::failed;
  for (unsigned j = 0; j < matrices; ++j) {
    void *rows[8];
    for (unsigned row = 0; row < 8; ++row)
      rows[row] = addresses.of(unsigned(rowAddressLane(int(j), int(row))));
    lanesToRows(operand<uint32_t>(warp, in, 1 + j), in.mode != 0, rows);
  }
  return Step::next;
}
Execute buildMatrices(const Match &match, Instruction &in, Execute run) {
  in.mode = match.has("trans");
  unsigned expected = unsigned(match["num"][1] - '0');
  if (in.vectorLengths[0] == expected)
    return run;
  match.reject(format("expected {} registers, found {}",
                      {expected, in.vectorLengths[0]}));
  return nullptr;
}
Execute buildLdmatrix(const Match &match, Instruction &in) {
  return buildMatrices(match, in, runLdmatrix);
}
Execute buildStmatrix(const Match &match, Instruction &in) {
  return buildMatrices(match, in, runStmatrix);
}

Step runMovmatrix(Warp &warp, const Instruction &in) {
  if (Step step = wholeWarp(warp, in); step != Step::next)
    return step;
  transposeLanes(operand<uint32_t>(warp, in, 1),
                 operand<uint32_t>(warp, in, 0));
  return Step::next;
}
Execute buildMovmatrix(const Match &, Instruction &) { return runMovmatrix; }

//===--- wmma.load, wmma.store --------------------------------------------===//

// Instruction::mode: whether the matrix is stored by columns.

MatrixRole roleOf(const Match &match) {
  return match["matrix"] == "a"   ? MatrixRole::a
         : match["matrix"] == "b" ? MatrixRole::b
                                  : MatrixRole::accumulator;
}

#define WMMA_FRAGMENTS                                                         \
  FRAGMENT(m16n16k16, 16, 16, 16)                                              \
  FRAGMENT(m32n8k16, 32, 8, 16)                                                \
  FRAGMENT(m8n32k16, 8, 32, 16)                                                \
  FRAGMENT(m16n16k8, 16, 16, 8)                                                \
  FRAGMENT(m8n8k4, 8, 8, 4)                                                    \
  FRAGMENT(m8n8k32, 8, 8, 32)                                                  \
  FRAGMENT(m8n8k128, 8, 8, 128)

StatusOr<Fragment> fragmentOf(const Match &match) {
  ElementType type = ElementType::f16;
#define TENSOR_ELEMENT(NAME, BITS, BYTES, EXPONENT, FRACTION, SPECIAL)         \
  if (match["type"] == #NAME)                                                  \
    type = ElementType::NAME;
#include "runtime/emulator/tensor/ElementTypes.inc"
#undef TENSOR_ELEMENT
#define FRAGMENT(NAME, M, N, K)                                                \
  if (match["shape"] == #NAME)                                                 \
    return findWmmaFragment(roleOf(match), type, M, N, K);
  WMMA_FRAGMENTS
#undef FRAGMENT
  return Status::unsupported("no such shape");
}

/// A fragment in the 64 bits of Instruction::data.
uint64_t packed(const Fragment &fragment) {
  return uint64_t(fragment.type) | uint64_t(fragment.role) << 8 |
         uint64_t(fragment.rows) << 16 | uint64_t(fragment.columns) << 32 |
         uint64_t(fragment.copies) << 48 | uint64_t(fragment.run) << 56;
}
Fragment unpacked(uint64_t bits) {
  Fragment fragment{};
  fragment.type = ElementType(bits & 0xFF);
  fragment.role = MatrixRole(bits >> 8 & 0xFF);
  fragment.rows = int(bits >> 16 & 0xFFFF);
  fragment.columns = int(bits >> 32 & 0xFFFF);
  fragment.copies = int(bits >> 48 & 0xFF);
  fragment.run = int(bits >> 56);
  return fragment;
}

/// Calls function(lane, register, byte in it, host memory, bytes) for each
/// piece of the fragment that is contiguous in memory: an element, or a
/// register of those that are smaller than a byte.
template <typename F>
bool eachPiece(Warp &warp, const Instruction &in, const Fragment &fragment,
               unsigned address, unsigned strideOperand, Access access,
               F function) {
  int bits = elementFacts(fragment.type).registerBits;
  int step = bits < 8 ? fragment.elementsPerRegister() : 1;
  uint32_t bytes = uint32_t(std::max(bits * step / 8, 1));
  bool byColumns = in.mode != 0;
  int64_t stride = byColumns ? fragment.rows : fragment.columns;
  if (in.operands[strideOperand].present())
    stride = operand<int32_t>(warp, in, strideOperand)[0];
  uint64_t addresses[32];
  const Address base = in.address(0);
  readAddresses(warp, base, in.operands[address], addresses);
  for (int lane = 0; lane < 32; ++lane)
    for (int element = 0; element < fragment.elements(); element += step) {
      int64_t offset =
          elementOffset(fragment.index(lane, element), byColumns, stride);
      MemoryAccess memoryAccess = {
          base.space, addresses[lane] + uint64_t(offset * bits / 8), bytes,
          bytes, access};
      std::byte *host = locate(warp, in, memoryAccess, unsigned(lane));
      if (!host)
        return false;
      int perRegister = fragment.elementsPerRegister();
      function(lane, unsigned(element / perRegister),
               size_t(element % perRegister) * size_t(bits) / 8, host, bytes);
    }
  return true;
}

Step runWmmaLoad(Warp &warp, const Instruction &in) {
  if (Step step = wholeWarp(warp, in); step != Step::next)
    return step;
  Fragment fragment = unpacked(in.data);
  unsigned count = unsigned(fragment.registers());
  size_t width = size_t(fragment.registerBits()) / 8;
  bool done =
      eachPiece(warp, in, fragment, count, count + 1, Access::load,
                [&](int lane, unsigned reg, size_t byte, std::byte *host,
                    uint32_t bytes) {
                  std::byte *lanes = operand<std::byte>(warp, in, reg);
                  std::memcpy(lanes + size_t(lane) * width + byte, host, bytes);
                });
  return done ? Step::next : Step::failed;
}
Step runWmmaStore(Warp &warp, const Instruction &in) {
  if (Step step = wholeWarp(warp, in); step != Step::next)
    return step;
  Fragment fragment = unpacked(in.data);
  unsigned count = unsigned(fragment.registers());
  size_t width = size_t(fragment.registerBits()) / 8;
  bool done =
      eachPiece(warp, in, fragment, 0, 1 + count, Access::store,
                [&](int lane, unsigned reg, size_t byte, std::byte *host,
                    uint32_t bytes) {
                  const std::byte *lanes =
                      operand<std::byte>(warp, in, 1 + reg);
                  std::memcpy(host, lanes + size_t(lane) * width + byte, bytes);
                });
  warp.changed |= isInGlobal(warp, in, in.operands[0]);
  return done ? Step::next : Step::failed;
}
Execute buildWmmaMove(const Match &match, Instruction &in, Execute run) {
  StatusOr<Fragment> fragment = fragmentOf(match);
  if (!fragment) {
    match.reject(fragment.status().message());
    return nullptr;
  }
  if (in.vectorLengths[0] != fragment->registers()) {
    match.reject(format("expected {} registers, found {}",
                        {fragment->registers(), in.vectorLengths[0]}));
    return nullptr;
  }
  in.mode = match["layout"] == "col";
  in.data = packed(*fragment);
  return run;
}
Execute buildWmmaLoad(const Match &match, Instruction &in) {
  return buildWmmaMove(match, in, runWmmaLoad);
}
Execute buildWmmaStore(const Match &match, Instruction &in) {
  return buildWmmaMove(match, in, runWmmaStore);
}

//===--- The table --------------------------------------------------------===//

#define SHAPES                                                                 \
  "shape=m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 "
#define SPACES "ss?=global|shared|shared::cta "
#define PREFIX ".sync .aligned layout=row|col " SHAPES SPACES

constexpr Form table[] = {
    {"ldmatrix",
     ".sync .aligned .m8n8 num=x1|x2|x4 .trans? ss?=shared|shared::cta .b16",
     "{d*}:b32, [a]", "9.7.14.5.15", buildLdmatrix},
    {"stmatrix",
     ".sync .aligned .m8n8 num=x1|x2|x4 .trans? ss?=shared|shared::cta .b16",
     "[a], {b*}:b32", "9.7.14.5.16", buildStmatrix},
    {"movmatrix", ".sync .aligned .m8n8 .trans .b16", "d:b32, a:b32",
     "9.7.14.5.17", buildMovmatrix},
    {"wmma", ".load matrix=a|b " PREFIX "type=f16|bf16|tf32|s8|u8|s4|u4|b1",
     "{d*}:b32, [a], stride:b32?", "9.7.14.4.3", buildWmmaLoad},
    {"wmma", ".load matrix=a|b|c " PREFIX "type=f64",
     "{d*}:b64, [a], stride:b32?", "9.7.14.4.3", buildWmmaLoad},
    {"wmma", ".load matrix=c " PREFIX "type=f16|f32|s32",
     "{d*}:b32, [a], stride:b32?", "9.7.14.4.3", buildWmmaLoad},
    {"wmma", ".store matrix=d " PREFIX "type=f16|f32|s32",
     "[a], {b*}:b32, stride:b32?", "9.7.14.4.4", buildWmmaStore},
    {"wmma", ".store matrix=d " PREFIX "type=f64", "[a], {b*}:b64, stride:b32?",
     "9.7.14.4.4", buildWmmaStore},
};
} // namespace

std::span<const Form> matrixMoveForms() { return table; }

} // namespace tilewright::emulator
