// Archives of torch.export.save, read, changed and written again.
#pragma once

#include "tilewright/compiler/TorchProgram.h"
#include "tilewright/support/Status.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tilewright::torch::test {

/// Entries by name, without the folder that they share.
using Entries = std::map<std::string, std::string>;

/// The path of a committed archive: "mlp.training".
std::filesystem::path archivePath(const std::string &name);
/// All of them, sorted.
std::vector<std::filesystem::path> allArchives();
Entries readEntries(const std::filesystem::path &path);

/// An entry of a zip file that is written.
struct ZipEntry {
  std::string name, data;
  /// 0 is stored.
  uint16_t method = 0;
  /// What the directory says; the data's size if it is not given.
  std::optional<uint32_t> size;
  /// Whether the checksum is that of other data.
  bool isDamaged = false;
};

/// A zip file of these entries.
std::string writeZip(const std::vector<ZipEntry> &entries);
/// The same in a folder "m".
std::string writeArchive(const Entries &entries);

/// The error of importing these bytes as a model; empty if there is none.
std::string importError(const std::string &bytes);

/// `text` with its one `from` replaced.
std::string replaced(std::string text, const std::string &from,
                     const std::string &to);

} // namespace tilewright::torch::test
