// Control flow that carries views, and elements that all threads of a block
// get.
#include "KernelText.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;

static const std::string kView = "!tile.view<?x?xf32, strides<[?, 1]>>";

/// Two views of other shapes and strides, and a function of one of them.
static std::string withViews(KernelText &k) {
  Value p = k.argument("!tile.ptr<f32>", {.dims = {200}});
  k.argument("!tile.view<12x20xf32>");
  k.line("%c7 = arith.constant 7 : index\n%c9 = arith.constant 9 : index\n"
         "%c12 = arith.constant 12 : index\n"
         "%v = tile.make_view " +
         p.name + " sizes [%c7, %c9] strides [%c12] : !tile.ptr<f32> -> " +
         kView + "\n%w = tile.make_view " + p.name +
         " sizes [%c9, %c3] strides [%c7] : !tile.ptr<f32> -> " + kView);
  return "%v";
}

TEST_CASE("control: a loop exchanges views") {
  KernelText k;
  withViews(k);
  k.line("%r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %v, %b = %w)"
         " -> (" +
         kView + ", " + kView + ") {");
  Value t = k.op("tile.load %a[%c0, %c0] pad 0.5 : " + kView + " -> %r", {},
                 tile("f32", {8, 16}));
  k.effect("tile.store $0, %b[%c0, %c0] : %0, " + kView, {t});
  k.line("scf.yield %b, %a : " + kView + ", " + kView + "\n}");
  k.line(
      "%yes = arith.constant true\n%last = arith.select %yes, %r#0, %r#1 : " +
      kView);
  k.store(k.op("tile.load %last[%c0, %c0] pad 1.5 : " + kView + " -> %r", {},
               tile("f32", {8, 8})));
  k.line("%n = tile.dim %r#1, 0 : " + kView +
         "\n%s = tile.stride %r#1, 0 : " + kView);
  k.store({"%n", scalar("index")});
  k.store({"%s", scalar("index")});
  k.check();
}

TEST_CASE("control: branches, switches and while loops of views") {
  for (int64_t choice : {0, 1, 2}) {
    KernelText k;
    withViews(k);
    Value which = k.argument("index", {.scalar = choice});
    k.line("%first = arith.cmpi eq, " + which.name + ", %c0 : index\n" +
           "%x = scf.if %first -> (" + kView + ") {\nscf.yield %v : " + kView +
           "\n} else {\n%t = tile.load %w[%c0, %c0] pad 0.0 : " + kView +
           " -> tensor<4x4xf32>\ntile.store %t, %v[%c0, %c0] : "
           "tensor<4x4xf32>, " +
           kView + "\nscf.yield %w : " + kView + "\n}");
    k.line("%y = scf.index_switch " + which.name + " -> " + kView +
           "\ncase 1 {\nscf.yield %v : " + kView + "\n}\ndefault {\n" +
           "scf.yield %x : " + kView + "\n}");
    // Iterates until the counter is 3.
    k.line("%z:3 = scf.while (%a = %x, %b = %y, %i = " + which.name + ") : (" +
           kView + ", " + kView + ", index) -> (" + kView + ", index, " +
           kView + ") {\n%go = arith.cmpi ult, %i, %c3 : index\n" +
           "scf.condition(%go) %a, %i, %b : " + kView + ", index, " + kView +
           "\n} do {\n^bb0(%a: " + kView + ", %i: index, %b: " + kView +
           "):\n%j = arith.addi %i, %c1 : index\nscf.yield %b, %a, %j : " +
           kView + ", " + kView + ", index\n}");
    // Not an if that yields: one that chooses.
    k.line("%chosen = arith.select %first, %z#0, %z#2 : " + kView);
    k.store(k.op("tile.load %chosen[%c0, %c0] pad 2.5 : " + kView + " -> %r",
                 {}, tile("f32", {8, 16})));
    k.check();
  }
}

TEST_CASE("extract: one element, for all threads") {
  for (std::string type :
       {"i1", "i8", "i16", "i32", "i64", "index", "f16", "bf16", "f32", "f64"})
    for (std::vector<int64_t> shape :
         {std::vector<int64_t>{3, 50}, {1, 1}, {130}, {}}) {
      KernelText k;
      Input input;
      if (type[0] == 'i')
        input.anyBits = true;
      bool isIndex = type == "index";
      Value x = k.load(tile(isIndex ? "i64" : type, shape), input);
      if (isIndex)
        x = k.op("arith.index_cast $0 : %0 to %r", {x}, tile("index", shape));
      Value i =
          k.argument("index", {.scalar = shape.empty() ? 0 : shape[0] - 1});
      Value j =
          k.argument("index", {.scalar = shape.size() < 2 ? 0 : shape[1] / 2});
      std::string at = shape.empty() ? "" : i.name;
      if (shape.size() == 2)
        at += ", " + j.name;
      k.store(k.op("tile.extract $0[" + at + "] : %0", {x}, scalar(type)));
      k.check();
    }
}

TEST_CASE("extract: a loop and a condition that depend on elements") {
  KernelText k;
  Value view = k.argument("!tile.view<40xi32>", {.low = 0, .high = 9});
  k.line("%sum = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %c0) -> "
         "(index) {");
  Value t = k.op("tile.load $0[%c0] : %0 -> %r", {view}, tile("i32", {40}));
  Value e = k.op("tile.extract $0[%s] : %0", {t}, scalar("i32"));
  k.line("%next = arith.index_cast " + e.name +
         " : i32 to index\n%zero = arith.constant 0 : i32\n%some = arith.cmpi "
         "sgt, " +
         e.name + ", %zero : i32\nscf.if %some {");
  k.effect("tile.store $0, $1[%c0] : %0, %1",
           {k.op("arith.addi $0, $0 : %r", {t}, t.type), view});
  k.line("}\nscf.yield %next : index\n}");
  k.store({"%sum", scalar("index")});
  k.check();
}
