// An entry is a header and the payload. Numbers are those of the machine: a
// cache is not carried to one of other byte order, and would be seen as damaged
// there.
#include "library/cache/Entry.h"

#include "runtime/core/Hash.h"
#include "support/Format.h"
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <random>
#include <span>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tilewright::cache {

namespace fs = std::filesystem;

namespace {
struct Header {
  char magic[8] = {'T', 'W', 'C', 'A', 'C', 'H', 'E', '\n'};
  uint32_t version = 1;
  uint32_t headerSize = sizeof(Header);
  std::array<uint8_t, 32> key = {};
  uint64_t length = 0;
  uint64_t checksum = 0;

  friend bool operator==(const Header &, const Header &) = default;
};
static_assert(sizeof(Header) == 64, "no padding, which would not be checked");

/// Closes a file.
struct File {
  int fd = -1;
  ~File() {
    if (fd >= 0)
      ::close(fd);
  }
};
} // namespace

static constexpr std::string_view suffix = ".entry", prefix = ".writing-";
static constexpr auto touchEvery = std::chrono::minutes(1);

/// The key is part of the checksum: an entry under another name is damaged.
static Header headerOf(const CacheKey &key, std::string_view payload) {
  Header header;
  header.key = key.bytes;
  header.length = payload.size();
  header.checksum =
      runtime::xxh64(std::as_bytes(std::span(payload)), payload.size());
  return header;
}

fs::path entryPath(const fs::path &directory, const CacheKey &key) {
  std::string text = key.text();
  return directory / text.substr(0, 2) / (text.substr(2) + std::string(suffix));
}

bool isEntryName(std::string_view name) {
  constexpr size_t digits = 62;
  return name.size() == digits + suffix.size() && name.ends_with(suffix) &&
         name.find_first_not_of("0123456789abcdef") == digits;
}
bool isTemporaryName(std::string_view name) { return name.starts_with(prefix); }
int64_t entrySize(size_t payload) { return int64_t(sizeof(Header) + payload); }

static bool readAll(int fd, char *at, size_t size) {
  while (size > 0) {
    ssize_t count = ::read(fd, at, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    at += count;
    size -= size_t(count);
  }
  return true;
}

static bool writeAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return false;
    bytes.remove_prefix(size_t(count));
  }
  return true;
}

std::optional<std::string> readEntry(const fs::path &path, const CacheKey &key,
                                     bool touch) {
  File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat info;
  Header header;
  if (file.fd < 0 || ::fstat(file.fd, &info) || !S_ISREG(info.st_mode) ||
      info.st_size < entrySize(0) ||
      !readAll(file.fd, reinterpret_cast<char *>(&header), sizeof header))
    return std::nullopt;
  std::string payload(size_t(info.st_size) - sizeof header, '\0');
  if (!readAll(file.fd, payload.data(), payload.size()) ||
      header != headerOf(key, payload))
    return std::nullopt;
  // Entries of a directory that may not be written stay as old as they are.
  auto now = std::chrono::system_clock::now().time_since_epoch();
  if (touch && now - std::chrono::seconds(info.st_mtime) > touchEvery)
    (void)::futimens(file.fd, nullptr);
  return payload;
}

/// A name that no other thread, process or machine uses.
static std::string temporaryName() {
  static std::atomic<uint64_t> count = 0;
  std::random_device random;
  return format("{}{}-{}-{}-{}",
                {prefix, ::getpid(), count++, random(), random()});
}

Status writeEntry(const fs::path &path, const CacheKey &key,
                  std::string_view payload) {
  auto failure = [&](const char *verb, int error) {
    return Status::ioError(
        format("cannot {} '{}': {}",
               {verb, path.string(), std::generic_category().message(error)}));
  };
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error)
    return failure("make the folder of", error.value());
  fs::path temporary = path.parent_path() / temporaryName();
  File file{
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644)};
  if (file.fd < 0)
    return failure("write", errno);
  Header header = headerOf(key, payload);
  std::string_view front(reinterpret_cast<const char *>(&header),
                         sizeof header);
  // Not synced: what a loss of power damages is missing, and is written again.
  bool isWritten = writeAll(file.fd, front) && writeAll(file.fd, payload) &&
                   ::rename(temporary.c_str(), path.c_str()) == 0;
  if (isWritten)
    return {};
  int reason = errno;
  ::unlink(temporary.c_str());
  return failure("write", reason);
}

} // namespace tilewright::cache
