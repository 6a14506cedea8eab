// Views made in the kernel, their sizes, the grid, and the order of accesses.
#include "KernelText.h"

#include <catch2/catch.hpp>
#include <limits>

using namespace tilewright::kerneltest;
using std::to_string;

static Value indexArgument(KernelText &k, int64_t value) {
  return k.argument("index", {.scalar = value});
}

TEST_CASE("views: of pointers, with sizes and strides of the launch") {
  for (std::string type : {"i1", "i4", "i8", "bf16", "f32", "f64", "f8E5M2"}) {
    KernelText k;
    Value p =
        k.argument("!tile.ptr<" + type + ">", {.dims = {100}, .anyBits = true});
    Value n = indexArgument(k, 5), m = indexArgument(k, 6),
          s = indexArgument(k, 13);
    TileType t = tile(type, {7, 8});
    Value row = k.op("tile.make_view $0 sizes[$1, $2] : %0 -> %r", {p, n, m},
                     scalar("!tile.view<?x?x" + type + ">"));
    Value wide = k.op("tile.make_view $0 sizes[$1, $2] strides[$3] : %0 -> %r",
                      {p, n, m, s},
                      scalar("!tile.view<?x?x" + type + ", strides<[?, 1]>>"));
    Value turned =
        k.op("tile.make_view $0 sizes[$1] strides[$2] : %0 -> %r", {p, m, s},
             scalar("!tile.view<?x6x" + type + ", strides<[1, ?]>>"));
    std::string pad = isFloat(type) ? "1.0" : "1";
    for (const Value &view : {row, wide, turned})
      k.store(
          k.op("tile.load $0[%c0, %c0] pad " + pad + " : %0 -> %r", {view}, t));
    Value x = k.load(t, {.anyBits = true});
    k.effect("tile.store $0, $1 at [%c1, %c2] : %0, %1", {x, wide});
    Value flat = k.op("tile.make_view $0 : %0 -> %r", {p},
                      scalar("!tile.view<4x25x" + type + ">"));
    k.store(k.op("tile.load $0 at [%c1, %c3] step [1, 3] : %0 -> %r", {flat},
                 tile(type, {3, 7})));
    for (const char *d : {"0", "1"})
      for (const Value &view : {row, wide, turned, flat})
        for (std::string op : {"tile.dim $0, ", "tile.stride $0, "})
          k.store(k.op(op + d + " : %0", {view}, scalar("index")));
    k.store(k.op("tile.count $0, 0 by 4 : %0", {row}, scalar("index")));
    k.store(k.op("tile.count $0, 1 by 6 : %0", {row}, scalar("index")));
    k.check();
  }
}

TEST_CASE("views: strides that are 0 or negative") {
  for (std::string type : {"i8", "f16", "f32", "i64"})
    for (int64_t stride : {0, -1, -3, 2}) {
      KernelText k;
      Value p = k.argument("!tile.ptr<" + type + ">",
                           {.dims = {100}, .anyBits = true});
      Value s = indexArgument(k, stride), n = indexArgument(k, 6),
            middle = indexArgument(k, 50);
      Value q = k.op("tile.offset $0, $1 : %0, %1", {p, middle}, p.type);
      std::string wide = "!tile.view<?x6x" + type + ", strides<[8, ?]>>";
      Value a = k.op("tile.make_view $0 sizes[$1] strides[$2] : %0 -> %r",
                     {q, n, s}, scalar(wide));
      Value b =
          k.op("tile.make_view $0 sizes[$1] strides[$2] : %0 -> %r", {q, n, s},
               scalar("!tile.view<6x?x" + type + ", strides<[?, 1]>>"));
      Value c = k.op("tile.make_view $0 : %0 -> %r", {q},
                     scalar("!tile.view<3x9x" + type + ", strides<[-9, 0]>>"));
      std::string pad = isFloat(type) ? "0.0" : "0";
      for (const Value &view : {a, b}) {
        k.store(k.op("tile.load $0[%c0, %c0] pad " + pad + " : %0 -> %r",
                     {view}, tile(type, {5, 8})));
        k.store(k.op("tile.load $0 at [%c1, %c2] step [2, 1] pad " + pad +
                         " : %0 -> %r",
                     {view}, tile(type, {2, 4})));
      }
      k.store(
          k.op("tile.load $0[%c0, %c0] : %0 -> %r", {c}, tile(type, {3, 9})));
      if (stride < 0)
        k.effect("tile.store $0, $1[%c0, %c1] : %0, %1",
                 {k.load(tile(type, {4, 3})), stride == -1 ? a : b});
      k.check();
    }
}

TEST_CASE("views: every second element of a row") {
  for (std::string type : {"i1", "i8", "bf16", "f32", "i64"})
    for (const char *offset : {"-3", "0", "1", "4"}) {
      KernelText k;
      Value fixed =
          k.argument("!tile.view<3x45x" + type + ">", {.anyBits = true});
      Value sized = k.argument("!tile.view<?x?x" + type + ">",
                               {.dims = {3, 45}, .anyBits = true});
      Value at = k.constant(offset, scalar("index"));
      std::string pad = isFloat(type) ? "1.5" : type == "i1" ? "true" : "3";
      for (const Value &view : {fixed, sized})
        for (int64_t columns : {7, 20, 32})
          k.store(k.op("tile.load $0 at [%c1, $1] step [1, 2] pad " + pad +
                           " : %0 -> %r",
                       {view, at}, tile(type, {3, columns})));
      // All inside: without a mask.
      k.store(k.op("tile.load $0 at [%c0, %c3] step [1, 2] : %0 -> %r", {fixed},
                   tile(type, {3, 21})));
      k.check();
    }
}

TEST_CASE("views: offsets near the ends of their range") {
  const int64_t last = std::numeric_limits<int64_t>::max();
  const std::vector<int64_t> offsets = {last,      last - 1, last - 5,
                                        -last - 1, -last,    -last + 5};
  for (int64_t offset : offsets)
    for (bool isConstant : {true, false})
      for (std::string step : {"1", "3"}) {
        KernelText k;
        Value fixed = k.argument("!tile.view<7x5xi32>", {.anyBits = true});
        Value sized = k.argument("!tile.view<?x?xi32>",
                                 {.dims = {7, 5}, .anyBits = true});
        Value o = isConstant ? k.constant(to_string(offset), scalar("index"))
                             : indexArgument(k, offset);
        TileType t = tile("i32", {8, 4});
        Value x = k.load(t, {.anyBits = true});
        for (const Value &view : {fixed, sized})
          for (std::string at : {"[$1, %c0]", "[%c0, $1]"}) {
            const std::string where = " at " + at + " step [" + step + ", 1]";
            k.store(k.op("tile.load $0" + where + " pad 7 : %0 -> %r",
                         {view, o}, t));
            k.effect("tile.store $2, $0" + where + " : %2, %0", {view, o, x});
            k.effect("tile.atomic_reduce add relaxed device $2, $0" + where +
                         " : %2, %0",
                     {view, o, x});
          }
        k.check();
      }
}

TEST_CASE("views: without elements") {
  for (int64_t size : {0, -3}) {
    KernelText k;
    Value p = k.argument("!tile.ptr<f32>", {.dims = {20}});
    Value n = indexArgument(k, size);
    Value view = k.op("tile.make_view $0 sizes[$1] : %0 -> %r", {p, n},
                      scalar("!tile.view<?xf32>"));
    Value x =
        k.op("tile.load $0[%c0] pad 2.5 : %0 -> %r", {view}, tile("f32", {9}));
    k.effect("tile.store $0, $1[%c0] : %0, %1", {x, view});
    k.store(x);
    k.check();
  }
}

TEST_CASE("views: the base of a view, in a loop and in a branch") {
  KernelText k;
  Value v = k.argument("!tile.view<?x?xf32>", {.dims = {6, 20}});
  Value p = k.op("tile.base $0 : %0 -> %r", {v}, scalar("!tile.ptr<f32>"));
  Value w = k.op("tile.dim $0, 1 : %0", {v}, scalar("index"));
  k.line("scf.for %i = %c1 to %c3 step %c1 {");
  Value o = k.op("arith.muli %i, $0 : %r", {w}, scalar("index"));
  Value q = k.op("tile.offset $0, $1 : %0, %1", {p, o}, p.type);
  Value row = k.op("tile.make_view $0 sizes[$1] : %0 -> %r", {q, w},
                   scalar("!tile.view<?xf32>"));
  Value x = k.op("tile.load $0 at [%i] : %0 -> %r", {row}, tile("f32", {17}));
  k.line("%odd = arith.cmpi eq, %i, %c1 : index\nscf.if %odd {");
  k.effect("tile.store $0, $1 at [%c0] : %0, %1", {x, row});
  k.line("} else {");
  k.effect("tile.store $0, $1 at [%c1, %i] : %0, %1",
           {k.op("tile.reshape $0 : %0 -> %r", {x}, tile("f32", {1, 17})), v});
  k.line("}\n}");
  k.check();
}

TEST_CASE("grids: ids and counts of each dimension") {
  for (std::string grid : {"s1", "s1, 2", "3, s1, 2"}) {
    int rank = std::count(grid.begin(), grid.end(), ',') + 1;
    KernelText k;
    Value n = indexArgument(k, 5), m = indexArgument(k, 4);
    Value out = k.argument("!tile.view<100x6xi64>");
    k.grid = grid;
    std::string ids = "%i0", counts = "%n0", number = "%i0";
    for (int d = 1; d < rank; ++d) {
      ids += ", %i" + to_string(d);
      counts += ", %n" + to_string(d);
    }
    k.line(ids + " = tile.program_id\n" + counts + " = tile.program_count");
    Value linear{"%i0", scalar("index")};
    for (int d = 1; d < rank; ++d)
      linear = k.op("arith.addi $0, %i" + to_string(d) + " : %r",
                    {k.op("arith.muli $0, %n" + to_string(d) + " : %r",
                          {linear}, scalar("index"))},
                    scalar("index"));
    for (int d = 0; d < rank; ++d)
      for (std::string name : {"%i", "%n"}) {
        Value word =
            k.op("arith.index_cast " + name + to_string(d) + " : index to %r",
                 {}, scalar("i64"));
        Value t = k.op("tile.splat $0 : %0 -> %r", {word}, tile("i64", {1, 1}));
        Value column =
            k.constant(to_string(2 * d + (name == "%n")), scalar("index"));
        k.effect("tile.store $0, $1[$2, $3] : %0, %1",
                 {t, out, linear, column});
      }
    (void)n, (void)m;
    k.check();
  }
}

TEST_CASE("stores: the value reads the same memory at other places") {
  KernelText k;
  Value v = k.argument("!tile.view<9x40xf32>");
  TileType t = tile("f32", {8, 33});
  // Down and to the right by one, then back by two steps.
  Value a = k.op("tile.load $0 at [%c0, %c0] : %0 -> %r", {v}, t);
  k.effect("tile.store $0, $1 at [%c1, %c1] : %0, %1",
           {k.op("arith.negf $0 : %r", {a}, t), v});
  Value b = k.op("tile.load $0 at [%c1, %c2] : %0 -> %r", {v}, t);
  k.effect("tile.store $0, $1 at [%c0, %c1] : %0, %1", {b, v});
  // Both are older than the stores above them.
  Value c = k.op("arith.addf $0, $1 : %r", {a, b}, t);
  k.effect("tile.store $0, $1 at [%c1, %c3] : %0, %1", {c, v});
  k.check();
}

TEST_CASE("stores: through pointers into what is still to be read") {
  KernelText k;
  Value p = k.argument("!tile.ptr<i32>", {.dims = {50}});
  TileType t = tile("i32", {33});
  Value i = k.op("tile.iota : %r", {}, t);
  Value last = k.constant("32", t);
  Value j = k.op("arith.subi $0, $1 : %r", {last, i}, t);
  TileType pointers = t.of("!tile.ptr<i32>");
  Value up = k.op("tile.offset $0, $1 : %0, %1", {p, i}, pointers);
  Value down = k.op("tile.offset $0, $1 : %0, %1", {p, j}, pointers);
  Value x = k.op("tile.load_ptr $0 : %0", {up}, t);
  k.effect("tile.store_ptr $0, $1 : %1", {x, down}); // Reversed in place.
  Value y = k.op("tile.load_ptr $0 : %0", {up}, t);
  Value moved =
      k.op("tile.offset $0, $1 : %0, %1", {up, k.constant("1", t)}, pointers);
  k.effect("tile.store_ptr $0, $1 : %1", {y, moved}); // Shifted in place.
  k.store(k.op("arith.addi $0, $1 : %r", {x, y}, t));
  k.check();
}

TEST_CASE("stores: two views of the same memory") {
  KernelText k;
  Value p = k.argument("!tile.ptr<f32>", {.dims = {64}});
  Value a =
      k.op("tile.make_view $0 : %0 -> %r", {p}, scalar("!tile.view<8x8xf32>"));
  Value b = k.op("tile.make_view $0 : %0 -> %r", {p},
                 scalar("!tile.view<8x8xf32, strides<[1, 8]>>"));
  TileType t = tile("f32", {8, 8});
  Value x = k.op("tile.load $0[%c0, %c0] : %0 -> %r", {a}, t);
  k.effect("tile.store $0, $1[%c0, %c0] : %0, %1", {x, b}); // Transposes.
  Value y = k.op("tile.load $0[%c0, %c0] : %0 -> %r", {a}, t);
  k.effect("tile.store $0, $1 at [%c1, %c2] : %0, %1",
           {k.op("arith.addf $0, $1 : %r", {x, y}, t), b});
  k.check();
}
