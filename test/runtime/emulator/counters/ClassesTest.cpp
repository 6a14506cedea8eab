// Which class an instruction belongs to.
#include "test/runtime/emulator/counters/Counted.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

TEST_CASE("counters: classes of instructions", "[emulator][counters]") {
  struct Case {
    std::string text;
    std::string_view name;
  };
  const std::vector<Case> cases = {
      {"add.u32 %r1, %r1, 1;", "integer"},
      {"mad.wide.u32 %rd1, %r1, 4, %rd1;", "integer"},
      {"add.cc.u32 %r1, %r1, 1;", "integer"},
      {"popc.b32 %r1, %r2;", "integer"},
      {"lop3.b32 %r1, %r2, %r3, %r4, 0xCA;", "integer"},
      {"prmt.b32 %r1, %r2, %r3, 0x3210;", "integer"},
      {"setp.lt.s32 %p1, %r1, %r2;", "integer"},
      {"selp.b32 %r1, %r2, %r3, %p1;", "integer"},
      {"and.pred %p1, %p2, %p3;", "integer"},
      {"fma.rn.f32 %f1, %f2, %f3, %f4;", "float32"},
      {"min.ftz.f32 %f1, %f2, %f3;", "float32"},
      {"setp.gt.f32 %p1, %f1, %f2;", "float32"},
      {"selp.f32 %f1, %f2, %f3, %p1;", "float32"},
      {"set.lt.u32.f32 %r1, %f1, %f2;", "float32"},
      {"fma.rn.f64 %d1, %d2, %d3, %d4;", "float64"},
      {"setp.gt.f64 %p1, %d1, %d2;", "float64"},
      {"add.f16 %h1, %h2, %h3;", "float16"},
      {"fma.rn.bf16x2 %r1, %r2, %r3, %r4;", "float16"},
      {"setp.lt.f16 %p1, %h1, %h2;", "float16"},
      {"ex2.approx.f32 %f1, %f2;", "transcendental"},
      {"ex2.approx.f16 %h1, %h2;", "transcendental"},
      {"rcp.rn.f32 %f1, %f2;", "transcendental"},
      {"div.full.f32 %f1, %f2, %f3;", "transcendental"},
      {"sqrt.rn.f64 %d1, %d2;", "transcendental"},
      {"div.u32 %r1, %r2, 3;", "integer"},
      {"cvt.rn.f16.f32 %h1, %f1;", "conversion"},
      {"cvt.u64.u32 %rd1, %r1;", "conversion"},
      {"mov.u32 %r1, %tid.x;", "move"},
      {"mov.b64 {%r1, %r2}, %rd1;", "move"},
      {"cvta.to.global.u64 %rd1, %data;", "move"},
      {"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", "warp"},
      {"vote.sync.ballot.b32 %r1, %p1, -1;", "warp"},
      {"redux.sync.add.u32 %r1, %r2, -1;", "warp"},
      {"activemask.b32 %r1;", "warp"},
      {"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "warp"},
      {"ld.global.nc.v2.f32 {%f1, %f2}, [%data];", "global"},
      {"st.global.b32 [%data], %r1;", "global"},
      {"ld.shared.b32 %r1, [%tile];", "shared"},
      {"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%tile];", "shared"},
      {"ld.param.u64 %rd1, [data];", "constant"},
      {"ld.b32 %r1, [%data];", "generic"},
      {"atom.global.add.u32 %r1, [%data], 1;", "atomic"},
      {"red.shared.add.u32 [%tile], 1;", "atomic"},
      {"bar.sync 0;", "barrier"},
      {"fence.acq_rel.gpu;", "barrier"},
      {"membar.gl;", "barrier"},
      {"bar.warp.sync -1;", "barrier"},
      {"prefetch.global.L2 [%data];", "other"},
      {"bra next; next:", "control"},
      {"nanosleep.u32 1;", "other"},
  };
  std::string body = "setp.eq.u32 %p1, %thread, %thread;\n"
                     "mov.pred %p2, %p1;\nmov.pred %p3, %p1;\n";
  for (size_t i = 0; i < cases.size(); ++i)
    body += cases[i].text + " // case " + std::to_string(i) + ".\n";
  KernelCounters kernel = count(body);
  for (size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i].text);
    CHECK(className(classAt(kernel, "// case " + std::to_string(i) + ".")) ==
          cases[i].name);
  }
}

TEST_CASE("counters: the classes' sums are all that was executed",
          "[emulator][counters]") {
  KernelCounters kernel =
      count("bar.sync 0; add.u32 %r1, %r1, 1;", {{2, 1, 1}, {64, 1, 1}, 1});
  Counters sum;
  for (const auto &[kind, counters] : kernel.byClass()) {
    CHECK(counters.warps > 0);
    sum += counters;
  }
  CHECK(sum == kernel.total());
  // Six instructions in each of four warps: three before the body, its two,
  // and ret.
  CHECK(sum.warps == 24);
}
