// The functions of this process that kernels may call.
#ifndef TILEWRIGHT_RUNTIME_CPU_HOSTSYMBOLS_H
#define TILEWRIGHT_RUNTIME_CPU_HOSTSYMBOLS_H

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tilewright::runtime {

/// The address of the function `name`, if it is in HostSymbols.inc. A kernel
/// can call no other function of the process.
[[nodiscard]] std::optional<uint64_t> hostSymbol(std::string_view name);

/// The names, in table order.
[[nodiscard]] std::span<const std::string_view> hostSymbolNames();

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_CPU_HOSTSYMBOLS_H
