// The entries of a `.pt2` archive of torch.export.save.
#pragma once

#include "tilewright/support/Status.h"

#include <map>
#include <string>
#include <string_view>

namespace tilewright::torch {

/// The directory of a zip file whose entries are stored, not compressed. Names
/// are without the folder that all entries share. The bytes are those of the
/// file, which must stay valid.
class Archive {
public:
  /// Reads the directory. Errors: the file is no archive or is truncated; an
  /// entry is compressed or encrypted, is there twice, has a name that leaves
  /// the folder, or lies outside of the file.
  static StatusOr<Archive> open(std::string_view file);

  /// An entry's bytes; nothing if there is none.
  [[nodiscard]] const std::string_view *find(const std::string &name) const;
  /// The same of an entry that must be there, and whose checksum must be right.
  StatusOr<std::string_view> text(const std::string &name) const;
  /// Entries in the order of their names.
  [[nodiscard]] const std::map<std::string, std::string_view> &entries() const {
    return all;
  }

private:
  Status add(std::string name, std::string_view bytes, unsigned long checksum);

  std::map<std::string, std::string_view> all;
  std::map<std::string, unsigned long> checksums;
  /// The folder, with its slash.
  std::string folder;
};

/// Whether these are the bytes of a zip file with an entry `archive_format`.
bool isArchive(std::string_view file);

} // namespace tilewright::torch
