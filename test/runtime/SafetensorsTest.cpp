#include "tilewright/runtime/Safetensors.h"
#include "TestPackage.h"
#include "tilewright/runtime/MappedFile.h"
#include <catch2/catch.hpp>
#include <cstring>

using namespace tilewright;
using namespace tilewright::runtime;

static std::string withHeader(const std::string &header,
                              const std::string &data) {
  uint64_t length = header.size();
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, 8);
  return text + header + data;
}

static std::string error(const std::string &bytes) {
  TemporaryFolder folder;
  REQUIRE(writeFile(folder / "w.safetensors", bytes).ok());
  auto file = SafetensorsFile::open(folder / "w.safetensors");
  INFO(bytes);
  REQUIRE_FALSE(file.ok());
  return file.status().message();
}

TEST_CASE("written tensors are read back, aligned and in place") {
  TemporaryFolder folder;
  std::vector<SafetensorsDeclaration> declarations;
  for (const DTypeInfo &info : allDTypes())
    declarations.push_back({std::string(info.name), info.dtype, {3, 5}});
  declarations.push_back({"empty", DType::F32, {0, 2}});
  declarations.push_back({"scalar", DType::I64, {}});
  auto data = [](size_t bytes, size_t seed) {
    std::string text(bytes, '\0');
    for (size_t i = 0; i < bytes; ++i)
      text[i] = char(seed * 31 + i);
    return text;
  };
  auto writer = SafetensorsWriter::create(folder / "w", declarations);
  REQUIRE(writer.ok());
  for (size_t i = 0; i < declarations.size(); ++i)
    REQUIRE(
        writer
            ->append(asBytes(data(
                *denseBytes(declarations[i].dtype, declarations[i].shape), i)))
            .ok());
  REQUIRE(writer->finish().ok());
  auto file = SafetensorsFile::open(folder / "w");
  INFO(file.status().message());
  REQUIRE(file.ok());
  for (size_t i = 0; i < declarations.size(); ++i) {
    const SafetensorsEntry *entry = file->find(declarations[i].name);
    REQUIRE(entry);
    CHECK(entry->dtype == dtypeInfo(declarations[i].dtype).safetensors);
    CHECK(entry->shape == declarations[i].shape);
    CHECK(reinterpret_cast<uintptr_t>(entry->data.data()) % 64 == 0);
    std::string expected = data(entry->data.size(), i);
    CHECK(std::memcmp(entry->data.data(), expected.data(), expected.size()) ==
          0);
  }
  // The format allows no holes: the entries cover all bytes.
  size_t covered = 0;
  for (const auto &[name, entry] : file->entries())
    covered += entry.data.size();
  uint64_t header = 0;
  std::memcpy(&header, file->mapping()->bytes().data(), 8);
  CHECK(covered + 8 + header == file->mapping()->bytes().size());
  CHECK_FALSE(file->find("nothing"));
}

TEST_CASE("the writer wants all data, in order, once") {
  TemporaryFolder folder;
  std::vector<SafetensorsDeclaration> two = {{"a", DType::U8, {2}},
                                             {"b", DType::U8, {3}}};
  auto writer = SafetensorsWriter::create(folder / "w", two);
  REQUIRE(writer.ok());
  CHECK(writer->append(asBytes("xxx"))
            .message()
            .find("tensor 'a' has 2 bytes, found 3") != std::string::npos);
  CHECK(writer->append(asBytes("xx")).ok());
  CHECK(writer->finish().message().find("the data of tensor 'b' is missing") !=
        std::string::npos);
  two[1].name = "a";
  CHECK_FALSE(SafetensorsWriter::create(folder / "w", two).ok());
  CHECK_FALSE(SafetensorsWriter::create(folder / "no/w", two).ok());
}

TEST_CASE("another program's file reads, metadata and unknown types too") {
  TemporaryFolder folder;
  std::string text = withHeader(
      R"({"__metadata__": {"format": "pt"},
          "w": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]},
          "v": {"dtype": "X7", "shape": [9], "data_offsets": [4, 5]}})",
      "abcde");
  REQUIRE(writeFile(folder / "w", text).ok());
  auto file = SafetensorsFile::open(folder / "w");
  INFO(file.status().message());
  REQUIRE(file.ok());
  CHECK(file->find("w")->data.size() == 4);
  CHECK(file->entries().size() == 2);
}

TEST_CASE("malformed safetensors files say what is wrong") {
  CHECK(error("abc").find("not a safetensors file") != std::string::npos);
  CHECK(error(withHeader("{", "")).find("not valid JSON") != std::string::npos);
  auto entry = [](const std::string &body) {
    return withHeader("{\"w\": {" + body + "}}", "abcd");
  };
  CHECK(error(entry(R"("dtype": "F32", "shape": [2], "data_offsets": [0, 4])"))
            .find("w.shape: expected a shape of 4 bytes of F32, found [2]") !=
        std::string::npos);
  CHECK(error(entry(R"("dtype": "F32", "shape": [1], "data_offsets": [4, 8])"))
            .find("w.data_offsets: expected a range within the 4 bytes") !=
        std::string::npos);
  CHECK(error(entry(R"("dtype": "F32", "shape": [1], "data_offsets": [4, 0])"))
            .find("expected a range") != std::string::npos);
  CHECK(error(entry(R"("dtype": "F32", "shape": [-1], "data_offsets": [0, 4])"))
            .find("w.shape[0]") != std::string::npos);
  CHECK(error(entry(R"("dtype": "F32", "shape": [1])"))
            .find("w.data_offsets: is missing") != std::string::npos);
  std::string huge(8, '\xff');
  CHECK(error(huge).find("not a safetensors file") != std::string::npos);
}
