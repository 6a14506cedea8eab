// The fields of a protobuf message.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright::onnx {

/// Messages in each other are limited, as memory of the stack is.
struct TooDeep : protozero::exception {
  const char *what() const noexcept override {
    return "too many messages in each other";
  }
};

/// Reads the fields of a message one after the other: `next`, then one of
/// `read` or `skip`. `read` skips a field of another wire type, as protobuf
/// does. A field that is there twice is overwritten, or appended to where it is
/// repeated, or merged where it is a message. All throw protozero::exception
/// where the bytes are not a message.
class MessageFields {
public:
  using Type = protozero::pbf_wire_type;

  explicit MessageFields(std::string_view bytes)
      : bytes(bytes), reader(viewOf(bytes)) {}

  /// At a field of the message. False at its end.
  bool next() {
    at = size_t(reader.data().data() - bytes.data());
    return reader.next();
  }
  uint32_t field() const { return reader.tag(); }
  bool is(Type type) const { return reader.wire_type() == type; }
  bool hasLength() const { return is(Type::length_delimited); }
  /// Where in the bytes the field begins that was read last.
  size_t position() const { return at; }

  void skip() { reader.skip(); }
  template <std::integral T> void read(T &value) {
    readAs(Type::varint, [&] { value = T(reader.get_int64()); });
  }
  void read(float &value) {
    readAs(Type::fixed32, [&] { value = reader.get_float(); });
  }
  void read(double &value) {
    readAs(Type::fixed64, [&] { value = reader.get_double(); });
  }
  /// A part of the bytes.
  void read(std::string_view &value) {
    readAs(Type::length_delimited, [&] {
      const protozero::data_view view = reader.get_view();
      value = {view.data(), view.size()};
    });
  }
  void read(std::string &value) {
    readAs(Type::length_delimited, [&] { value = reader.get_string(); });
  }
  template <typename T> void read(std::optional<T> &value) {
    T found{};
    if (is(typeOf<T>())) {
      read(found);
      value = std::move(found);
    } else {
      skip();
    }
  }
  /// Repeated fields; numbers may be packed.
  template <typename T> void read(std::vector<T> &values) {
    if (is(typeOf<T>())) {
      read(values.emplace_back());
      return;
    }
    if constexpr (std::is_arithmetic_v<T>)
      if (hasLength()) {
        readPacked(values);
        return;
      }
    skip();
  }
  /// A message, each of whose fields `readField(*this)` reads.
  template <typename ReadField> void readMessage(ReadField readField) {
    readAs(Type::length_delimited, [&] {
      if (++depth > maximumDepth)
        throw TooDeep();
      const protozero::pbf_reader outer =
          std::exchange(reader, reader.get_message());
      while (next())
        readField(*this);
      reader = outer;
      --depth;
    });
  }

private:
  static constexpr int maximumDepth = 60;

  static protozero::data_view viewOf(std::string_view bytes) {
    return {bytes.data(), bytes.size()};
  }
  template <typename T> static constexpr Type typeOf() {
    if (!std::is_arithmetic_v<T>)
      return Type::length_delimited;
    if (std::integral<T>)
      return Type::varint;
    return sizeof(T) == 4 ? Type::fixed32 : Type::fixed64;
  }
  template <typename Read> void readAs(Type type, Read readNow) {
    if (is(type))
      readNow();
    else
      skip();
  }
  template <typename T> void readPacked(std::vector<T> &values) {
    auto append = [&](const auto &range) {
      for (auto value : range)
        values.push_back(static_cast<T>(value));
    };
    if constexpr (std::integral<T>)
      append(reader.get_packed_int64());
    else if constexpr (sizeof(T) == 4)
      append(reader.get_packed_float());
    else
      append(reader.get_packed_double());
  }

  std::string_view bytes;
  protozero::pbf_reader reader;
  size_t at = 0;
  int depth = 0;
};

} // namespace tilewright::onnx
