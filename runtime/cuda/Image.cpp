#include "runtime/cuda/Image.h"
#include "support/Format.h"
#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>

namespace tilewright::runtime::cuda {

/// EM_CUDA, the machine of a cubin.
static constexpr uint16_t cudaMachine = 190;

/// Reads a header at `offset`; nothing if it is not wholly in the image.
template <typename Header>
static std::optional<Header> readAt(std::span<const std::byte> image,
                                    uint64_t offset) {
  if (offset > image.size() || image.size() - offset < sizeof(Header))
    return std::nullopt;
  Header header;
  std::memcpy(&header, image.data() + offset, sizeof header);
  return header;
}

static bool isInside(std::span<const std::byte> image, uint64_t offset,
                     uint64_t bytes) {
  return offset <= image.size() && bytes <= image.size() - offset;
}

static Status checkCubin(std::span<const std::byte> image) {
  auto malformed = [](const std::string &what) {
    return Status::invalidInput("the cubin is malformed: " + what);
  };
  auto header = readAt<Elf64_Ehdr>(image, 0);
  if (!header)
    return malformed("it ends within its header");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_machine != cudaMachine)
    return Status::invalidInput(
        format("expected an ELF file for CUDA (machine {}, 64 bits), found "
               "machine {}: this image is for another device",
               {cudaMachine, header->e_machine}));
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    auto section = readAt<Elf64_Shdr>(
        image, header->e_shoff + uint64_t(i) * sizeof(Elf64_Shdr));
    if (!section)
      return malformed("its section headers go beyond its end");
    if (section->sh_type != SHT_NOBITS &&
        !isInside(image, section->sh_offset, section->sh_size))
      return malformed(format("section {} goes beyond its end", {i}));
  }
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    auto segment = readAt<Elf64_Phdr>(
        image, header->e_phoff + uint64_t(i) * sizeof(Elf64_Phdr));
    if (!segment || !isInside(image, segment->p_offset, segment->p_filesz))
      return malformed(format("segment {} goes beyond its end", {i}));
  }
  return {};
}

StatusOr<ImageKind> checkImage(std::span<const std::byte> image) {
  std::string_view text(reinterpret_cast<const char *>(image.data()),
                        image.size());
  if (text.starts_with(std::string_view(ELFMAG, SELFMAG))) {
    TILEWRIGHT_RETURN_IF_ERROR(checkCubin(image));
    return ImageKind::cubin;
  }
  while (!text.empty() && text.back() == '\0')
    text.remove_suffix(1);
  if (text.find('\0') == std::string_view::npos &&
      text.find(".version") != std::string_view::npos &&
      text.find(".target") != std::string_view::npos)
    return ImageKind::ptx;
  return Status::invalidInput(
      format("the image of {} bytes is neither PTX (a text with .version and "
             ".target) nor a cubin (an ELF file)",
             {image.size()}));
}

} // namespace tilewright::runtime::cuda
