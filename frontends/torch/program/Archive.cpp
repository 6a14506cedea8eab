#include "frontends/torch/program/Archive.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <minizip/unzip.h>
#include <zlib.h>

namespace tilewright::torch {
namespace {

/// A file in memory, as minizip reads it.
struct Cursor {
  std::string_view bytes;
  uint64_t at = 0;
};

void *openCursor(void *file, const void *, int) { return file; }
int closeCursor(void *, void *) { return 0; }
int errorOf(void *, void *) { return 0; }
ZPOS64_T tellCursor(void *, void *stream) {
  return static_cast<Cursor *>(stream)->at;
}

unsigned long readCursor(void *, void *stream, void *to, unsigned long size) {
  auto *cursor = static_cast<Cursor *>(stream);
  size_t left = cursor->bytes.size() - cursor->at;
  size_t count = std::min<size_t>(size, left);
  if (count)
    std::memcpy(to, cursor->bytes.data() + cursor->at, count);
  cursor->at += count;
  return count;
}

long seekCursor(void *, void *stream, ZPOS64_T offset, int origin) {
  auto *cursor = static_cast<Cursor *>(stream);
  uint64_t from = origin == ZLIB_FILEFUNC_SEEK_CUR   ? cursor->at
                  : origin == ZLIB_FILEFUNC_SEEK_END ? cursor->bytes.size()
                                                     : 0;
  uint64_t to = from + offset;
  if (to < from || to > cursor->bytes.size())
    return -1;
  cursor->at = to;
  return 0;
}

struct CloseZip {
  void operator()(void *zip) const { unzClose(zip); }
};
using Zip = std::unique_ptr<void, CloseZip>;

Zip openZip(Cursor &cursor) {
  zlib_filefunc64_def functions = {};
  functions.zopen64_file = openCursor;
  functions.zread_file = readCursor;
  functions.ztell64_file = tellCursor;
  functions.zseek64_file = seekCursor;
  functions.zclose_file = closeCursor;
  functions.zerror_file = errorOf;
  functions.opaque = &cursor;
  return Zip(unzOpen2_64("", &functions));
}

/// Whether a name stays in its folder.
bool staysInside(std::string_view name) {
  if (name.empty() || name.front() == '/' ||
      name.find('\\') != std::string_view::npos ||
      name.find('\0') != std::string_view::npos)
    return false;
  for (size_t from = 0; from <= name.size();) {
    size_t to = std::min(name.find('/', from), name.size());
    if (name.substr(from, to - from) == "..")
      return false;
    from = to + 1;
  }
  return true;
}

Status badEntry(const std::string &name, const std::string &what) {
  return Status::invalidInput("entry '" + name + "' of the archive " + what);
}

struct Entry {
  std::string name;
  std::string_view bytes;
  unsigned long checksum = 0;
};

/// The entry that the directory's reader is at.
StatusOr<Entry> entryAt(void *zip, std::string_view file) {
  unz_file_info64 info;
  char buffer[4096];
  if (unzGetCurrentFileInfo64(zip, &info, buffer, sizeof buffer, nullptr, 0,
                              nullptr, 0) != UNZ_OK)
    return Status::invalidInput("the archive's directory is damaged");
  if (info.size_filename >= sizeof buffer)
    return Status::invalidInput("an entry of the archive has a name of " +
                                std::to_string(info.size_filename) +
                                " characters");
  Entry entry{std::string(buffer, info.size_filename), {}, info.crc};
  const std::string &name = entry.name;
  if (!staysInside(name))
    return badEntry(name, "has a name that leaves its folder");
  if (info.flag & 1)
    return badEntry(name, "is encrypted");
  if (info.compression_method != 0)
    return badEntry(name, "is compressed; expected stored entries, as "
                          "torch.export.save writes them");
  if (info.compressed_size != info.uncompressed_size)
    return badEntry(name, "is stored, but has two sizes: " +
                              std::to_string(info.compressed_size) + " and " +
                              std::to_string(info.uncompressed_size));
  int method;
  if (unzOpenCurrentFile2(zip, &method, nullptr, /*raw=*/1) != UNZ_OK)
    return badEntry(name, "differs from the archive's directory");
  uint64_t offset = unzGetCurrentFileZStreamPos64(zip);
  unzCloseCurrentFile(zip);
  if (offset > file.size() || info.compressed_size > file.size() - offset)
    return badEntry(name, "ends at byte " +
                              std::to_string(offset + info.compressed_size) +
                              ", the file has " + std::to_string(file.size()));
  entry.bytes = file.substr(offset, info.compressed_size);
  return entry;
}

} // namespace

Status Archive::add(std::string name, std::string_view bytes,
                    unsigned long checksum) {
  if (folder.empty())
    folder = name.substr(0, name.find('/') + 1);
  if (folder.empty() || !name.starts_with(folder))
    return badEntry(name, "is not in the folder '" + folder +
                              "'; expected one folder for all entries");
  std::string inner = name.substr(folder.size());
  checksums[inner] = checksum;
  if (!all.emplace(std::move(inner), bytes).second)
    return badEntry(name, "is there twice");
  return {};
}

StatusOr<Archive> Archive::open(std::string_view file) {
  Cursor cursor{file};
  Zip zip = openZip(cursor);
  if (!zip)
    return Status::invalidInput(
        "expected a zip archive of torch.export.save, found no directory at "
        "its end: the file is truncated, or of another kind");
  Archive archive;
  int status = unzGoToFirstFile(zip.get());
  for (; status == UNZ_OK; status = unzGoToNextFile(zip.get())) {
    TILEWRIGHT_ASSIGN_OR_RETURN(Entry entry, entryAt(zip.get(), file));
    TILEWRIGHT_RETURN_IF_ERROR(
        archive.add(std::move(entry.name), entry.bytes, entry.checksum));
  }
  if (status != UNZ_END_OF_LIST_OF_FILE)
    return Status::invalidInput("the archive's directory is damaged");
  return archive;
}

const std::string_view *Archive::find(const std::string &name) const {
  auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

StatusOr<std::string_view> Archive::text(const std::string &name) const {
  const std::string_view *bytes = find(name);
  if (!bytes)
    return Status::invalidInput("the archive has no entry '" + name + "'");
  auto checksum =
      crc32_z(0, reinterpret_cast<const Bytef *>(bytes->data()), bytes->size());
  if (checksum != checksums.at(name))
    return badEntry(folder + name, "is damaged: its checksum is wrong");
  return *bytes;
}

bool isArchive(std::string_view file) {
  if (!file.starts_with("PK\3\4"))
    return false;
  Cursor cursor{file};
  Zip zip = openZip(cursor);
  int status = zip ? unzGoToFirstFile(zip.get()) : UNZ_BADZIPFILE;
  for (; status == UNZ_OK; status = unzGoToNextFile(zip.get())) {
    char name[4096];
    if (unzGetCurrentFileInfo64(zip.get(), nullptr, name, sizeof name, nullptr,
                                0, nullptr, 0) == UNZ_OK &&
        std::string_view(name, strnlen(name, sizeof name))
            .ends_with("archive_format"))
      return true;
  }
  return false;
}

} // namespace tilewright::torch
