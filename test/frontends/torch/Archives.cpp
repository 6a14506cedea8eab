#include "test/frontends/torch/Archives.h"

#include "frontends/torch/TorchFrontend.h"
#include "frontends/torch/program/Archive.h"

#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <zlib.h>

namespace tilewright::torch::test {

namespace fs = std::filesystem;

fs::path archivePath(const std::string &name) {
  return fs::path(TORCH_ARCHIVES) / (name + ".pt2");
}

std::vector<fs::path> allArchives() {
  std::vector<fs::path> paths;
  for (const auto &each : fs::directory_iterator(TORCH_ARCHIVES))
    paths.push_back(each.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Entries readEntries(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const std::string content = bytes.str();
  auto archive = Archive::open(content);
  INFO(archive.status().message());
  REQUIRE(archive.ok());
  Entries entries;
  for (const auto &[name, data] : archive->entries())
    entries[name] = data;
  return entries;
}

namespace {

/// Little-endian numbers.
class Bytes {
public:
  Bytes &u16(uint16_t value) { return number(value, 2); }
  Bytes &u32(uint32_t value) { return number(value, 4); }
  Bytes &text(const std::string &value) {
    bytes += value;
    return *this;
  }
  std::string bytes;

private:
  Bytes &number(uint32_t value, int count) {
    for (int i = 0; i < count; ++i)
      bytes += char(value >> 8 * i);
    return *this;
  }
};

/// What both headers of an entry have in common.
void addFacts(Bytes &out, const ZipEntry &entry, uint32_t checksum) {
  auto size = uint32_t(entry.data.size());
  out.u16(20).u16(0).u16(entry.method).u16(0).u16(0);
  out.u32(checksum).u32(size).u32(entry.size.value_or(size));
  out.u16(uint16_t(entry.name.size()));
}

} // namespace

std::string writeZip(const std::vector<ZipEntry> &entries) {
  Bytes out, directory;
  for (const ZipEntry &entry : entries) {
    auto checksum =
        uint32_t(crc32(0, reinterpret_cast<const Bytef *>(entry.data.data()),
                       uInt(entry.data.size())));
    checksum ^= entry.isDamaged;
    auto offset = uint32_t(out.bytes.size());
    out.u32(0x04034b50);
    addFacts(out, entry, checksum);
    out.u16(0).text(entry.name).text(entry.data);
    directory.u32(0x02014b50).u16(20);
    addFacts(directory, entry, checksum);
    directory.u16(0).u16(0).u16(0).u16(0).u32(0).u32(offset);
    directory.text(entry.name);
  }
  auto start = uint32_t(out.bytes.size());
  auto count = uint16_t(entries.size());
  out.text(directory.bytes);
  out.u32(0x06054b50).u16(0).u16(0).u16(count).u16(count);
  out.u32(uint32_t(directory.bytes.size())).u32(start).u16(0);
  return out.bytes;
}

std::string writeArchive(const Entries &entries) {
  std::vector<ZipEntry> list;
  for (const auto &[name, data] : entries)
    list.push_back({"m/" + name, data, 0, std::nullopt, false});
  return writeZip(list);
}

std::string importError(const std::string &bytes) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  auto imported = createFrontend()->import(
      context, ModelSource::memory("m.pt2", bytes), {});
  return imported.status().message();
}

std::string replaced(std::string text, const std::string &from,
                     const std::string &to) {
  size_t at = text.find(from);
  INFO(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(text.find(from, at + 1) == std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace tilewright::torch::test
