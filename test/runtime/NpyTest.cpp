#include "tilewright/runtime/Npy.h"
#include "TestPackage.h"
#include "tilewright/runtime/MappedFile.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace tilewright;
using namespace tilewright::runtime;

/// A .npy file with the given header text.
static std::string file(char version, const std::string &header,
                        const std::string &data = {}) {
  std::string text = "\x93NUMPY";
  text += version;
  text += '\0';
  text += char(header.size() & 255);
  text += char(header.size() >> 8);
  if (version > 1)
    text += std::string(2, '\0');
  return text + header + data;
}

static std::string dictionary(const std::string &descr,
                              const std::string &order,
                              const std::string &shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + order +
         ", 'shape': " + shape + ", }\n";
}

static std::string error(const std::string &bytes) {
  auto tensor = parseNpy(asBytes(bytes), "a.npy");
  REQUIRE_FALSE(tensor.ok());
  CHECK(tensor.status().message().starts_with("a.npy: "));
  return tensor.status().message();
}

TEST_CASE("each dtype and several shapes survive a .npy file") {
  TemporaryFolder folder;
  for (const DTypeInfo &info : allDTypes())
    for (const Shape &shape :
         {Shape{}, Shape{5}, Shape{2, 3}, Shape{0, 4}, Shape{2, 1, 3, 2}}) {
      auto tensor = HostTensor::allocate(info.dtype, shape);
      REQUIRE(tensor.ok());
      for (size_t i = 0; i < tensor->bytes(); ++i)
        tensor->data()[i] = std::byte(info.dtype == DType::Bool ? i % 2 : i);
      REQUIRE(writeNpy(folder / "x.npy", *tensor).ok());
      auto read = readNpy(folder / "x.npy");
      INFO(info.name << printShape(shape) << read.status().message());
      REQUIRE(read.ok());
      CHECK(read->shape() == shape);
      CHECK(dtypeInfo(read->dtype()).npy == info.npy);
      auto again = read->reinterpretAs(info.dtype);
      REQUIRE(again.ok());
      CHECK(std::memcmp(again->data(), tensor->data(), tensor->bytes()) == 0);
      std::string bytes = *readFile(folder / "x.npy");
      CHECK((bytes.size() - tensor->bytes()) % 64 == 0);
    }
}

TEST_CASE("the written text is NumPy's") {
  std::vector<std::byte> bytes = *printNpy(floats({3}, {1, 2, 3}));
  std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  CHECK(text.substr(0, 10) == std::string("\x93NUMPY\x01\x00v\x00", 10));
  CHECK(text.substr(10, 58) ==
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } ");
  CHECK(text[127] == '\n');
}

TEST_CASE("Fortran order becomes row-major") {
  // [[1, 2, 3], [4, 5, 6]] is stored column by column.
  std::string data = {1, 4, 2, 5, 3, 6};
  auto tensor = parseNpy(
      asBytes(file(1, dictionary("|u1", "True", "(2, 3)"), data)), "a.npy");
  REQUIRE(tensor.ok());
  auto values = tensor->as<uint8_t>();
  CHECK(std::vector<uint8_t>(values.begin(), values.end()) ==
        std::vector<uint8_t>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("versions 2 and 3 read, others are rejected") {
  for (char version : {1, 2, 3})
    CHECK(parseNpy(
              asBytes(file(version, dictionary("|i1", "False", "(2,)"), "ab")),
              "a.npy")
              .ok());
  CHECK(
      error(file(4, dictionary("|i1", "False", "()"), "a")).find("version 4") !=
      std::string::npos);
}

TEST_CASE("malformed .npy files say what is wrong") {
  CHECK(error("PK\3\4").find("not a .npy file") != std::string::npos);
  CHECK(error(file(1, dictionary(">f4", "False", "()"), "1234"))
            .find("'>f4' is big-endian") != std::string::npos);
  CHECK(error(file(1, dictionary("<c8", "False", "()")))
            .find("'<c8' is not supported; the types are |b1, |i1, <i2") !=
        std::string::npos);
  CHECK(error(file(1, dictionary("<f4", "False", "(3,)"), "1234")) ==
        "a.npy: shape [3] of '<f4' has 12 bytes, the file holds 4");
  CHECK(error(file(1, dictionary("<f4", "False", "(4611686018427387904, 4)")))
            .find("more bytes than") != std::string::npos);
  for (const std::string &header :
       {std::string("{}"), std::string("{'descr': '<f4'}"),
        dictionary("<f4", "Maybe", "(3,)"), dictionary("<f4", "True", "(-3,)"),
        dictionary("<f4", "True", "(3"), dictionary("<f4", "True", "3"),
        std::string("{'descr': [('a', '<f4')], }")})
    error(file(1, header));
}

TEST_CASE("a .npy file cut anywhere is an error, never a crash") {
  std::vector<std::byte> bytes = *printNpy(floats({2, 2}, {1, 2, 3, 4}));
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::vector<std::byte> cut(bytes.begin(), bytes.begin() + long(length));
    CHECK_FALSE(parseNpy(cut, "a.npy").ok());
  }
}
