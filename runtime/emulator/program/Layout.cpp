#include "runtime/emulator/program/Layout.h"
#include "runtime/emulator/program/AddressMap.h"
#include "runtime/emulator/program/Symbols.h"
#include "runtime/emulator/ptx/Lexer.h"
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

//===--- Parameters -------------------------------------------------------===//

/// The start of each frame, the destination of unused results.
static constexpr uint32_t sinkBytes = 32 * 16;

/// PTX section 7.1: parameters in the order they are declared.
Signature signatureOf(std::span<const ptx::Variable> parameters,
                      std::span<const ptx::Variable> results) {
  Signature signature;
  signature.frameBytes = sinkBytes;
  auto slot = [&](const ptx::Variable &variable) {
    Parameter parameter;
    parameter.name = variable.name.text;
    parameter.type = variable.type;
    parameter.bytes = uint32_t(bytesOf(variable));
    parameter.alignment = uint32_t(alignmentOf(variable));
    if (variable.space == Space::reg) {
      parameter.reg = Ref::make(Ref::frame, signature.frameBytes);
      signature.frameBytes += uint32_t(
          alignUp(registerBytes(variable.type) * variable.vectorWidth, 64));
      return parameter;
    }
    parameter.offset =
        uint32_t(alignUp(signature.localBytes, parameter.alignment));
    signature.localBytes = parameter.offset + parameter.bytes;
    return parameter;
  };
  for (const ptx::Variable &variable : parameters)
    signature.parameters.push_back(slot(variable));
  for (const ptx::Variable &variable : results)
    signature.results.push_back(slot(variable));
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
    uint64_t offset = alignUp(layout.bytes, alignmentOf(*variable));
    uint64_t end = offset + bytesOf(*variable);
    if (end > sharedOffsetMask)
      return ptx::errorAt(variable->name.at,
                          "expected at most 16 MiB of shared memory");
    layout.offsets[variable] = uint32_t(offset);
    layout.bytes = uint32_t(end);
  }
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
