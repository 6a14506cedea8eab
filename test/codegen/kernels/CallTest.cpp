// Device functions and their calls.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;

TEST_CASE("calls: of tiles, nested, twice") {
  KernelText k;
  k.functions = R"(
tile.func @twice(%x: tensor<7x9xf32>) -> tensor<7x9xf32> {
  %y = arith.addf %x, %x : tensor<7x9xf32>
  tile.return %y : tensor<7x9xf32>
}
tile.func @both(%x: tensor<7x9xf32>, %s: f32) -> (tensor<9x7xf32>, f32) {
  %y = tile.call @twice(%x) : (tensor<7x9xf32>) -> tensor<7x9xf32>
  %b = tile.splat %s : f32 -> tensor<7x9xf32>
  %z = arith.mulf %y, %b : tensor<7x9xf32>
  %w = tile.call @twice(%z) : (tensor<7x9xf32>) -> tensor<7x9xf32>
  %t = tile.transpose %w [1, 0] : tensor<7x9xf32> -> tensor<9x7xf32>
  %u = arith.addf %s, %s : f32
  tile.return %t, %u : tensor<9x7xf32>, f32
}
)";
  Value a = k.load(tile("f32", {7, 9}));
  Value s = k.argument("f32", {.low = 1.5});
  std::vector<Value> r =
      k.ops("tile.call @both($0, $1) : (%0, %1) -> (%r, f32)", {a, s},
            {tile("f32", {9, 7}), s.type});
  std::vector<Value> q =
      k.ops("tile.call @both($0, $1) : (%0, %1) -> (%r, f32)", {a, r[1]},
            {tile("f32", {9, 7}), s.type});
  k.store(r[0]);
  k.store(q[0]);
  k.store(q[1]);
  k.store(k.op("tile.call @twice($0) : (%0) -> %r", {a}, a.type));
  k.check();
}

TEST_CASE("calls: with views, pointers and control flow") {
  KernelText k;
  k.functions = R"(
tile.func @rows(%v: !tile.view<?x33xi32>, %n: index, %p: !tile.ptr<i32>) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %c0) -> (index) {
    %t = tile.load %v[%i, %c0] pad 7 : !tile.view<?x33xi32> -> tensor<1x33xi32>
    %u = arith.addi %t, %t : tensor<1x33xi32>
    tile.store %u, %v[%i, %c0] : tensor<1x33xi32>, !tile.view<?x33xi32>
    %o = arith.addi %s, %i : index
    scf.yield %o : index
  }
  %w = tile.load_ptr %p : !tile.ptr<i32>
  %one = arith.constant 1 : i32
  %x = arith.addi %w, %one : i32
  tile.store_ptr %x, %p : !tile.ptr<i32>
  %d = tile.dim %v, 0 : !tile.view<?x33xi32>
  %e = arith.addi %r, %d : index
  tile.return %e : index
}
tile.func @view(%p: !tile.ptr<i32>, %n: index) -> !tile.view<?x33xi32> {
  %v = tile.make_view %p sizes[%n] : !tile.ptr<i32> -> !tile.view<?x33xi32>
  tile.return %v : !tile.view<?x33xi32>
}
tile.func @nothing() {
}
)";
  Value a = k.argument("!tile.view<?x33xi32>", {.dims = {3, 33}});
  Value p = k.argument("!tile.ptr<i32>", {.dims = {66}});
  std::string rows = "tile.call @rows($0, $1, $2) : (%0, %1, %2) -> index";
  Value two{"%c2", scalar("index")}, three{"%c3", scalar("index")};
  k.store(k.op(rows, {a, three, p}, scalar("index")));
  Value made = k.op("tile.call @view($0, $1) : (%0, %1) -> %r", {p, two},
                    scalar("!tile.view<?x33xi32>"));
  k.line("tile.call @nothing() : () -> ()");
  k.line("%yes = arith.cmpi eq, %c2, %c2 : index\nscf.if %yes {");
  k.op(rows, {made, two, p}, scalar("index"));
  k.line("}");
  k.store(k.op(rows, {made, {"%c1", scalar("index")}, p}, scalar("index")));
  k.check();
}

TEST_CASE("calls: in the region of a reduction, in a loop") {
  KernelText k;
  k.functions = R"(
tile.func @add(%a: i32, %b: i32) -> i32 {
  %s = arith.addi %a, %b : i32
  tile.return %s : i32
}
tile.func @sum(%t: tensor<5x8xi32>) -> tensor<5xi32> {
  %s = tile.reduce %t axis 1 {
  ^bb0(%a: i32, %b: i32):
    %r = tile.call @add(%a, %b) : (i32, i32) -> i32
    tile.yield %r : i32
  } : tensor<5x8xi32> -> tensor<5xi32>
  tile.return %s : tensor<5xi32>
}
)";
  Value t = k.load(tile("i32", {5, 8}));
  Value s = k.load(tile("i32", {5}));
  k.line("%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = " + s.name +
         ") -> (tensor<5xi32>) {");
  Value c =
      k.op("tile.reshape %x : tensor<5xi32> -> %r", {}, tile("i32", {5, 1}));
  Value b = k.op("tile.broadcast $0 : %0 -> %r", {c}, t.type);
  Value y = k.op("arith.addi $0, $1 : %r", {b, t}, t.type);
  Value n = k.op("tile.call @sum($0) : (%0) -> %r", {y}, s.type);
  k.line("scf.yield " + n.name + " : tensor<5xi32>\n}");
  k.store({"%r", s.type});
  k.check();
}
