//===- BuildIdentity.cpp - Which build of the compiler this is ------------===//
#include "library/compiler/BuildIdentity.h"

#include "mlir/IR/Verifier.h"
#include "tilewright/runtime/MappedFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

#include <elf.h>
#include <link.h>

namespace tilewright {

namespace {
/// A search for the loaded file that contains an address.
struct LoadedFile {
  uintptr_t address = 0;
  bool found = false;
  std::string path, buildId;
};
} // namespace

/// The build id among the notes of a segment; empty if there is none.
static std::string readNotes(const char *at, size_t size) {
  auto aligned = [](size_t size) { return (size + 3) & ~size_t(3); };
  while (size >= sizeof(ElfW(Nhdr))) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(at);
    size_t name = aligned(note->n_namesz), text = aligned(note->n_descsz);
    if (sizeof(*note) + name + text > size)
      return "";
    const char *content = at + sizeof(*note) + name;
    if (note->n_type == NT_GNU_BUILD_ID &&
        llvm::StringRef(at + sizeof(*note), note->n_namesz) ==
            llvm::StringRef("GNU", 4))
      return llvm::toHex(llvm::StringRef(content, note->n_descsz), true);
    at = content + text;
    size -= sizeof(*note) + name + text;
  }
  return "";
}

static int lookAt(dl_phdr_info *info, size_t, void *data) {
  auto &file = *static_cast<LoadedFile *>(data);
  std::string buildId;
  for (const ElfW(Phdr) &segment :
       llvm::ArrayRef(info->dlpi_phdr, info->dlpi_phnum)) {
    uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && file.address >= begin &&
        file.address < begin + segment.p_memsz)
      file.found = true;
    if (segment.p_type == PT_NOTE && buildId.empty())
      buildId =
          readNotes(reinterpret_cast<const char *>(begin), segment.p_memsz);
  }
  if (!file.found)
    return 0;
  file.path = info->dlpi_name;
  file.buildId = buildId;
  return 1;
}

/// The identity of the file that contains `address`.
static std::string identityAt(const void *address) {
  LoadedFile file;
  file.address = reinterpret_cast<uintptr_t>(address);
  dl_iterate_phdr(lookAt, &file);
  if (!file.buildId.empty())
    return file.buildId;
  // The program itself has no name there.
  auto bytes = runtime::MappedFile::open(file.path.empty() ? "/proc/self/exe"
                                                           : file.path);
  if (!bytes.ok())
    return file.path;
  std::span<const std::byte> content = (*bytes)->bytes();
  llvm::BLAKE3 hasher;
  hasher.update(
      {reinterpret_cast<const uint8_t *>(content.data()), content.size()});
  return llvm::toHex(hasher.final(), true);
}

const std::string &buildIdentity() {
  static const std::string identity = [] {
    // One function of each file with code of the compiler.
    mlir::LogicalResult (*verify)(mlir::Operation *, bool) = &mlir::verify;
    std::string text = TILEWRIGHT_VERSION;
    for (const void *address :
         {reinterpret_cast<const void *>(&buildIdentity),
          reinterpret_cast<const void *>(verify),
          reinterpret_cast<const void *>(&llvm_blake3_hasher_init)})
      text += " " + identityAt(address);
    return text;
  }();
  return identity;
}

} // namespace tilewright
