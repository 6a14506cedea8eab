// The functions of this process that kernels may call.
#ifndef TILEWRIGHT_RUNTIME_CPU_HOSTSYMBOLS_H
#define TILEWRIGHT_RUNTIME_CPU_HOSTSYMBOLS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tilewright::runtime {

/// The address of the function called `name`, if it is in HostSymbols.inc.
/// Nothing else of the process can be reached from a kernel.
[[nodiscard]] std::optional<uint64_t> hostSymbol(std::string_view name);

/// The names, in the order of the table.
[[nodiscard]] std::span<const std::string_view> hostSymbolNames();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_HOSTSYMBOLS_H
