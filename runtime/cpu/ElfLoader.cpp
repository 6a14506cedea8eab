#include "runtime/cpu/ElfLoader.h"
#include "runtime/cpu/ElfRelocations.h"
#include "runtime/cpu/HostSymbols.h"
#include "support/Format.h"
#include <array>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <set>
#include <sys/mman.h>
#include <unistd.h>

namespace tilewright::runtime {

/// Larger images would exceed the range of 32-bit relocations.
static constexpr uint64_t maximumImage = uint64_t{1} << 30;

/// One object while it is loaded. Segments: code, constants, data, each on
/// separate pages, in this order. Stubs follow the code, and the table of
/// addresses (GOT) follows the constants.
class ElfLoader {
public:
  ElfLoader(const ElfFile &file, const ElfOptions &options)
      : file(file), options(options), placement(file.sections.size()),
        image(new ElfImage) {}

  StatusOr<std::shared_ptr<const ElfImage>> run() {
    if (file.machine != options.machine)
      return Status::unsupported(
          format("the object is for {}, this machine is {}",
                 {machineName(file.machine), machineName(options.machine)}));
    TILEWRIGHT_RETURN_IF_ERROR(chooseSections());
    TILEWRIGHT_RETURN_IF_ERROR(resolveExternals());
    TILEWRIGHT_RETURN_IF_ERROR(layOut());
    TILEWRIGHT_RETURN_IF_ERROR(map());
    TILEWRIGHT_RETURN_IF_ERROR(relocate());
    TILEWRIGHT_RETURN_IF_ERROR(protect());
    TILEWRIGHT_RETURN_IF_ERROR(exportSymbols());
    return std::shared_ptr<const ElfImage>(std::move(image));
  }

private:
  enum Segment { code, constants, data, segmentCount };
  /// The address of a section; sections without one are not loaded.
  struct Placement {
    std::optional<Segment> segment;
    uint64_t offset = 0;
  };
  struct Range {
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  static const char *machineName(ElfMachine machine) {
    return machine == ElfMachine::x86_64 ? "x86-64" : "AArch64";
  }

  Status chooseSections() {
    for (size_t i = 0; i < file.sections.size(); ++i) {
      const ElfSection &section = file.sections[i];
      std::string name(section.name);
      if (!(section.flags & SHF_ALLOC))
        continue;
      // Unwind tables and notes: kernels throw nothing.
      if (section.name == ".eh_frame" || section.type == SHT_NOTE ||
          section.type == 0x70000001 /* SHT_X86_64_UNWIND */)
        continue;
      if (section.flags & SHF_TLS)
        return Status::unsupported(format("thread-local data ({})", {name}));
      if (section.flags & SHF_COMPRESSED)
        return Status::unsupported("compressed section " + name);
      if (section.type == SHT_INIT_ARRAY || section.type == SHT_FINI_ARRAY ||
          section.type == SHT_PREINIT_ARRAY)
        return Status::unsupported(format("static initializers ({})", {name}));
      if (section.type != SHT_PROGBITS && section.type != SHT_NOBITS)
        return Status::unsupported(
            format("section {} of type {}", {name, section.type}));
      bool writable = section.flags & SHF_WRITE;
      bool executable = section.flags & SHF_EXECINSTR;
      if (writable && executable)
        return Status::unsupported(
            format("section {} is both writable and executable", {name}));
      if (executable && section.type == SHT_NOBITS)
        return Status::unsupported(
            format("code section {} without contents", {name}));
      placement[i].segment = executable ? code : writable ? data : constants;
    }
    return {};
  }

  /// Finds the address of each undefined symbol that is used.
  Status resolveExternals() {
    std::set<std::string> unknown;
    for (size_t i = 0; i < file.sections.size(); ++i) {
      if (!placement[i].segment)
        continue;
      for (const ElfRelocation &relocation : file.relocations[i])
        used.emplace(relocation.symbol, 0);
    }
    for (auto &[index, address] : used) {
      const ElfSymbol &symbol = file.symbols[index];
      std::string name(symbol.name);
      if (symbol.section == SHN_COMMON)
        return Status::unsupported(
            format("common symbol '{}'; compile with -fno-common", {name}));
      if (symbol.type == STT_TLS || symbol.type == STT_GNU_IFUNC)
        return Status::unsupported(
            format("symbol '{}' of type {}", {name, symbol.type}));
      if (symbol.section != SHN_UNDEF || index == 0)
        continue;
      std::optional<uint64_t> found = options.resolver
                                          ? options.resolver(symbol.name)
                                          : hostSymbol(symbol.name);
      if (found)
        address = *found;
      else
        unknown.insert(name);
    }
    if (unknown.empty())
      return {};
    return Status::unsupported(
        "the object needs symbols that the runtime does not offer: " +
        joined(unknown));
  }

  /// Reserves `size` bytes at the end of the image.
  StatusOr<uint64_t> reserve(uint64_t size, uint64_t alignment) {
    if (alignment > pageSize)
      return Status::unsupported(
          format("an alignment of {} bytes", {alignment}));
    uint64_t offset = (end + alignment - 1) & ~(alignment - 1);
    if (size > maximumImage || offset + size > maximumImage)
      return Status::resourceExhausted("the object needs more than 1 GiB");
    end = offset + size;
    return offset;
  }

  Status layOut() {
    for (int segment = code; segment < segmentCount; ++segment) {
      TILEWRIGHT_ASSIGN_OR_RETURN(segments[size_t(segment)].begin,
                                  reserve(0, pageSize));
      for (size_t i = 0; i < placement.size(); ++i) {
        if (placement[i].segment != Segment(segment))
          continue;
        const ElfSection &section = file.sections[i];
        TILEWRIGHT_ASSIGN_OR_RETURN(placement[i].offset,
                                    reserve(section.size, section.alignment));
      }
      if (segment == code) {
        TILEWRIGHT_ASSIGN_OR_RETURN(stubs,
                                    reserve(used.size() * stubSize, stubSize));
      }
      if (segment == constants) {
        TILEWRIGHT_ASSIGN_OR_RETURN(got, reserve(used.size() * 8, 8));
      }
      segments[size_t(segment)].end = end;
    }
    TILEWRIGHT_RETURN_IF_ERROR(reserve(0, pageSize).status());
    return {};
  }

  Status map() {
    image->size = std::max<uint64_t>((end + pageSize - 1) / pageSize * pageSize,
                                     pageSize);
    void *memory = ::mmap(nullptr, image->size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return Status::resourceExhausted(
          format("no memory for {} bytes of code", {image->size}));
    image->memory = static_cast<std::byte *>(memory);
    base = reinterpret_cast<uint64_t>(memory);
    for (size_t i = 0; i < placement.size(); ++i)
      if (placement[i].segment && !file.sections[i].data.empty())
        std::memcpy(image->memory + placement[i].offset,
                    file.sections[i].data.data(), file.sections[i].data.size());
    return {};
  }

  /// The address of a symbol, which is not an external one.
  StatusOr<uint64_t> addressOf(const ElfSymbol &symbol) const {
    if (symbol.section == SHN_ABS || symbol.section == SHN_UNDEF)
      return symbol.value;
    if (symbol.section >= SHN_LORESERVE)
      return Status::unsupported(format("symbol '{}' in reserved section {}",
                                        {symbol.name, symbol.section}));
    if (!placement[symbol.section].segment)
      return Status::unsupported(
          format("a reference into section {}, which is not loaded",
                 {file.sections[symbol.section].name}));
    return base + placement[symbol.section].offset + symbol.value;
  }

  Status relocate() {
    std::map<uint32_t, uint64_t> slots; // Symbol to stub and GOT number.
    for (auto &[index, address] : used) {
      if (address == 0) {
        TILEWRIGHT_ASSIGN_OR_RETURN(address, addressOf(file.symbols[index]));
      }
      uint64_t slot = slots.size();
      slots[index] = slot;
      writeStub(file.machine,
                {image->memory + stubs + slot * stubSize, stubSize}, address);
      std::memcpy(image->memory + got + slot * 8, &address, 8);
    }
    for (size_t i = 0; i < file.sections.size(); ++i) {
      if (!placement[i].segment)
        continue;
      for (const ElfRelocation &relocation : file.relocations[i]) {
        Status status = apply(i, relocation, slots[relocation.symbol]);
        if (!status.ok())
          return status.prefixed(format(
              "section {}, symbol '{}'",
              {file.sections[i].name, file.symbols[relocation.symbol].name}));
      }
    }
    return {};
  }

  Status apply(size_t index, const ElfRelocation &relocation, uint64_t slot) {
    const ElfSection &section = file.sections[index];
    if (section.data.empty() || relocation.offset >= section.size)
      return Status::invalidInput("corrupted object: a relocation is not in "
                                  "its section");
    uint64_t offset = placement[index].offset + relocation.offset;
    RelocationSite site;
    site.bytes = {image->memory + offset, section.size - relocation.offset};
    site.P = base + offset;
    site.S = used[relocation.symbol];
    site.A = relocation.addend;
    site.got = base + got + slot * 8;
    site.stub = base + stubs + slot * stubSize;
    return file.machine == ElfMachine::x86_64
               ? relocateX86(relocation.type, site)
               : relocateAArch64(relocation.type, site);
  }

  Status protect() {
    static constexpr int rights[segmentCount] = {
        PROT_READ | PROT_EXEC, PROT_READ, PROT_READ | PROT_WRITE};
    auto *codeBegin = reinterpret_cast<char *>(image->memory);
    __builtin___clear_cache(codeBegin, codeBegin + segments[code].end);
    for (size_t i = 0; i < segmentCount; ++i) {
      uint64_t size = segments[i].end - segments[i].begin;
      size = (size + pageSize - 1) / pageSize * pageSize;
      if (size &&
          ::mprotect(image->memory + segments[i].begin, size, rights[i]) != 0)
        return Status::ioError(std::string("cannot protect loaded code: ") +
                               std::strerror(errno));
    }
    return {};
  }

  /// A linker rejects two definitions of a name; an object with both would have
  /// a function whose address is another symbol's.
  Status exportSymbols() {
    for (const ElfSymbol &symbol : file.symbols) {
      bool isGlobal =
          symbol.binding == STB_GLOBAL || symbol.binding == STB_WEAK;
      if (!isGlobal || symbol.section == SHN_UNDEF ||
          symbol.section >= SHN_LORESERVE || !placement[symbol.section].segment)
        continue;
      uint64_t address = base + placement[symbol.section].offset + symbol.value;
      std::string name(symbol.name);
      if (!image->symbols.emplace(name, address).second)
        return Status::invalidInput(
            format("corrupted object: symbol '{}' is defined twice", {name}));
      if (placement[symbol.section].segment == code &&
          symbol.value < file.sections[symbol.section].size)
        image->functions.emplace(name, address);
    }
    return {};
  }

  const ElfFile &file;
  const ElfOptions &options;
  const uint64_t pageSize = uint64_t(::sysconf(_SC_PAGESIZE));
  /// By section.
  std::vector<Placement> placement;
  std::array<Range, segmentCount> segments;
  /// Symbols that relocations use, and their addresses once known.
  std::map<uint32_t, uint64_t> used;
  uint64_t end = 0;
  uint64_t stubs = 0;
  uint64_t got = 0;
  uint64_t base = 0;
  std::shared_ptr<ElfImage> image;
};

StatusOr<std::shared_ptr<const ElfImage>>
ElfImage::load(std::span<const std::byte> object, const ElfOptions &options) {
  TILEWRIGHT_ASSIGN_OR_RETURN(ElfFile file, ElfFile::parse(object));
  return ElfLoader(file, options).run();
}

ElfImage::~ElfImage() {
  if (memory)
    ::munmap(memory, size);
}

std::optional<uint64_t> ElfImage::function(std::string_view name) const {
  auto found = functions.find(name);
  return found == functions.end() ? std::nullopt : std::optional(found->second);
}

std::optional<uint64_t> ElfImage::symbol(std::string_view name) const {
  auto found = symbols.find(name);
  return found == symbols.end() ? std::nullopt : std::optional(found->second);
}

} // namespace tilewright::runtime
