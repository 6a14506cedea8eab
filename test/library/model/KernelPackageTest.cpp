// What a hand-written kernel does with its arguments makes them inputs and
// outputs of its package.
#include "test/library/model/Models.h"
#include "tilewright/compiler/CompileModel.h"
#include "tilewright/manifest/PackageManifest.h"

#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::test;

static std::string
namesOf(const std::vector<runtime::InterfaceTensor> &tensors) {
  std::string names;
  for (const runtime::InterfaceTensor &tensor : tensors)
    names += (names.empty() ? "" : " ") + tensor.name;
  return names;
}

TEST_CASE("kernel package: inputs and outputs by what is done to them") {
  ModelFolder folder;
  auto report = compileModel(folder.write("m.mlir", R"(
tile.kernel @k(%read: !tile.view<8xi32> {tile.name = "read"},
               %written: !tile.view<8xi32> {tile.name = "written"},
               %both: !tile.view<8xi32> {tile.name = "both"},
               %pointed: !tile.view<8xi32> {tile.name = "pointed"},
               %made: !tile.view<8xi32> {tile.name = "made"},
               %chosen: !tile.view<8xi32> {tile.name = "chosen"},
               %counted: !tile.view<8xi32> {tile.name = "counted"},
               %unused: !tile.view<8xi32> {tile.name = "unused"}) {
  %c0 = arith.constant 0 : index
  %n = arith.constant 3 : i32
  %a = tile.load %read[%c0] : !tile.view<8xi32> -> tensor<8xi32>
  tile.store %a, %written[%c0] : tensor<8xi32>, !tile.view<8xi32>
  %b = tile.load %both[%c0] : !tile.view<8xi32> -> tensor<8xi32>
  tile.store %b, %both[%c0] : tensor<8xi32>, !tile.view<8xi32>
  %p = tile.base %pointed : !tile.view<8xi32> -> !tile.ptr<i32>
  %i = tile.iota : tensor<8xi32>
  %q = tile.offset %p, %i : !tile.ptr<i32>, tensor<8xi32>
  tile.store_ptr %a, %q : tensor<8x!tile.ptr<i32>>
  %r = tile.base %made : !tile.view<8xi32> -> !tile.ptr<i32>
  %v = tile.make_view %r : !tile.ptr<i32> -> !tile.view<8xi32>
  tile.store %a, %v[%c0] : tensor<8xi32>, !tile.view<8xi32>
  %s = tile.base %chosen : !tile.view<8xi32> -> !tile.ptr<i32>
  %yes = arith.cmpi eq, %n, %n : i32
  %t = arith.select %yes, %s, %r : !tile.ptr<i32>
  %w = tile.make_view %t : !tile.ptr<i32> -> !tile.view<8xi32>
  %x = tile.load %w[%c0] : !tile.view<8xi32> -> tensor<8xi32>
  %u = tile.base %counted : !tile.view<8xi32> -> !tile.ptr<i32>
  %y = tile.ptr_to_int %u : !tile.ptr<i32> -> i64
}
)"),
                             folder / "m.twp", {});
  REQUIRE(report.status().message() == "");
  auto manifest = runtime::parsePackageManifest(
      contentOf(folder / "m.twp").at("manifest.json"));
  REQUIRE(manifest.ok());
  CHECK(namesOf(manifest->inputs) == "read both made chosen counted unused");
  CHECK(namesOf(manifest->outputs) == "written both pointed made counted");
}
