// Objects of host code: laid out in memory and relocated, never called.
#include "runtime/cpu/ElfLoader.h"
#include "targets/Target.h"

using namespace tilewright;
using namespace tilewright::runtime;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StatusOr<ElfFile> file = ElfFile::parse(fuzz::bytesOf(data, size));
  if (!file.ok())
    return 0;
  ElfOptions options;
  options.machine = file->machine;
  // Each external function exists; nothing calls it.
  options.resolver = [](std::string_view) { return uint64_t{4096}; };
  auto image = ElfImage::load(fuzz::bytesOf(data, size), options);
  if (!image.ok())
    return 0;
  for (const ElfSymbol &symbol : file->symbols)
    if (std::optional<uint64_t> function = (*image)->function(symbol.name))
      fuzz::require((*image)->symbol(symbol.name) == function,
                    "a function is a symbol with its address", symbol.name);
  return 0;
}
