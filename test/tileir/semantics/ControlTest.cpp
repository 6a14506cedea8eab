// Control flow, calls, grids, and faults of a whole launch.
#include "Semantics.h"

using namespace tilewright::semantics;

TEST_CASE("for: carried values; no iteration if the bounds are equal") {
  const char *text = R"(
    tile.func @f(%n: index) -> i32 {
      %0 = arith.constant 0 : index
      %3 = arith.constant 3 : index
      %one = arith.constant 1 : i32
      %r = scf.for %i = %0 to %n step %3 iter_args(%x = %one) -> (i32) {
        %y = arith.addi %x, %x : i32
        scf.yield %y : i32
      }
      tile.return %r : i32
    })";
  CHECK_SAME(result(text, {{7}}), {8});
  CHECK_SAME(result(text, {{0}}), {1});
}

TEST_CASE("if and index_switch choose") {
  const char *text = R"(
    tile.func @f(%c: i1, %n: index) -> i32 {
      %a = arith.constant 10 : i32
      %b = arith.constant 20 : i32
      %x = scf.if %c -> (i32) {
        scf.yield %a : i32
      } else {
        scf.yield %b : i32
      }
      %y = scf.index_switch %n -> i32
      case 2 {
        scf.yield %x : i32
      }
      default {
        scf.yield %b : i32
      }
      tile.return %y : i32
    })";
  CHECK_SAME(result(text, {{1}, {2}}), {10});
  CHECK_SAME(result(text, {{0}, {2}}), {20});
  CHECK_SAME(result(text, {{1}, {3}}), {20});
}

TEST_CASE("while: halving until odd") {
  CHECK_SAME(compute(R"(
      %one = arith.constant 1 : i32
      %r = scf.while (%x = %a) : (i32) -> i32 {
        %low = arith.andi %x, %one : i32
        %even = arith.cmpi ne, %low, %one : i32
        scf.condition(%even) %x : i32
      } do {
      ^bb0(%x: i32):
        %half = arith.shrui %x, %one : i32
        scf.yield %half : i32
      })",
                     {"i32"}, "i32", {{40}}),
             {5});
}

TEST_CASE("while: what the condition passes on is not what is carried") {
  // Carries the number; passes on its square and the number.
  const char *text = R"(
    tile.func @f(%n: i32) -> (i32, i32) {
      %one = arith.constant 1 : i32
      %limit = arith.constant 50 : i32
      %square, %last = scf.while (%x = %n) : (i32) -> (i32, i32) {
        %s = arith.muli %x, %x : i32
        %low = arith.cmpi slt, %s, %limit : i32
        scf.condition(%low) %s, %x : i32, i32
      } do {
      ^bb0(%s: i32, %x: i32):
        %y = arith.addi %x, %one : i32
        scf.yield %y : i32
      }
      tile.return %square, %last : i32, i32
    })";
  CHECK(evaluate(text, {{5}}).results == std::vector<Numbers>{{64}, {8}});
  CHECK(evaluate(text, {{9}}).results == std::vector<Numbers>{{81}, {9}});
}

TEST_CASE("index_switch: one of several cases, or the default") {
  const char *text = R"(
    tile.func @f(%n: index) -> i32 {
      %r = scf.index_switch %n -> i32
      case -1 {
        %a = arith.constant 10 : i32
        scf.yield %a : i32
      }
      case 7 {
        %b = arith.constant 20 : i32
        scf.yield %b : i32
      }
      default {
        %c = arith.constant 30 : i32
        scf.yield %c : i32
      }
      tile.return %r : i32
    })";
  CHECK_SAME(result(text, {{-1}}), {10});
  CHECK_SAME(result(text, {{7}}), {20});
  CHECK_SAME(result(text, {{0}}), {30});
}

TEST_CASE("call: a device function has values of its own") {
  CHECK_SAME(result(R"(
    tile.func @double(%x: i32) -> i32 {
      %y = arith.addi %x, %x : i32
      tile.return %y : i32
    }
    tile.func @f(%x: i32) -> i32 {
      %a = tile.call @double(%x) : (i32) -> i32
      %b = tile.call @double(%a) : (i32) -> i32
      tile.return %b : i32
    })",
                    {{3}}),
             {12});
}

TEST_CASE("affine: division rounds down, and negative numbers are less") {
  const char *text = R"(
    tile.func @f(%n: index) -> (index, index, index) {
      %a = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%n)
      %b = affine.min affine_map<(d0)[s0] -> (d0 + s0, d0 mod 4, 3)>(%n)[%n]
      %c = affine.max affine_map<(d0) -> (d0 ceildiv 4, -9)>(%n)
      tile.return %a, %b, %c : index, index, index
    })";
  CHECK(evaluate(text, {{-5}}).results ==
        std::vector<Numbers>{{-2}, {-10}, {-1}});
  CHECK(evaluate(text, {{6}}).results == std::vector<Numbers>{{1}, {2}, {2}});
}

TEST_CASE("affine: apply, min, max") {
  CHECK_SAME(result(R"(
    tile.func @f(%n: index) -> index {
      %a = affine.apply affine_map<()[s0] -> (s0 ceildiv 4 + s0 mod 3)>()[%n]
      %b = affine.min affine_map<(d0) -> (d0, 5)>(%a)
      %c = affine.max affine_map<(d0) -> (d0, 4)>(%b)
      tile.return %c : index
    })",
                    {{17}}),
             {5});
}

/// Each program writes its number: ids[0] + 10 * ids[1] + 100 * count.
static const char *kGrid = R"(
  tile.kernel @k(%x: !tile.view<?x?xi64>)
      grid affine_map<()[s0, s1] -> (s0, s1)> {
    %i, %j = tile.program_id
    %m, %n = tile.program_count
    %ten = arith.constant 10 : index
    %hundred = arith.constant 100 : index
    %a = arith.muli %j, %ten : index
    %b = arith.muli %n, %hundred : index
    %c = arith.addi %a, %b : index
    %d = arith.addi %i, %c : index
    %e = arith.index_cast %d : index to i64
    %t = tile.splat %e : i64 -> tensor<1x1xi64>
    tile.store %t, %x[%i, %j] : tensor<1x1xi64>, !tile.view<?x?xi64>
  })";

TEST_CASE("grid: every program runs once, in whatever order") {
  for (uint64_t seed : {0, 1, 2}) {
    Result result = launch(kGrid, {{{2, 3}, Numbers(6), false}}, seed);
    CHECK(result.error == "");
    CHECK_SAME(result.results[0], {300, 310, 320, 301, 311, 321});
  }
}

TEST_CASE("grid: no program if a size is 0") {
  Result result = launch(kGrid, {{{2, 0}, {}}});
  CHECK(result.error == "");
}

TEST_CASE("order: a seed shuffles the programs") {
  // The last program to run determines the number.
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<i64>, %n: index)
        grid affine_map<()[s0] -> (s0)> {
      %i = tile.program_id
      %e = arith.index_cast %i : index to i64
      %t = tile.splat %e : i64 -> tensor<i64>
      tile.store %t, %x[] : tensor<i64>, !tile.view<i64>
    })";
  Array one{{}, {0}}, count{{}, {50}};
  CHECK_SAME(launch(text, {one, count}).results[0], {49});
  Result shuffled = launch(text, {one, count}, 7);
  CHECK(shuffled.results[0] != Numbers{49});
  CHECK(shuffled.results[0] == launch(text, {one, count}, 7).results[0]);
}

TEST_CASE("a loop without end reaches the step limit") {
  Result result = launch(R"(
    tile.kernel @k() {
      %true = arith.constant true
      scf.while : () -> () {
        scf.condition(%true)
      } do {
        %x = arith.constant 1 : i32
        scf.yield
      }
    })",
                         {}, 0, 1000);
  CHECK(result.error.find("7: arith.constant: the step limit of 1000 ops is "
                          "reached") == 0);
}

TEST_CASE("arguments must fit the kernel") {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<?x4xf32> {tile.align = 16 : i64,
        tile.dim_divisible = array<i64: 2, 1>}, %n: index {tile.divisible = 8 : i64}) {
    })";
  Array good{{2, 4}, Numbers(8)}, eight{{}, {8}};
  CHECK(launch(text, {good, eight}).error == "");
  CHECK(launch(text, {good}).error ==
        "2: tile.kernel: takes 2 arguments, found 1");
  CHECK(launch(text, {{{2, 3}, Numbers(6)}, eight}).error ==
        "2: tile.kernel: argument 0 is '!tile.view<?x4xf32>', found dimension "
        "1 of size 3");
  CHECK(launch(text, {good, {{}, {9}}}).error ==
        "2: tile.kernel: argument 1 has value 9, assumed to be divisible by "
        "8");
  CHECK(launch(text, {{{3, 4}, Numbers(12)}, eight}).error ==
        "2: tile.kernel: argument 0 has dimension 3, assumed to be divisible "
        "by 2");
}

TEST_CASE("arguments that are assumed to be disjoint share no memory") {
  const char *text = R"(
    tile.kernel @k(%x: !tile.view<8xf32> {tile.disjoint = array<i64: 1>},
                   %y: !tile.view<?xf32>) {
    })";
  auto error = [&](int64_t byte, int64_t count) {
    Array first{{8}, Numbers(16)}, second{{count}, Numbers(size_t(count))};
    second.inFirst = byte;
    return launch(text, {first, second}).error;
  };
  const std::string shared = "2: tile.kernel: argument 0 shares memory with "
                             "argument 1, assumed to be disjoint";
  CHECK(error(31, 8) == shared);
  CHECK(error(0, 1) == shared);
  CHECK(error(32, 8) == "");
  CHECK(error(0, 0) == "");
}

TEST_CASE("an op that is not known is an error, not a crash") {
  Result result = launch(R"(
    tile.kernel @k() {
      %x = tile.tunable "BM" of [64, 128]
    })",
                         {});
  CHECK(result.error == "3: tile.tunable: \"BM\" has no value; bind it first");
  result = launch(R"(
    tile.kernel @k() {
      tile.inline_ptx "nanosleep.u32 1;" constraints "" () : () -> ()
    })",
                  {});
  CHECK(result.error == "3: tile.inline_ptx: the interpreter does not run "
                        "PTX; run this kernel on the emulator or on a GPU");
}
