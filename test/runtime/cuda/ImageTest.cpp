#include "runtime/cuda/Image.h"
#include "Fixture.h"
#include <catch2/catch.hpp>
#include <cstring>
#include <elf.h>

using namespace tilewright;
using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

static StatusOr<ImageKind> check(std::string_view bytes) {
  return checkImage(std::as_bytes(std::span(bytes.data(), bytes.size())));
}

/// A cubin with one section of 16 bytes and one segment that holds it.
static std::string cubin() {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_machine = 190;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  header.e_shoff = sizeof header + sizeof(Elf64_Phdr) + 16;
  header.e_shnum = 1;
  Elf64_Phdr segment = {};
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = 16;
  Elf64_Shdr section = {};
  section.sh_type = SHT_PROGBITS;
  section.sh_offset = segment.p_offset;
  section.sh_size = 16;
  auto bytes = [](const auto &value) {
    return std::string(reinterpret_cast<const char *>(&value), sizeof value);
  };
  return bytes(header) + bytes(segment) + std::string(16, 'x') + bytes(section);
}

TEST_CASE("images are recognized") {
  CHECK(*check(kernelPtx("k", 0)) == ImageKind::ptx);
  CHECK(*check(kernelPtx("k", 0) + '\0') == ImageKind::ptx);
  CHECK(*check(cubin()) == ImageKind::cubin);
  for (const char *wrong : {"", "// nothing", ".version 8.0", "int main() {}"})
    CHECK_FALSE(check(wrong).ok());
  std::string hidden = kernelPtx("k", 0) + '\0' + "more";
  CHECK_FALSE(check(hidden).ok());
}

TEST_CASE("a cubin that was cut is rejected at each length") {
  std::string whole = cubin();
  for (size_t length = 0; length < whole.size(); ++length) {
    INFO(length);
    CHECK_FALSE(check(whole.substr(0, length)).ok());
  }
}

TEST_CASE("an object for another machine is rejected by name") {
  std::string object = cubin();
  object[18] = 62; // e_machine: x86-64
  object[19] = 0;
  CHECK(contains(check(object).status().message(), "found machine 62"));
}

TEST_CASE("sizes near the end of the numbers do not pass") {
  for (uint64_t size : {UINT64_MAX, UINT64_MAX - 100, uint64_t(1) << 63}) {
    std::string object = cubin();
    size_t section = object.size() - sizeof(Elf64_Shdr);
    std::memcpy(&object[section + offsetof(Elf64_Shdr, sh_size)], &size, 8);
    CHECK_FALSE(check(object).ok());
    object = cubin();
    std::memcpy(&object[offsetof(Elf64_Ehdr, e_shoff)], &size, 8);
    CHECK_FALSE(check(object).ok());
  }
}
