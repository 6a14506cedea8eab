//===- Fields.h - Numbers and texts as the bytes of an entry ----*- C++ -*-===//
#ifndef TILEWRIGHT_LIBRARY_CACHE_FIELDS_H
#define TILEWRIGHT_LIBRARY_CACHE_FIELDS_H

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace tilewright::cache {

/// Numbers of 64 bits, and strings after their lengths.
struct FieldWriter {
  std::string bytes;
  void operator()(uint64_t number) {
    bytes.append(reinterpret_cast<const char *>(&number), sizeof number);
  }
  void operator()(std::string_view text) {
    (*this)(uint64_t(text.size()));
    bytes += text;
  }
};

/// The same, read; after the end all is empty.
struct FieldReader {
  std::string_view rest;
  bool isBad = false;

  void operator()(uint64_t &number) {
    number = 0;
    if (rest.size() < sizeof number) {
      isBad = true;
      return;
    }
    std::memcpy(&number, rest.data(), sizeof number);
    rest.remove_prefix(sizeof number);
  }
  void operator()(std::string &text) {
    uint64_t size;
    (*this)(size);
    isBad |= size > rest.size();
    text = isBad ? "" : rest.substr(0, size);
    rest.remove_prefix(text.size());
  }
  /// Whether all was read, and nothing was missing.
  [[nodiscard]] bool isDone() const { return !isBad && rest.empty(); }
};

} // namespace tilewright::cache

#endif // TILEWRIGHT_LIBRARY_CACHE_FIELDS_H
