#include "tilewright/runtime/MappedFile.h"
#include "support/Format.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright::runtime {

static Status systemError(const std::filesystem::path &path,
                          std::string_view verb, int error) {
  std::string message =
      format("cannot {} '{}': {}", {verb, path.string(), std::strerror(error)});
  return error == ENOENT ? Status::notFound(std::move(message))
                         : Status::ioError(std::move(message));
}

static std::string_view kindOfFile(mode_t mode) {
  return S_ISDIR(mode)    ? "a directory"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

namespace {
/// Closes a file descriptor at the end of a scope.
struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }
};
} // namespace

StatusOr<std::shared_ptr<const MappedFile>>
MappedFile::open(const std::filesystem::path &path) {
  // A pipe without a writer is opened at once, and then rejected.
  Descriptor descriptor{
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (descriptor.number < 0)
    return systemError(path, "open", errno);
  struct stat facts{};
  if (::fstat(descriptor.number, &facts) != 0)
    return systemError(path, "read", errno);
  if (!S_ISREG(facts.st_mode))
    return Status::invalidInput(
        format("expected a file, found {}: '{}'",
               {kindOfFile(facts.st_mode), path.string()}));
  auto file = std::shared_ptr<MappedFile>(new MappedFile);
  file->filePath = path;
  file->size = static_cast<size_t>(facts.st_size);
  if (file->size == 0) // Nothing can be mapped, and nothing need be.
    return std::shared_ptr<const MappedFile>(file);
  void *memory =
      ::mmap(nullptr, file->size, PROT_READ, MAP_PRIVATE, descriptor.number, 0);
  if (memory == MAP_FAILED)
    return systemError(path, "map", errno);
  file->data = static_cast<const std::byte *>(memory);
  file->isMapped = true;
  return std::shared_ptr<const MappedFile>(file);
}

std::shared_ptr<const MappedFile>
MappedFile::inMemory(std::span<const std::byte> bytes,
                     std::shared_ptr<const void> owner,
                     const std::filesystem::path &path) {
  auto file = std::shared_ptr<MappedFile>(new MappedFile);
  file->filePath = path;
  file->data = bytes.data();
  file->size = bytes.size();
  file->memoryOwner = std::move(owner);
  return file;
}

MappedFile::~MappedFile() {
  if (isMapped)
    ::munmap(const_cast<std::byte *>(data), size);
}

StatusOr<std::string> readFile(const std::filesystem::path &path) {
  TILEWRIGHT_ASSIGN_OR_RETURN(auto file, MappedFile::open(path));
  std::span<const std::byte> bytes = file->bytes();
  return std::string(reinterpret_cast<const char *>(bytes.data()),
                     bytes.size());
}

Status writeFile(const std::filesystem::path &path,
                 std::span<const std::byte> bytes) {
  Descriptor descriptor{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (descriptor.number < 0)
    return systemError(path, "create", errno);
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor.number, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return systemError(path, "write", errno);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  int number = std::exchange(descriptor.number, -1);
  if (::close(number) != 0)
    return systemError(path, "write", errno);
  return {};
}

Status writeFile(const std::filesystem::path &path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text.data(), text.size())));
}

} // namespace tilewright::runtime
