// Matrix multiplication: PTX sections 9.7.14 (wmma, mma, mma.sp) and 9.7.15
// (wgmma).
#include "runtime/emulator/execute/Tables.h"
#include "runtime/emulator/execute/WarpSync.h"
#include "runtime/emulator/machine/Locate.h"
#include "runtime/emulator/tensor/MatrixMultiply.h"
#include "support/Format.h"
#include <map>
#include <mutex>

namespace tilewright::emulator {

// What an instruction computes is prepared when it is decoded; it hangs on the
// instruction's immediate.

namespace {

struct Size {
  int m = 0, n = 0, k = 0;
};
/// Reads "m16n8k16".
Size sizeOf(std::string_view text) {
  Size size;
  int *number = nullptr;
  for (char c : text) {
    if (c == 'm' || c == 'n' || c == 'k')
      number = c == 'm' ? &size.m : c == 'n' ? &size.n : &size.k;
    else if (number && c >= '0' && c <= '9' && *number < 1000)
      *number = *number * 10 + (c - '0');
  }
  return size;
}

ElementType elementOf(std::string_view name) {
#define TENSOR_ELEMENT(NAME, BITS, BYTES, EXPONENT, FRACTION, SPECIAL)         \
  if (name == #NAME)                                                           \
    return ElementType::NAME;
#include "runtime/emulator/tensor/ElementTypes.inc"
#undef TENSOR_ELEMENT
  return ElementType::f16;
}

Rounding roundingOf(const Match &match) {
  std::string_view rnd = match["rnd"];
  return rnd == "rz"   ? Rounding::towardZero
         : rnd == "rm" ? Rounding::down
         : rnd == "rp" ? Rounding::up
                       : Rounding::nearestEven;
}

/// Kept for the life of the process: there are few.
const MatrixMultiply *keep(const std::string &key, const MatrixMultiply &made) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<MatrixMultiply>> kept;
  std::lock_guard lock(mutex);
  std::unique_ptr<MatrixMultiply> &entry = kept[key];
  if (!entry)
    entry = std::make_unique<MatrixMultiply>(made);
  return entry.get();
}

/// Prepares the instruction; null, with the reason in `match`.
const MatrixMultiply *prepare(const Match &match, MatrixOperation operation) {
  StatusOr<TensorArchitecture> architecture =
      tensorArchitecture(int(match.capability));
  if (!architecture) {
    match.reject(architecture.status().message());
    return nullptr;
  }
  Size size = sizeOf(match["shape"]);
  operation.depth = size.k;
  operation.saturate = match.has("satfinite");
  operation.rounding = roundingOf(match);
  operation.bitOperation = match["bitop"] == "and" ? BitOperation::conjunction
                                                   : BitOperation::exclusiveOr;
  operation.sparse = match.has("sparse");
  bool ordered = match["sparse"] == "sp::ordered_metadata";
  StatusOr<MatrixMultiply> made =
      prepareMultiply(*architecture, operation, size.m, size.n, ordered);
  if (!made) {
    match.reject(made.status().message());
    return nullptr;
  }
  std::string key =
      format("{}.{}", {match.capability, int(operation.instruction)});
  for (std::string_view slot : {"shape", "dtype", "atype", "btype", "ctype",
                                "satfinite", "rnd", "bitop", "sparse"})
    key += "." + std::string(match[slot]);
  return keep(key, *made);
}

/// `.f16.f16` of f16 wmma has only the types of D and C.
MatrixOperation operationOf(const Match &match, MatrixInstruction instruction) {
  MatrixOperation operation;
  operation.instruction = instruction;
  operation.d = elementOf(match["dtype"]);
  operation.c = match.has("ctype") ? elementOf(match["ctype"]) : operation.d;
  operation.a =
      match.has("atype") ? elementOf(match["atype"]) : ElementType::f16;
  operation.b =
      match.has("btype") ? elementOf(match["btype"]) : ElementType::f16;
  return operation;
}

const MatrixMultiply &preparedOf(const Instruction &in) {
  return *reinterpret_cast<const MatrixMultiply *>(in.immediate);
}

/// Pointers to the lanes of `count` operands from `first` on.
template <class T, size_t N>
void registers(Warp &warp, const Instruction &in, unsigned first, int count,
               std::array<T *, N> &out) {
  for (int i = 0; i < count; ++i)
    out[size_t(i)] = operand<std::byte>(warp, in, first + unsigned(i));
}

bool lengthsAre(const Match &match, const Instruction &in,
                std::initializer_list<int> expected) {
  size_t i = 0;
  for (int length : expected) {
    if (in.vectorLengths[i] != length) {
      match.reject(format("expected {} registers in vector {}, found {}",
                          {length, i + 1, in.vectorLengths[i]}));
      return false;
    }
    ++i;
  }
  return true;
}

//===--- mma, wmma.mma ----------------------------------------------------===//

Step runMma(Warp &warp, const Instruction &in) {
  if (Step step = wholeWarp(warp, in); step != Step::next)
    return step;
  const MatrixMultiply &multiply = preparedOf(in);
  std::array<const void *, 16> a, b, c;
  std::array<void *, 16> d;
  unsigned next = 0;
  auto take = [&](const Fragment &fragment, auto &out) {
    registers(warp, in, next, fragment.registers(), out);
    next += unsigned(fragment.registers());
  };
  take(multiply.d, d);
  take(multiply.a, a);
  take(multiply.b, b);
  take(multiply.c, c);
  WarpRegisters all = {a.data(), b.data(), c.data(), d.data()};
  if (multiply.rule.operation.sparse) {
    all.metadata = operand<uint32_t>(warp, in, next);
    all.selector = operand<uint32_t>(warp, in, next + 1)[0];
  }
  if (Status status = runMultiply(multiply, all); !status.ok())
    return fail(warp, in, FaultCode::undefinedBehavior, status.message());
  return Step::next;
}

Execute buildMultiply(const Match &match, Instruction &in,
                      MatrixInstruction instruction) {
  const MatrixMultiply *multiply =
      prepare(match, operationOf(match, instruction));
  if (!multiply ||
      !lengthsAre(match, in,
                  {multiply->d.registers(), multiply->a.registers(),
                   multiply->b.registers(), multiply->c.registers()}))
    return nullptr;
  in.immediate = reinterpret_cast<uint64_t>(multiply);
  return runMma;
}
Execute buildMma(const Match &match, Instruction &in) {
  return buildMultiply(match, in, MatrixInstruction::mma);
}
Execute buildWmma(const Match &match, Instruction &in) {
  return buildMultiply(match, in, MatrixInstruction::wmma);
}

//===--- wgmma ------------------------------------------------------------===//

/// Operands behind the registers of D.
struct WgmmaOperands {
  bool aInRegisters = false;
  unsigned a = 0, b = 0, metadata = 0, scale = 0, immediates = 0;
};
WgmmaOperands layOut(const MatrixMultiply &multiply, const Instruction &in) {
  WgmmaOperands at;
  at.a = unsigned(multiply.d.registers());
  at.aInRegisters = in.mode != 0;
  at.b = at.a + (at.aInRegisters ? unsigned(multiply.a.registers()) : 1);
  at.metadata = at.b + 1;
  at.scale = at.metadata + (multiply.rule.operation.sparse ? 2 : 0);
  at.immediates = at.scale + 1;
  return at;
}

/// False: the operand has bytes that a copy is about to write; a fault is
/// recorded. It has `lines` lines from `first` on.
bool isThere(Warp &warp, const Instruction &in, const SharedOperand &operand,
             ElementType type, int first, int lines, int depth) {
  const Block &block = *warp.block;
  if (!block.pendingWords.any())
    return true;
  constexpr int chunkBytes = 16;
  const int inChunk = 8 * chunkBytes / elementFacts(type).registerBits;
  const SharedMatrix matrix = decodeDescriptor(operand.descriptor);
  const bool alongK = operand.major == MajorDimension::k;
  for (int mn = first; mn < first + lines; mn += alongK ? 1 : inChunk)
    for (int k = 0; k < depth; k += alongK ? inChunk : 1) {
      uint32_t address = elementAddress(matrix, operand.major, type, mn, k);
      if (!block.pendingWords.touches(address, chunkBytes))
        continue;
      failForRace(warp, in, block, address, chunkBytes, 0, address);
      return false;
    }
  return true;
}

/// Each warp of a warpgroup computes its rows when it runs; programs cannot
/// observe the difference.
Step runWgmma(Warp &warp, const Instruction &in) {
  if (Step step = wholeWarp(warp, in); step != Step::next)
    return step;
  const MatrixMultiply &multiply = preparedOf(in);
  WgmmaOperands at = layOut(multiply, in);
  auto immediate = [&](unsigned index) {
    return at.immediates + index < in.operandCount &&
                   in.operands[at.immediates + index].present()
               ? operand<int32_t>(warp, in, at.immediates + index)[0]
               : 0;
  };
  std::array<const void *, 16> a;
  std::array<void *, 128> d;
  registers(warp, in, 0, multiply.d.registers(), d);
  WarpgroupOperands operands = {};
  operands.warp = int(warp.index % 4);
  MajorDimension aMajor = MajorDimension::k, bMajor = MajorDimension::k;
  if (at.aInRegisters) {
    registers(warp, in, at.a, multiply.a.registers(), a);
    operands.aRegisters = a.data();
    bMajor = immediate(2) ? MajorDimension::mn : MajorDimension::k;
  } else {
    aMajor = immediate(2) ? MajorDimension::mn : MajorDimension::k;
    bMajor = immediate(3) ? MajorDimension::mn : MajorDimension::k;
    operands.a = {operand<uint64_t>(warp, in, at.a)[0], aMajor};
  }
  operands.b = {operand<uint64_t>(warp, in, at.b)[0], bMajor};
  const MatrixOperation &operation = multiply.rule.operation;
  if ((!at.aInRegisters &&
       !isThere(warp, in, operands.a, operation.a, 16 * operands.warp,
                multiply.rows, multiply.a.columns)) ||
      !isThere(warp, in, operands.b, operation.b, 0, multiply.columns,
               operation.depth))
    return Step::failed;
  operands.shared = warp.block->shared;
  operands.sharedBytes = warp.block->sharedBytes;
  operands.c = predicateOperand(warp, in, at.scale) & 1 ? d.data() : nullptr;
  operands.d = d.data();
  operands.negateA = immediate(0) == -1;
  operands.negateB = immediate(1) == -1;
  if (operation.sparse) {
    operands.metadata = operand<uint32_t>(warp, in, at.metadata);
    operands.selector = operand<uint32_t>(warp, in, at.metadata + 1)[0];
  }
  if (Status status = runWarpgroupMultiply(multiply, operands); !status.ok())
    return fail(warp, in, FaultCode::outOfBounds, status.message());
  return Step::next;
}

/// The file's target has the features that wgmma needs.
Execute buildWgmma(const Match &match, Instruction &in) {
  MatrixOperation operation = operationOf(match, MatrixInstruction::wgmma);
  const MatrixMultiply *multiply = prepare(match, operation);
  if (!multiply)
    return nullptr;
  bool aInRegisters = in.vectorLengths[1] != 0;
  if (!(aInRegisters
            ? lengthsAre(match, in,
                         {multiply->d.registers(), multiply->a.registers()})
            : lengthsAre(match, in, {multiply->d.registers()})))
    return nullptr;
  in.mode = aInRegisters;
  in.immediate = reinterpret_cast<uint64_t>(multiply);
  return runWgmma;
}

/// wgmma is done when it has been issued.
Step runNothing(Warp &, const Instruction &) { return Step::next; }
Execute buildNothing(const Match &, Instruction &) { return runNothing; }

//===--- The table --------------------------------------------------------===//

#define MMA_SHAPES                                                             \
  "shape=m16n8k4|m16n8k8|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256|"      \
  "m8n8k4|m8n8k16|m8n8k32|m8n8k128 "
#define F8 "e4m3|e5m2|e3m2|e2m3|e2m1"
#define FLOATS "f16|bf16|tf32|" F8
#define INTEGERS "s8|u8|s4|u4"
#define ABCD "{d*}:b32, {a*}:b32, {b*}:b32, {c*}:b32"
#define ABCD64 "{d*}:b64, {a*}:b64, {b*}:b64, {c*}:b64"
#define SPARSE_OPERANDS ABCD ", e:b32, #f:u32"
#define MMA "9.7.14.5.14"
#define MMA_SP "9.7.14.6.3"
#define WMMA "9.7.14.4.5"
#define WMMA_SHAPES                                                            \
  "shape=m16n16k16|m32n8k16|m8n32k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128 "
#define LAYOUTS "alayout=row|col blayout=row|col "
#define WGMMA "9.7.15.5.2"
#define FROM_SHARED "{d*}:b32, a:b64, b:b64, "
#define FROM_REGISTERS "{d*}:b32, {a*}:b32, b:b64, "
#define METADATA "e:b32, #f:u32, "
#define SCALES "scale:pred, #sa:s32, #sb:s32"

constexpr Form table[] = {
    {"mma",
     ".sync .aligned " MMA_SHAPES ".row .col kind?=kind::f8f6f4 dtype=f16|f32 "
     "atype=" FLOATS " btype=" FLOATS " ctype=f16|f32",
     ABCD, MMA, buildMma},
    {"mma",
     ".sync .aligned " MMA_SHAPES ".row .col .satfinite? dtype=s32 "
     "atype=" INTEGERS " btype=" INTEGERS " ctype=s32",
     ABCD, MMA, buildMma},
    {"mma",
     ".sync .aligned " MMA_SHAPES ".row .col dtype=s32 atype=b1 btype=b1 "
     "ctype=s32 bitop=xor|and .popc",
     ABCD, MMA, buildMma},
    {"mma",
     ".sync .aligned " MMA_SHAPES ".row .col rnd?=rn|rz|rm|rp dtype=f64 "
     "atype=f64 btype=f64 ctype=f64",
     ABCD64, MMA, buildMma},
    {"mma",
     "sparse=sp|sp::ordered_metadata .sync .aligned " MMA_SHAPES
     ".row .col kind?=kind::f8f6f4 dtype=f16|f32 atype=" FLOATS " btype=" FLOATS
     " ctype=f16|f32",
     SPARSE_OPERANDS, MMA_SP, buildMma},
    {"mma",
     "sparse=sp|sp::ordered_metadata .sync .aligned " MMA_SHAPES
     ".row .col .satfinite? dtype=s32 atype=" INTEGERS " btype=" INTEGERS
     " ctype=s32",
     SPARSE_OPERANDS, MMA_SP, buildMma},
    {"wmma",
     ".mma .sync .aligned " LAYOUTS WMMA_SHAPES
     "dtype=f16|f32 ctype=f16|f32 .satfinite?",
     ABCD, WMMA, buildWmma},
    {"wmma",
     ".mma .sync .aligned " LAYOUTS WMMA_SHAPES "dtype=s32 atype=" INTEGERS
     " btype=" INTEGERS " ctype=s32 .satfinite?",
     ABCD, WMMA, buildWmma},
    {"wmma",
     ".mma .sync .aligned " LAYOUTS WMMA_SHAPES
     "dtype=f32 atype=bf16|tf32 btype=bf16|tf32 ctype=f32",
     ABCD, WMMA, buildWmma},
    {"wmma",
     ".mma .sync .aligned " LAYOUTS WMMA_SHAPES
     "dtype=f64 atype=f64 btype=f64 ctype=f64 rnd?=rn|rz|rm|rp",
     ABCD64, WMMA, buildWmma},
    {"wmma",
     ".mma .sync .aligned " LAYOUTS WMMA_SHAPES
     "rnd=rn|rz|rm|rp dtype=f64 atype=f64 btype=f64 ctype=f64",
     ABCD64, WMMA, buildWmma},
    {"wmma",
     ".mma bitop=xor|and .popc .sync .aligned .row .col " WMMA_SHAPES
     "dtype=s32 atype=b1 btype=b1 ctype=s32",
     ABCD, WMMA, buildWmma},
    {"wgmma",
     ".mma_async .sync .aligned shape=m64n* dtype=f16|f32 atype=f16|bf16 "
     "btype=f16|bf16",
     FROM_SHARED SCALES ", #ta:s32, #tb:s32", WGMMA, buildWgmma},
    {"wgmma",
     ".mma_async .sync .aligned shape=m64n* dtype=f16|f32 atype=f16|bf16 "
     "btype=f16|bf16",
     FROM_REGISTERS SCALES ", #tb:s32", WGMMA, buildWgmma},
    {"wgmma",
     ".mma_async .sync .aligned shape=m64n* dtype=f16|f32 "
     "atype=tf32|e4m3|e5m2 btype=tf32|e4m3|e5m2",
     FROM_SHARED SCALES, WGMMA, buildWgmma},
    {"wgmma",
     ".mma_async .sync .aligned shape=m64n* dtype=f16|f32 "
     "atype=tf32|e4m3|e5m2 btype=tf32|e4m3|e5m2",
     FROM_REGISTERS SCALES, WGMMA, buildWgmma},
    {"wgmma",
     ".mma_async .sync .aligned shape=m64n* dtype=s32 atype=s8|u8 btype=s8|u8 "
     ".satfinite?",
     FROM_SHARED "scale:pred", WGMMA, buildWgmma},
    {"wgmma",
     ".mma_async .sync .aligned shape=m64n* dtype=s32 atype=s8|u8 btype=s8|u8 "
     ".satfinite?",
     FROM_REGISTERS "scale:pred", WGMMA, buildWgmma},
    {"wgmma",
     ".mma_async .sync .aligned shape=m64n* dtype=s32 atype=b1 btype=b1 "
     "bitop=and .popc",
     FROM_SHARED "scale:pred", WGMMA, buildWgmma},
    {"wgmma",
     ".mma_async .sync .aligned shape=m64n* dtype=s32 atype=b1 btype=b1 "
     "bitop=and .popc",
     FROM_REGISTERS "scale:pred", WGMMA, buildWgmma},
    {"wgmma",
     ".mma_async sparse=sp .sync .aligned shape=m64n* dtype=f16|f32 "
     "atype=f16|bf16 btype=f16|bf16",
     FROM_SHARED METADATA SCALES ", #ta:s32, #tb:s32", "9.7.15.6.4",
     buildWgmma},
    {"wgmma",
     ".mma_async sparse=sp .sync .aligned shape=m64n* dtype=f16|f32 "
     "atype=f16|bf16 btype=f16|bf16",
     FROM_REGISTERS METADATA SCALES ", #tb:s32", "9.7.15.6.4", buildWgmma},
    {"wgmma",
     ".mma_async sparse=sp .sync .aligned shape=m64n* dtype=f16|f32 "
     "atype=tf32|e4m3|e5m2 btype=tf32|e4m3|e5m2",
     FROM_SHARED METADATA SCALES, "9.7.15.6.4", buildWgmma},
    {"wgmma",
     ".mma_async sparse=sp .sync .aligned shape=m64n* dtype=f16|f32 "
     "atype=tf32|e4m3|e5m2 btype=tf32|e4m3|e5m2",
     FROM_REGISTERS METADATA SCALES, "9.7.15.6.4", buildWgmma},
    {"wgmma",
     ".mma_async sparse=sp .sync .aligned shape=m64n* dtype=s32 atype=s8|u8 "
     "btype=s8|u8 .satfinite?",
     FROM_SHARED METADATA "scale:pred", "9.7.15.6.4", buildWgmma},
    {"wgmma",
     ".mma_async sparse=sp .sync .aligned shape=m64n* dtype=s32 atype=s8|u8 "
     "btype=s8|u8 .satfinite?",
     FROM_REGISTERS METADATA "scale:pred", "9.7.15.6.4", buildWgmma},
    {"wgmma", ".fence .sync .aligned", "", "9.7.15.7.1", buildNothing},
    {"wgmma", ".commit_group .sync .aligned", "", "9.7.15.7.2", buildNothing},
    {"wgmma", ".wait_group .sync .aligned", "#n:u32", "9.7.15.7.3",
     buildNothing},
};
} // namespace

std::span<const Form> matrixForms() { return table; }

} // namespace tilewright::emulator
