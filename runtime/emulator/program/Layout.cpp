#include "runtime/emulator/program/Layout.h"
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Symbols.h"
#include "runtime/emulator/ptx/Lexer.h"
#include "support/Format.h"
#include <algorithm>

namespace tilewright::emulator {

uint64_t bytesOf(const ptx::Variable &variable) {
  uint64_t bytes = uint64_t{typeBits(variable.type)} / 8 * variable.vectorWidth;
  for (uint64_t size : variable.dims)
    bytes *= size;
  return bytes;
}

uint64_t alignmentOf(const ptx::Variable &variable) {
  uint64_t natural = typeBits(variable.type) / 8 * variable.vectorWidth;
  return std::max<uint64_t>({variable.alignment, natural, 1});
}

StatusOr<uint32_t> registersBehind(uint32_t used, const ptx::Variable &variable,
                                   uint64_t count) {
  uint64_t end = used + alignUp(registerBytes(variable.type) * count, 64);
  if (end >= uint64_t{1} << Ref::offsetBits)
    return ptx::errorAt(variable.name.at, "expected at most 1 GiB of registers "
                                          "in a function");
  return uint32_t(end);
}

StatusOr<uint64_t> placeBehind(uint64_t used, const ptx::Variable &variable,
                               uint64_t limit, std::string_view of) {
  // Alignments have a limit, so that this cannot overflow.
  uint64_t offset = alignUp(used, alignmentOf(variable));
  if (offset > limit || bytesOf(variable) > limit - offset)
    return ptx::errorAt(
        variable.name.at,
        format("expected at most {} bytes of {}, found {} from offset {} on",
               {limit, of, bytesOf(variable), offset}));
  return offset;
}

//===--- Parameters -------------------------------------------------------===//

/// The start of each frame, the destination of unused results.
static constexpr uint32_t sinkBytes = 32 * 16;

/// Adds a parameter, or a result, behind those of `signature`.
static StatusOr<Parameter> addSlot(Signature &signature,
                                   const ptx::Variable &variable) {
  Parameter parameter;
  parameter.name = variable.name.text;
  parameter.type = variable.type;
  if (variable.space == Space::reg) {
    parameter.bytes = typeBits(variable.type) / 8 * variable.vectorWidth;
    parameter.reg = Ref::make(Ref::frame, signature.frameBytes);
    TILEWRIGHT_ASSIGN_OR_RETURN(
        signature.frameBytes,
        registersBehind(signature.frameBytes, variable, variable.vectorWidth));
    return parameter;
  }
  TILEWRIGHT_ASSIGN_OR_RETURN(
      uint64_t offset,
      placeBehind(signature.localBytes, variable, maxLocalBytes, "parameters"));
  parameter.offset = uint32_t(offset);
  parameter.bytes = uint32_t(bytesOf(variable));
  signature.localBytes = parameter.offset + parameter.bytes;
  return parameter;
}

/// PTX section 7.1: parameters in the order they are declared.
StatusOr<Signature> signatureOf(std::span<const ptx::Variable> parameters,
                                std::span<const ptx::Variable> results) {
  Signature signature;
  signature.frameBytes = sinkBytes;
  for (const ptx::Variable &variable : parameters) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Parameter added, addSlot(signature, variable));
    signature.parameters.push_back(std::move(added));
  }
  for (const ptx::Variable &variable : results) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Parameter added, addSlot(signature, variable));
    signature.results.push_back(std::move(added));
  }
  return signature;
}

//===--- Shared memory ----------------------------------------------------===//

static bool isDynamic(const ptx::Variable &variable) {
  return variable.isUnsized() || variable.linkage == ptx::Linkage::external;
}

StatusOr<SharedLayout>
layOutShared(std::span<const ptx::Variable *const> variables) {
  SharedLayout layout;
  uint64_t dynamicAlignment = 1;
  for (const ptx::Variable *variable : variables) {
    if (isDynamic(*variable)) {
      dynamicAlignment =
          std::max<uint64_t>({dynamicAlignment, alignmentOf(*variable), 16});
      continue;
    }
    TILEWRIGHT_ASSIGN_OR_RETURN(uint64_t offset,
                                placeBehind(layout.bytes, *variable,
                                            sharedOffsetMask, "shared memory"));
    layout.offsets[variable] = uint32_t(offset);
    layout.bytes = uint32_t(offset + bytesOf(*variable));
  }
  // Beyond the limit of every target where the alignment is that large.
  layout.bytes = uint32_t(alignUp(layout.bytes, dynamicAlignment));
  for (const ptx::Variable *variable : variables)
    if (isDynamic(*variable))
      layout.offsets[variable] = layout.bytes;
  return layout;
}

uint32_t SharedLayout::offsetOf(const ptx::Variable &variable) const {
  auto found = offsets.find(&variable);
  return found == offsets.end() ? 0 : found->second;
}

} // namespace tilewright::emulator
