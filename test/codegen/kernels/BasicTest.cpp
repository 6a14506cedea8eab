// Loads, stores, elementwise work, shapes, loops: kernels whose results are
// exact.
#include "Agree.h"
#include "DotBound.h"

#include <catch2/catch.hpp>

using namespace tilewright::kerneltest;
using std::to_string;

static const char *const kPlainTypes[] = {"i1",  "i4",   "i8",  "i16", "i32",
                                          "i64", "bf16", "f16", "f32", "f64"};
static const int kSizes[] = {1, 3, 7, 17, 33, 96};

static std::string zero(const std::string &type) {
  return type[0] == 'i' ? "0" : "0.0";
}

TEST_CASE("a tile is moved at the edge of a view") {
  for (const char *type : kPlainTypes)
    for (int size : kSizes) {
      std::string t = type, n = to_string(size),
                  view = "!tile.view<?x" + t + ">";
      agree("tile.kernel @k(%A: " + view + ", %B: " + view +
                ") grid affine_map<()[s0, s1] -> (s0 ceildiv " + n +
                ")> {\n"
                "%i = tile.program_id\n"
                "%a = tile.load %A[%i] pad " +
                zero(t) + " : " + view + " -> tensor<" + n + "x" + t +
                ">\n"
                "tile.store %a, %B[%i] : tensor<" +
                n + "x" + t + ">, " + view + "\n}",
            {{.dims = {50}}, {.dims = {45}}});
    }
}

/// A kernel with one program over static views.
static std::string kernel(const std::string &arguments,
                          const std::string &body) {
  return "tile.kernel @k(" + arguments +
         ") {\n%c0 = arith.constant 0 : index\n" +
         "%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n" +
         body + "\n}";
}

TEST_CASE("a window may begin before its view, and step over elements") {
  for (const char *type : {"i1", "i8", "bf16", "f32", "f64"})
    for (int step : {1, 2, 3}) {
      std::string t = type, view = "!tile.view<9x11x" + t + ">",
                  s = to_string(step), tile = "tensor<5x7x" + t + ">";
      agree(kernel("%A: " + view + ", %B: " + view + ", %o: index",
                   "%a = tile.load %A at [%o, %c1] step [1, " + s + "] pad " +
                       zero(t) + " : " + view + " -> " + tile +
                       "\n%b = tile.load %A at [%c3, %o] step [" + s +
                       ", 1] pad " + zero(t) + " : " + view + " -> " + tile +
                       "\ntile.store %a, %B at [%c1, %o] step [2, 1] : " +
                       tile + ", " + view +
                       "\ntile.store %b, %B at [%o, %c3] "
                       "step [1, 2] : " +
                       tile + ", " + view),
            {{}, {}, {.scalar = -2}});
    }
}

TEST_CASE("views with strides, views of no dimensions") {
  std::string view = "!tile.view<?x?xf32, strides<[?, ?]>>";
  agree("tile.kernel @k(%A: " + view + ", %B: " + view +
            ", %C: !tile.view<f32>"
            ") {\n%c0 = arith.constant 0 : index\n"
            "%a = tile.load %A[%c0, %c0] pad 1.5 : " +
            view +
            " -> tensor<5x6xf32>\n"
            "tile.store %a, %B[%c0, %c0] : tensor<5x6xf32>, " +
            view +
            "\n"
            "%c = tile.load %C[] : !tile.view<f32> -> tensor<f32>\n"
            "%d = arith.addf %c, %c : tensor<f32>\n"
            "tile.store %d, %C[] : tensor<f32>, !tile.view<f32>\n}",
        {{.dims = {4, 5}, .strides = {1, 4}},
         {.dims = {5, 5}, .strides = {11, 2}},
         {}});
}

TEST_CASE("transposes, reshapes, broadcasts") {
  for (const char *type : {"i1", "i4", "i16", "bf16", "f32", "f64"}) {
    std::string t = type, a = "tensor<5x7x3x" + t + ">";
    std::string view = "!tile.view<5x7x3x" + t + ">";
    agree(kernel("%A: " + view + ", %B: !tile.view<3x5x7x" + t +
                     ">, %C: !tile.view<15x7x" + t +
                     ">, %D: !tile.view<5x7x3x" + t + ">",
                 "%a = tile.load %A[%c0, %c0, %c0] : " + view + " -> " + a +
                     "\n%t = tile.transpose %a [2, 0, 1] : " + a +
                     " -> tensor<3x5x7x" + t +
                     ">\ntile.store %t, %B[%c0, %c0, "
                     "%c0] : tensor<3x5x7x" +
                     t + ">, !tile.view<3x5x7x" + t +
                     ">\n%r = tile.reshape %t : tensor<3x5x7x" + t +
                     "> -> tensor<15x7x" + t +
                     ">\ntile.store %r, %C[%c0, %c0] "
                     ": tensor<15x7x" +
                     t + ">, !tile.view<15x7x" + t +
                     ">\n%e = tile.load %A at [%c0, %c3, %c0] : " + view +
                     " -> tensor<5x1x3x" + t +
                     ">\n%f = tile.broadcast %e : "
                     "tensor<5x1x3x" +
                     t + "> -> " + a + "\ntile.store %f, %D[%c0, %c0, %c0] : " +
                     a + ", " + view));
  }
}

TEST_CASE("elementwise integers") {
  for (const char *type : {"i4", "i8", "i16", "i32", "i64"})
    for (int size : kSizes) {
      std::string t = type, tile = "tensor<" + to_string(size) + "x" + t + ">",
                  view = "!tile.view<" + to_string(size) + "x" + t + ">";
      std::string body = "%a = tile.load %A[%c0] : " + view + " -> " + tile +
                         "\n%b = tile.load %B[%c0] : " + view + " -> " + tile;
      std::string last = "%a";
      int n = 0;
      for (const char *op :
           {"addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minui"}) {
        std::string next = "%v" + to_string(n++);
        body += "\n" + next + " = arith." + op + " " + last + ", %b : " + tile;
        last = next;
      }
      body += "\n%c = arith.cmpi slt, " + last + ", %b : " + tile +
              "\n%s = arith.select %c, %a, " + last + " : tensor<" +
              to_string(size) + "xi1>, " + tile +
              "\ntile.store %s, %C[%c0] : " + tile + ", " + view;
      agree(kernel("%A: " + view + ", %B: " + view + ", %C: " + view, body));
    }
}

TEST_CASE("loops carry tiles, swapped and reordered") {
  std::string view = "!tile.view<7x7xf32>", t = "tensor<7x7xf32>";
  std::string head = "%a = tile.load %A[%c0, %c0] : " + view + " -> " + t +
                     "\n%b = tile.load %B[%c0, %c0] : " + view + " -> " + t +
                     "\n%r:2 = scf.for %i = %c0 to %c3 step %c1 "
                     "iter_args(%x = %a, %y = %b) -> (" +
                     t + ", " + t + ") {\n";
  std::string tail = "}\ntile.store %r#0, %C[%c0, %c0] : " + t + ", " + view +
                     "\ntile.store %r#1, %A[%c0, %c0] : " + t + ", " + view;
  std::string arguments = "%A: " + view + ", %B: " + view + ", %C: " + view;
  for (std::string body :
       {"scf.yield %y, %x : " + t + ", " + t,
        "%s = arith.addf %x, %y : " + t + "\nscf.yield %y, %s : " + t + ", " +
            t,
        "%s = tile.transpose %x [1, 0] : " + t + " -> " + t +
            "\nscf.yield %s, %y : " + t + ", " + t,
        "%n = arith.negf %x : " + t + "\n%s = tile.transpose %n [1, 0] : " + t +
            " -> " + t + "\nscf.yield %s, %s : " + t + ", " + t,
        "%s = tile.dot %x, %y, %x : " + t + ", " + t + " -> " + t +
            "\nscf.yield %s, %y : " + t + ", " + t}) {
    // With B up to 1/8, a dot of depth 7 multiplies numbers and their errors by
    // at most 1 + 7/8, and adds its own error. All else is exact.
    Input a{.low = -1, .high = 1}, b{.low = -0.125, .high = 0.125};
    Tolerance tolerance;
    double magnitude = 1;
    if (body.find("tile.dot") != std::string::npos)
      for (int i = 0; i < 3; ++i) {
        magnitude *= 1.875;
        tolerance.absolute =
            1.875 * tolerance.absolute + dotBound(7, magnitude, "f32", "f32");
      }
    agree(kernel(arguments, head + body + tail), {a, b}, tolerance);
  }
  agree(kernel("%A: " + view,
               "%a = tile.load %A[%c0, %c0] : " + view + " -> " + t +
                   "\n%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a)"
                   " -> (" +
                   t + ") {\n%n = arith.negf %x : " + t +
                   "\n%s = tile.transpose %n [1, 0] : " + t + " -> " + t +
                   "\nscf.yield %s : " + t +
                   "\n}\ntile.store %r, %A[%c0, %c0] : " + t + ", " + view));
}

TEST_CASE("nested loops and branches with tiles") {
  std::string view = "!tile.view<5x9xi32>", t = "tensor<5x9xi32>";
  agree(kernel(
      "%A: " + view + ", %B: " + view,
      "%a = tile.load %A[%c0, %c0] : " + view + " -> " + t +
          "\n%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a) -> (" +
          t +
          ") {\n%q:2 = scf.for %j = %c0 to %i step %c1 iter_args(%y = %x, %n = "
          "%i) -> (" +
          t + ", index) {\n%z = arith.addi %y, %a : " + t +
          "\n%m = arith.addi %n, %j : index\nscf.yield %z, %m : " + t +
          ", index\n}\n%odd = arith.cmpi eq, %q#1, %c3 : index\n"
          "%w = scf.if %odd -> (" +
          t + ") {\n%u = arith.muli %q#0, %x : " + t + "\nscf.yield %u : " + t +
          "\n} else {\nscf.yield %q#0 : " + t + "\n}\nscf.yield %w : " + t +
          "\n}\ntile.store %r, %B[%c0, %c0] : " + t + ", " + view));
}

TEST_CASE("a store does not change what it still has to read") {
  std::string view = "!tile.view<7x7xf32>", t = "tensor<7x7xf32>";
  agree(kernel("%A: " + view,
               "%a = tile.load %A[%c0, %c0] : " + view + " -> " + t +
                   "\n%s = tile.transpose %a [1, 0] : " + t + " -> " + t +
                   "\ntile.store %s, %A[%c0, %c0] : " + t + ", " + view));
  agree(kernel("%A: !tile.view<40xf32>",
               "%a = tile.load %A at [%c0] : !tile.view<40xf32> -> "
               "tensor<33xf32>\ntile.store %a, %A at [%c3] : tensor<33xf32>, "
               "!tile.view<40xf32>"));
}

TEST_CASE("an accumulator in another shape keeps its old value") {
  std::string view = "!tile.view<4x9xf32>", t = "tensor<4x9xf32>",
              q = "tensor<6x6xf32>";
  // r * r + r of numbers up to 1 reaches 7; its error goes through d * d + x,
  // once for each factor.
  double first = dotBound(6, 7, "f32", "f32");
  double bound =
      6 * (2 * 7 + first) * first + dotBound(6, 6 * 7 * 7 + 1, "f32", "f32");
  agree(kernel("%A: " + view + ", %B: " + view + ", %C: !tile.view<6x6xf32>",
               "%a = tile.load %A[%c0, %c0] : " + view + " -> " + t +
                   "\n%e = math.absf %a : " + t + "\n%r = tile.reshape %e : " +
                   t + " -> " + q + "\n%d = tile.dot %r, %r, %r : " + q + ", " +
                   q + " -> " + q + "\n%x = tile.reshape %e : " + t + " -> " +
                   q + "\n%f = tile.dot %d, %d, %x : " + q + ", " + q + " -> " +
                   q + "\ntile.store %f, %C[%c0, %c0] : " + q +
                   ", !tile.view<6x6xf32>\ntile.store %e, %B[%c0, %c0] : " + t +
                   ", " + view),
        {{.low = -1, .high = 1}}, {.absolute = bound});
}
