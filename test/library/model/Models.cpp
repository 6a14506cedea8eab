#include "test/library/model/Models.h"

#include "tilewright/runtime/MappedFile.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace tilewright::test {

namespace fs = std::filesystem;

ModelFolder::ModelFolder() {
  std::string name =
      (fs::temp_directory_path() / "tilewright-model-XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()));
  path = name;
}

ModelFolder::~ModelFolder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

fs::path ModelFolder::write(const std::string &name,
                            const std::string &text) const {
  std::ofstream(path / name, std::ios::binary) << text;
  return path / name;
}

std::map<std::string, std::string> contentOf(const fs::path &folder) {
  std::map<std::string, std::string> content;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory())
      continue;
    auto text = runtime::readFile(entry.path());
    REQUIRE(text.ok());
    content[entry.path().lexically_relative(folder).string()] = *text;
  }
  return content;
}

std::string twoKernels(int factor) {
  constexpr int size = 600;
  std::string weights;
  for (int i = 0; i < size * size; ++i) {
    const float value = float(i % 7);
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (unsigned char byte : bytes)
      for (int digit : {byte >> 4, byte & 15})
        weights += "0123456789ABCDEF"[digit];
  }
  return R"(
#same = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<600x600xf32> {graph.name = "x"})
    -> (tensor<600xf32> {graph.name = "y"}, tensor<600x600xf32> {graph.name = "h"}) {
  %w = arith.constant dense<"0x)" +
         weights + R"("> : tensor<600x600xf32>
  %e = tensor.empty() : tensor<600x600xf32>
  %f = arith.constant )" +
         std::to_string(factor) + R"(.0 : f32
  %h = linalg.generic {indexing_maps = [#same, #same, #same],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %w : tensor<600x600xf32>, tensor<600x600xf32>)
      outs(%e : tensor<600x600xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %b, %f : f32
    %s = arith.addf %a, %p : f32
    linalg.yield %s : f32
  } -> tensor<600x600xf32>
  %zero = arith.constant 0.0 : f32
  %r = tensor.empty() : tensor<600xf32>
  %i = linalg.fill ins(%zero : f32) outs(%r : tensor<600xf32>) -> tensor<600xf32>
  %y = linalg.generic {indexing_maps = [#same, #row],
                       iterator_types = ["parallel", "reduction"]}
      ins(%h : tensor<600x600xf32>) outs(%i : tensor<600xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<600xf32>
  return %y, %h : tensor<600xf32>, tensor<600x600xf32>
})";
}

} // namespace tilewright::test
