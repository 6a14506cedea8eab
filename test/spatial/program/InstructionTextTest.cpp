// Lines of schedules: each form is printed as it was read, and each error says
// what was expected.
#include "spatial/program/InstructionText.h"
#include "tilewright/runtime/MappedFile.h"
#include <catch2/catch.hpp>
#include <cmath>

using namespace tilewright;
using namespace tilewright::spatial;

/// Values of each type on toy4 with streams of two bytes: an f32 has two
/// planes.
static Schedule schedule() {
  Schedule made;
  auto text = runtime::readFile(TEST_EXAMPLES "/machines/toy4.json");
  REQUIRE(text.ok());
  constexpr std::string_view bytes = "\"stream_bytes\": 4";
  text->replace(text->find(bytes), bytes.size(), "\"stream_bytes\": 2");
  auto machine = parseMachine(*text, "m");
  REQUIRE(machine.ok());
  made.machine = *machine;
  made.values = {{"x", DType::F32, 8},  {"h", DType::F16, 8},
                 {"i", DType::I32, 8},  {"q", DType::I8, 8},
                 {"c", DType::Bool, 8}, {"b", DType::BF16, 8}};
  made.maps = {{"turn", {1, 2, 3, 0}}, {"both", {0, 5, -1, 7}}};
  made.files = {"chip-0.txt"};
  return made;
}

static Instruction parsed(std::string_view line) {
  Schedule all = schedule();
  auto read = parseInstructions(all, line, "f");
  INFO(line << ": " << read.status().message());
  REQUIRE(read.ok());
  REQUIRE(read->size() == 1);
  return (*read)[0];
}

TEST_CASE("each form of a line is printed as it was read") {
  Schedule all = schedule();
  for (std::string_view line : {
           "@0 u2.b0 read r0:x[0].1 -> w0",
           "@0 u2.b1 read r412+1:x[1+2].0 -> e5 *3/2",
           "@0 u2.b1 read r412-1:x[7-2].0 -> e5 *3/2",
           "@7 u3.b0 write e5:h[3].0 -> r7+4 *2/1",
           "@7 u3.b0 gather r7#8:h[0].0 e5,e6:i[3+1] -> w1:h[7].0 *2/9",
           "@4 u0.p0.w load e0,e1:x[3] -> buffer 0 row 2",
           "@4 u0.p1.w load w0,w1:h[3+2] -> buffer 1 row 0+2 *2/1",
           "@6 u0.p0.a mul f32 w2,w3:x[0] buffer 0:x[2] rows 4 -> e0,e1:x[7]",
           "@6 u0.p0.a mul f16 w2:h[0+1] buffer 1:h[0] rows 8 + acc 3+1:x[0] "
           "-> acc 3+1:x[4+1] *4/2",
           "@6 u0.p0.a mul i8 w2:q[0] buffer 1:q[0] rows 1 -> acc 3:i[0]",
           "@13 u4.a0 max f32 e0,e1:x[0] 0 -> w0:h[0]",
           "@13 u4.a3 fma f32 e0,e1:x[0+1] a2:b[0] -1.5 -> a:x[0+1] *2/1",
           "@13 u4.a0 select i32 e3:c[0] 1 -2 -> w0,w1:i[0] -> e0,e1:i[0]",
           "@13 u4.a0 mul i32 a1:q[0] a2:i[0] -> w0:q[1]",
           "@13 u4.a0 not i32 a1:q[0] -> a:c[1]",
           "@13 u4.a0 lt f32 a1:x[0] inf -> a:c[1]",
           "@13 u4.a0 convert f32 a1:x[0] -> a:q[1]",
           "@13 u4.a0 convert i32 a1:i[0] -> a:h[1]",
           "@2 u1.s0 map turn e0:q[0] -> w7:q[1]",
           "@2 u1.s0 map both e0:q[0] e1:q[1] -> w7:q[2]",
           "@2 u1.s0 transpose e0:h[4] -> w7:h[0]",
           "@2 u5.t0 send e0:x[0].1",
           "@2 u5.r12 receive x[0].1 -> e0",
       })
    CHECK(printInstruction(all, parsed(line)) == line);
}

TEST_CASE("numbers of lines read back as the same") {
  Schedule all = schedule();
  for (std::string_view number :
       {"0", "-0", "0.1", "1e+30", "-1.5e-42", "3.4028234663852886e+38", "inf",
        "-inf", "1e+300"}) {
    std::string line =
        "@0 u4.a0 add f32 a0:x[0] " + std::string(number) + " -> a:x[0]";
    Instruction read = parsed(line);
    std::string printed = printInstruction(all, read);
    CHECK(parsed(printed).operands[1] == read.operands[1]);
    CHECK(std::signbit(parsed(printed).operands[1].number) ==
          (number[0] == '-'));
  }
  Instruction nan = parsed("@0 u4.a0 add f32 a0:x[0] nan -> a:x[0]");
  CHECK(std::isnan(nan.operands[1].number));
}

TEST_CASE("comments, blank lines and any blanks are skipped") {
  Schedule all = schedule();
  auto read = parseInstructions(all,
                                "; nothing\n\n  \t; nothing\r\n"
                                "\t@3  u2.b0\tread r0:x[0].0  ->  w0 ; end\r\n"
                                "@4 u2.b0 read r0:x[0].0 -> w0;",
                                "f");
  REQUIRE(read.ok());
  REQUIRE(read->size() == 2);
  CHECK((*read)[0].line == 4);
  CHECK((*read)[1].line == 5);
  CHECK((*read)[0].cycle == 3);
}

TEST_CASE("a line that cannot be read says where and why") {
  struct Case {
    std::string_view line, error;
  };
  for (Case wrong : {
           Case{"0 u2.b0 read", "f:1: expected '@', found '0'"},
           {"@-1 u2.b0 read r0:x[0].0 -> w0", "expected a number, found '-1'"},
           {"@9999999999999 u2.b0 read r0:x[0].0 -> w0", "at most 2^40"},
           {"@0 u2.c0 read r0:x[0].0 -> w0", "expected a queue"},
           {"@0 u2.p0 load", "expected a queue"},
           {"@0 u2.b0x read", "expected a queue"},
           {"@0 u2.b99999999999999999999 read", "expected a queue"},
           {"@0 u2.b0 reap r0:x[0].0 -> w0",
            "expected an operation, found 'reap'"},
           {"@0 u2.b0 load w0:h[0] -> buffer 0 row 0",
            "'load' is not an operation of the queue u2.b0"},
           {"@0 u0.p0.w mul f16 w2:h[0]",
            "'mul' is not an operation of the queue u0.p0.w"},
           {"@0 u2.b0 add f32 w2:h[0]", "'add' is not an operation"},
           {"@0 u2.b0 read 0:x[0].0 -> w0", "expected a row (r0), found '0:"},
           {"@0 u2.b0 read r0:y[0].0 -> w0", "the manifest has no value 'y'"},
           {"@0 u2.b0 read r0:x[8].0 -> w0",
            "the value 'x' has the vectors 0 to 7, and no 8"},
           {"@0 u2.b0 read r0:x[0+4].0 -> w0 *3/1", "and no 8"},
           {"@0 u2.b0 read r0:x[1-1].0 -> w0 *3/1", "and no -1"},
           {"@0 u2.b0 read r0:x[0].2 -> w0",
            "expected a plane from 0 to 1 of f32, found 2"},
           {"@0 u2.b0 read r0:x[0].0 -> w0,w1",
            "expected 1 stream for a plane, found 2"},
           {"@0 u2.b0 read r0:x[0] -> w0", "expected '.' at the end"
            /* of the name */},
           {"@0 u2.b0 read r0:x[0].0", "expected '->' at the end of the line"},
           {"@0 u2.b0 read r0:x[0].0 -> w0 w1", "expected the end of the line"},
           {"@0 u2.b0 read r0:x[0].0 -> w70000", "at most 65535"},
           {"@0 u2.b0 read r0:x[0].0 -> n0", "expected a stream (e0, w3)"},
           {"@0 u2.b0 read r0:x[0].0 -> w0 *0/1", "COUNT and STEP of at least"},
           {"@0 u2.b0 read r0:x[0].0 -> w0 *2/0", "COUNT and STEP of at least"},
           {"@0 u2.b0 read r0:x[0].0 -> w0 *2", "expected '/' at the end"},
           {"@0 u2.b0 read r0:x[0].0 -> w0 *9999999999/1", "at most 2^31"},
           {"@0 u2.b0 read r0:x[0].0 -> w0 *2000000000/2000000000",
            "at most 2^40 in all repetitions"},
           {"@0 u2.b0 read r0+2:x[0].0 -> w0 *2000000000/1",
            "at most 2147483647 in all repetitions"},
           {"@0 u2.b0 read r2147483648:x[0].0 -> w0", "at most 2147483647"},
           {"@0 u2.b0 read r0-2147483648:x[0].0 -> w0", "at most 2147483647"},
           {"@0 u2.b2147483648 read r0:x[0].0 -> w0", "expected a queue"},
           {"@0 u2.b0 read r0:x[0].40000 -> w0", "at most 32767"},
           {"@0 u2.b0 gather r0#2147483648:h[0].0 e0,e1:i[0] -> w0:h[1].0",
            "at most 2147483647"},
           {"@0 u2.b0 gather r0#0:h[0].0 e0,e1:i[0] -> w0:h[1].0",
            "expected at least 1 row"},
           {"@0 u2.b0 gather r0#9:h[0].0 e0,e1:i[0] -> w0:h[1].0", "and no 8"},
           {"@0 u2.b0 gather r0#2:h[0].0 e0:h[3] -> w0:h[1].0",
            "expected an index of i32, found 'h' of f16"},
           {"@0 u2.b0 gather r0#2:h[0].0 e0,e1:i[0] -> w0:q[1].0",
            "expected a result of the table's type, f16, found 'q' of i8"},
           {"@0 u2.b0 gather r0#2:x[0].0 e0,e1:i[0] -> w0:x[1].1",
            "expected the table's plane, 0, in the result, found 1"},
           {"@0 u0.p0.w load e0,e1,e2:x[3] -> buffer 0 row 2",
            "expected 2 streams, one for each plane of x[3], found 3"},
           {"@0 u0.p0.w load e0,e1:h[7] -> buffer 0 row 2", "and no 8"},
           {"@0 u0.p0.w load e0,w1:x[3] -> buffer 0 row 2",
            "expected streams of one direction"},
           {"@0 u0.p0.w load e1,e1:x[3] -> buffer 0 row 2",
            "the stream e1 stands twice"},
           {"@0 u0.p0.w load e1:h[3] -> buffer 0+1 row 2", "expected 'row'"},
           {"@0 u0.p0.a mul i32 w0:h[0] buffer 0:h[0] rows 1 -> acc 0:x[0]",
            "expected i8, f16, bf16 or f32, found 'i32'"},
           {"@0 u0.p0.a mul f16 w0:q[0] buffer 0:h[0] rows 1 -> acc 0:x[0]",
            "expected an operand of f16, found 'q' of i8"},
           {"@0 u0.p0.a mul f16 w0:h[0] buffer 0:b[0] rows 1 -> acc 0:x[0]",
            "expected an operand of f16, found 'b' of bf16"},
           {"@0 u0.p0.a mul f16 w0:h[0] buffer 0:h[0] rows 1 -> acc 0:h[0]",
            "expected f32, the type of products of f16, found 'h' of f16"},
           {"@0 u0.p0.a mul f16 w0:h[0] buffer 0:h[1] rows 8 -> acc 0:x[0]",
            "and no 8"},
           {"@0 u0.p0.a mul f16 w0:h[0] buffer 0:h[1] rows 0 -> acc 0:x[0]",
            "expected at least 1 row"},
           {"@0 u0.p0.a mul f16 w0:h[0] buffer 0:h[1] rows 1 + acc 0:h[0] -> "
            "acc 0:x[0]",
            "expected f32, the type of products"},
           {"@0 u4.a0 add f16 a0:h[0] 1 -> a:h[0]", "expected f32 or i32"},
           {"@0 u4.a0 add f32 a0:x[0] -> a:x[0]", "expected a number that"},
           {"@0 u4.a0 add f32 a0:x[0] 1 2 -> a:x[0]", "expected '->'"},
           {"@0 u4.a0 add f32 a0:i[0] 1 -> a:x[0]",
            "expected an operand of f32, f16 or bf16, found 'i' of i32"},
           {"@0 u4.a0 add i32 a0:x[0] 1 -> a:i[0]", "expected an operand of i"},
           {"@0 u4.a0 add i32 a0:i[0] 1.5 -> a:i[0]",
            "expected a number that an i32 holds, found 1.5"},
           {"@0 u4.a0 add i32 a0:i[0] 2147483648 -> a:i[0]", "an i32 holds"},
           {"@0 u4.a0 add f32 a0:x[0] 1 -> a:i[0]", "expected a result of f32"},
           {"@0 u4.a0 lt f32 a0:x[0] 1 -> a:x[0]", "expected a result of i1"},
           {"@0 u4.a0 convert f32 a0:x[0] -> a:x[0]", "a result of i32"},
           {"@0 u4.a0 select f32 a0:x[0] 1 2 -> a:x[0]", "a condition of i1"},
           {"@0 u4.a0 select f32 2 1 2 -> a:x[0]", "expected 0 or 1 for a"},
           {"@0 u4.a0 exp i32 a0:i[0] -> a:i[0]",
            "'exp' is an operation on f32, not on i32"},
           {"@0 u4.a0 shl f32 a0:x[0] 1 -> a:x[0]",
            "'shl' is an operation on i32, not on f32"},
           {"@0 u4.a0 abs f32 a0:x[0] -> w0:h[0] -> e0:h[1]",
            "expected one name for all results"},
           {"@0 u4.a0 abs f32 a0:x[0] -> w0:x[0]",
            "expected 2 streams, one for each plane of x[0], found 1"},
           {"@0 u4.a0 abs f32 a0:x[0] -> a:x[0] -> w0:x[0]",
            "expected the end of the line"},
           {"@0 u1.s0 map flip e0:q[0] -> w7:q[1]",
            "the manifest has no map 'flip'"},
           {"@0 u1.s0 map both e0:q[0] -> w7:q[1]",
            "the map 'both' takes lanes of a second operand"},
           {"@0 u1.s0 map turn e0:q[0] -> w7:h[1]", "expected one type, i8"},
           {"@0 u1.s0 transpose e0:h[5] -> w7:h[0]", "and no 8"},
           {"@0 u1.s0 transpose e0:h[0] -> w7:h[5]", "and no 8"},
           {"@0 u5.t0 send e0:h[0]", "expected '.'"},
       }) {
    Schedule all = schedule();
    auto read = parseInstructions(all, wrong.line, "f");
    INFO(wrong.line);
    REQUIRE_FALSE(read.ok());
    CHECK_THAT(read.status().message(),
               Catch::Contains(std::string(wrong.error)));
  }
}

TEST_CASE("a schedule has at most 2^31 instructions") {
  Schedule all = schedule();
  std::string line = "@0 u2.b0 read r0:x[0].0 -> w0 *1073741824/1\n";
  CHECK(parseInstructions(all, line + line, "f").ok());
  CHECK_THAT(parseInstructions(all, line + line + line, "f").status().message(),
             Catch::Contains("f:3: expected at most 2^31 instructions"));
}
