#include "runtime/cpu/ElfFile.h"
#include "support/Format.h"
#include <cstring>
#include <elf.h>
#include <optional>
#include <string>

namespace tilewright::runtime {

namespace {

Status corrupted(std::string_view what) {
  return Status::invalidInput("corrupted object: " + std::string(what));
}

/// Reads structures from the file's bytes.
class Parser {
public:
  explicit Parser(std::span<const std::byte> bytes) : bytes(bytes) {}

  StatusOr<ElfFile> run() {
    TILEWRIGHT_RETURN_IF_ERROR(readHeader());
    TILEWRIGHT_RETURN_IF_ERROR(readSections());
    TILEWRIGHT_RETURN_IF_ERROR(readSymbols());
    file.relocations.resize(file.sections.size());
    for (size_t i = 0; i < file.sections.size(); ++i)
      TILEWRIGHT_RETURN_IF_ERROR(readRelocations(i));
    return std::move(file);
  }

private:
  /// The structure at `offset`; nothing if it is not within `data`.
  template <typename T>
  static std::optional<T> at(std::span<const std::byte> data, uint64_t offset) {
    if (offset > data.size() || data.size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, data.data() + offset, sizeof(T));
    return value;
  }

  std::optional<std::span<const std::byte>> range(uint64_t offset,
                                                  uint64_t size) const {
    if (offset > bytes.size() || bytes.size() - offset < size)
      return std::nullopt;
    return bytes.subspan(offset, size);
  }

  Status readHeader() {
    std::optional<Elf64_Ehdr> found = at<Elf64_Ehdr>(bytes, 0);
    if (!found || std::memcmp(found->e_ident, ELFMAG, SELFMAG) != 0)
      return Status::invalidInput("not an ELF object");
    header = *found;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB)
      return Status::unsupported("expected a 64-bit little-endian ELF object");
    if (header.e_type != ET_REL)
      return Status::unsupported(
          format("expected a relocatable ELF object (type 1), found type {}",
                 {header.e_type}));
    if (header.e_machine == EM_X86_64)
      file.machine = ElfMachine::x86_64;
    else if (header.e_machine == EM_AARCH64)
      file.machine = ElfMachine::aarch64;
    else
      return Status::unsupported(format(
          "expected an object for x86-64 or AArch64, found ELF machine {}",
          {header.e_machine}));
    return {};
  }

  static std::optional<std::string_view> string(std::span<const std::byte> data,
                                                uint64_t offset) {
    if (offset >= data.size())
      return std::nullopt;
    const char *begin = reinterpret_cast<const char *>(data.data()) + offset;
    const void *end = std::memchr(begin, 0, data.size() - offset);
    if (!end)
      return std::nullopt;
    return std::string_view(begin,
                            size_t(static_cast<const char *>(end) - begin));
  }

  Status readSections() {
    if (header.e_shnum == 0 || header.e_shentsize != sizeof(Elf64_Shdr))
      return corrupted("no section table");
    auto table =
        range(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr));
    if (!table)
      return corrupted("the section table is not in the file");
    std::vector<Elf64_Shdr> headers(header.e_shnum);
    for (size_t i = 0; i < headers.size(); ++i) {
      headers[i] = *at<Elf64_Shdr>(*table, i * sizeof(Elf64_Shdr));
      const Elf64_Shdr &found = headers[i];
      ElfSection section;
      section.type = found.sh_type;
      section.flags = found.sh_flags;
      section.size = found.sh_size;
      section.alignment = found.sh_addralign ? found.sh_addralign : 1;
      section.link = found.sh_link;
      section.info = found.sh_info;
      if (found.sh_type != SHT_NOBITS && found.sh_type != SHT_NULL) {
        auto data = range(found.sh_offset, found.sh_size);
        if (!data)
          return corrupted(format("section {} is not in the file", {i}));
        section.data = *data;
      }
      if (section.alignment & (section.alignment - 1))
        return corrupted(
            format("section {} has an alignment that is no power of two", {i}));
      file.sections.push_back(section);
    }
    if (header.e_shstrndx >= headers.size())
      return corrupted("the section names are missing");
    for (size_t i = 0; i < headers.size(); ++i) {
      auto name =
          string(file.sections[header.e_shstrndx].data, headers[i].sh_name);
      if (!name)
        return corrupted(format("section {} has no name", {i}));
      file.sections[i].name = *name;
    }
    return {};
  }

  Status readSymbols() {
    for (size_t i = 0; i < file.sections.size(); ++i) {
      const ElfSection &section = file.sections[i];
      if (section.type != SHT_SYMTAB)
        continue;
      if (symbolTable)
        return corrupted("two symbol tables");
      symbolTable = i;
      if (section.link >= file.sections.size() ||
          section.data.size() % sizeof(Elf64_Sym) != 0)
        return corrupted("malformed symbol table");
      std::span<const std::byte> names = file.sections[section.link].data;
      for (size_t at = 0; at < section.data.size(); at += sizeof(Elf64_Sym))
        TILEWRIGHT_RETURN_IF_ERROR(readSymbol(section.data, at, names));
    }
    return {};
  }

  Status readSymbol(std::span<const std::byte> table, size_t offset,
                    std::span<const std::byte> names) {
    Elf64_Sym found = *at<Elf64_Sym>(table, offset);
    std::optional<std::string_view> name = string(names, found.st_name);
    if (!name)
      return corrupted("a symbol has no name");
    uint16_t section = found.st_shndx;
    if (section == SHN_XINDEX)
      return Status::unsupported("objects with more than 65,279 sections");
    if (section < SHN_LORESERVE) {
      if (section >= file.sections.size())
        return corrupted(format("symbol '{}' is in no section", {*name}));
      if (section != SHN_UNDEF && found.st_value > file.sections[section].size)
        return corrupted(format("symbol '{}' is not in its section", {*name}));
    }
    file.symbols.push_back(
        {*name, section, static_cast<uint8_t>(ELF64_ST_TYPE(found.st_info)),
         static_cast<uint8_t>(ELF64_ST_BIND(found.st_info)), found.st_value});
    return {};
  }

  Status readRelocations(size_t index) {
    const ElfSection &section = file.sections[index];
    if (section.type == SHT_REL)
      return Status::unsupported("relocations without addends (SHT_REL)");
    if (section.type != SHT_RELA)
      return {};
    if (section.info >= file.sections.size() || !symbolTable ||
        section.link != *symbolTable ||
        section.data.size() % sizeof(Elf64_Rela) != 0)
      return corrupted("malformed relocations");
    for (size_t offset = 0; offset < section.data.size();
         offset += sizeof(Elf64_Rela)) {
      Elf64_Rela found = *at<Elf64_Rela>(section.data, offset);
      ElfRelocation relocation{
          found.r_offset, static_cast<uint32_t>(ELF64_R_TYPE(found.r_info)),
          static_cast<uint32_t>(ELF64_R_SYM(found.r_info)), found.r_addend};
      if (relocation.symbol >= file.symbols.size())
        return corrupted("a relocation refers to no symbol");
      file.relocations[section.info].push_back(relocation);
    }
    return {};
  }

  std::span<const std::byte> bytes;
  Elf64_Ehdr header{};
  std::optional<size_t> symbolTable;
  ElfFile file;
};

} // namespace

StatusOr<ElfFile> ElfFile::parse(std::span<const std::byte> bytes) {
  return Parser(bytes).run();
}

} // namespace tilewright::runtime
