#include "autotune/database/File.h"
#include "support/Format.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::autotune {

namespace fs = std::filesystem;
using sqlite::Connection;

namespace {
/// Closes a file.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
};
} // namespace

static Status failure(const char *verb, const fs::path &path, int error) {
  return Status::ioError(
      format("cannot {} '{}': {}",
             {verb, path.string(), std::generic_category().message(error)}));
}

//===----------------------------------------------------------------------===//
// Is it ours
//===----------------------------------------------------------------------===//

/// The first bytes of a SQLite file (sqlite.org/fileformat2.html, section 1.3).
using Header = std::array<unsigned char, 100>;

static uint32_t bigEndian(const Header &header, size_t at) {
  return uint32_t(header[at]) << 24 | uint32_t(header[at + 1]) << 16 |
         uint32_t(header[at + 2]) << 8 | header[at + 3];
}

/// Rejects what this format's code cannot read. SQLite sees only files that
/// passed: it would roll back the journal of a foreign one.
static Status checkHeader(const std::string &file, const Header &header,
                          const Format &format) {
  static constexpr std::string_view magic("SQLite format 3\0", 16);
  std::string_view begin(reinterpret_cast<const char *>(header.data()),
                         magic.size());
  if (begin != magic)
    return Status::invalidInput(
        file + " is no tuning database: expected a SQLite file");
  if (bigEndian(header, 68) != applicationId)
    return Status::invalidInput(
        file + " is a SQLite database of another program, no tuning database");
  uint32_t version = bigEndian(header, 60);
  if (version > format.version)
    return Status::invalidInput(tilewright::format(
        "{} has version {} of the format, this Tilewright reads "
        "versions up to {}; use the one that wrote it",
        {file, version, format.version}));
  if (version == 0)
    return Status::invalidInput(file + " is damaged: its version is 0");
  // Such a file needs further files, even for reading.
  if (header[18] != 1 || header[19] != 1)
    return Status::invalidInput(tilewright::format(
        "{} was set to a write-ahead log; to use it, run: sqlite3 {} "
        "'PRAGMA journal_mode = DELETE'",
        {file, file}));
  return {};
}

/// Whether there is a file; rejects one that is not ours.
static StatusOr<bool> inspect(const fs::path &path, const Format &format) {
  std::string name = tilewright::format("'{}'", {path.string()});
  struct stat info;
  if (::stat(path.c_str(), &info)) {
    if (errno == ENOENT)
      return false;
    return failure("open", path, errno);
  }
  if (!S_ISREG(info.st_mode))
    return Status::invalidInput(tilewright::format(
        "{} is {}, expected a tuning database",
        {name, S_ISDIR(info.st_mode) ? "a directory" : "no file"}));
  Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0)
    return failure("open", path, errno);
  Header header = {};
  ssize_t count = ::pread(file.fd, header.data(), header.size(), 0);
  if (count < 0)
    return failure("read", path, errno);
  if (count == 0)
    return Status::invalidInput(
        name + " is empty, expected a tuning database; remove it to begin one");
  if (size_t(count) < header.size())
    header = {}; // As one of no SQLite file.
  TILEWRIGHT_RETURN_IF_ERROR(checkHeader(name, header, format));
  return true;
}

//===----------------------------------------------------------------------===//
// A new one
//===----------------------------------------------------------------------===//

static Status writeWhole(const fs::path &path, std::string_view bytes) {
  Descriptor file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
  if (file.fd < 0)
    return failure("write", path, errno);
  while (!bytes.empty()) {
    ssize_t count = ::write(file.fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failure("write", path, errno);
    bytes.remove_prefix(size_t(count));
  }
  return ::fsync(file.fd) ? failure("write", path, errno) : Status();
}

/// Makes a file without rows, unless another process is first. It is written
/// under another name: a process never finds a part of it.
static Status create(const fs::path &path, const Format &format) {
  TILEWRIGHT_ASSIGN_OR_RETURN(std::string bytes, emptyFile(format));
  fs::path aside = path;
  aside += tilewright::format(".new-{}", {std::random_device()()});
  Status status = writeWhole(aside, bytes);
  // A link, unlike a renaming, never replaces what is there.
  if (status.ok() && ::link(aside.c_str(), path.c_str()) && errno != EEXIST) {
    // Not all file systems have links.
    std::error_code error;
    if (!fs::exists(path, error) && ::rename(aside.c_str(), path.c_str()))
      status = failure("write", path, errno);
  }
  ::unlink(aside.c_str());
  return status;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// Undoes what a writer left that was killed in a transaction: who only reads
/// could not do so. Does nothing while the writer lives.
static void rollBack(const fs::path &path) {
  fs::path journal = path;
  journal += "-journal";
  std::error_code error;
  if (!fs::exists(journal, error))
    return;
  auto writer = Connection::open(path, Connection::Access::write);
  if (writer.ok())
    (void)(*writer)->rows("SELECT count(*) FROM sqlite_schema");
}

static Status checkPages(const Connection &connection) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto rows,
                              connection.rows("PRAGMA quick_check(1)"));
  if (rows.size() == 1 && rows[0].size() == 1 &&
      rows[0][0] == Cell(std::string("ok")))
    return {};
  std::string why = rows.empty() ? "" : cellText(rows[0].at(0));
  // SQLite's first line says which database it means.
  why = why.substr(why.find('\n') + 1);
  return Status::invalidInput(format(
      "'{}' is damaged{}; take a copy that is whole, or begin a new database",
      {connection.path().string(), why.empty() ? "" : ": " + why}));
}

StatusOr<std::unique_ptr<Connection>>
openFile(const fs::path &path, Database::Mode mode, const Format &format) {
  TILEWRIGHT_ASSIGN_OR_RETURN(bool exists, inspect(path, format));
  if (!exists && mode != Database::Mode::create)
    return Status::notFound(tilewright::format(
        "there is no file '{}', expected a tuning database", {path.string()}));
  if (!exists) {
    TILEWRIGHT_RETURN_IF_ERROR(create(path, format));
    TILEWRIGHT_RETURN_IF_ERROR(inspect(path, format).status());
  }
  bool isRead = mode == Database::Mode::read;
  if (isRead)
    rollBack(path);
  TILEWRIGHT_ASSIGN_OR_RETURN(
      auto connection,
      Connection::open(path, isRead ? Connection::Access::read
                                    : Connection::Access::write));
  TILEWRIGHT_RETURN_IF_ERROR(checkPages(*connection));
  TILEWRIGHT_ASSIGN_OR_RETURN(auto versions,
                              connection->rows("PRAGMA user_version"));
  bool isOld = versions.at(0).at(0) != Cell(int64_t(format.version));
  if (isRead && isOld) {
    // An older file that is only read is brought up to date in a copy.
    TILEWRIGHT_ASSIGN_OR_RETURN(
        auto copy, Connection::open(path, Connection::Access::memory));
    TILEWRIGHT_RETURN_IF_ERROR(copy->copyFrom(*connection));
    connection = std::move(copy);
  }
  TILEWRIGHT_RETURN_IF_ERROR(migrate(*connection, format));
  return connection;
}

} // namespace tilewright::autotune
