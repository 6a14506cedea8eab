// Asynchronous copies: bytes, and sectors of global memory.
#include "test/runtime/emulator/counters/Counted.h"
#include <catch2/catch.hpp>

using namespace tilewright::emulator;

TEST_CASE("counters: cp.async", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
mad.lo.u32 %r1, %thread, 16, %tile;
mul.wide.u32 %rd1, %thread, 16;
add.u64 %rd1, %rd1, %data;
setp.lt.u32 %p1, %thread, 16;
selp.b32 %r2, 8, 0, %p1;
cp.async.cg.shared.global [%r1], [%rd1], 16;            // whole
cp.async.wait_all;
cp.async.ca.shared.global [%r1], [%rd1], 16, %r2;       // part
cp.async.wait_all;
cp.async.ca.shared.global [%r1], [%rd1], 16, %p1;       // ignored
cp.async.wait_all;
@%p1 cp.async.ca.shared.global [%r1], [%rd1], 4;        // guarded
cp.async.wait_all;
)");
  Counters whole = at(kernel, "// whole");
  CHECK(whole.on(DataPath::copiedToShared) == 512);
  CHECK(whole.globalRequests == 1);
  CHECK(whole.sectors == 16);
  CHECK(whole.sharedRequests == 1);
  CHECK(whole.wavefronts == 4);
  CHECK(whole.on(DataPath::globalRead) == 0);
  // 16 lanes read 8 of their 16 bytes; zeros are written too.
  Counters part = at(kernel, "// part");
  CHECK(part.on(DataPath::copiedToShared) == 128);
  CHECK(part.sectors == 8);
  CHECK(part.idealSectors == 4);
  CHECK(part.wavefronts == 4);
  // The other 16 lanes read.
  Counters ignored = at(kernel, "// ignored");
  CHECK(ignored.on(DataPath::copiedToShared) == 256);
  CHECK(ignored.sectors == 8);
  // 16 words, each 16 bytes behind the one before: of two in each bank.
  Counters guarded = at(kernel, "// guarded");
  CHECK(guarded.on(DataPath::copiedToShared) == 64);
  CHECK(guarded.sectors == 8);
  CHECK(guarded.idealSectors == 2);
  CHECK(guarded.wavefronts == 2);
  CHECK(classAt(kernel, "// whole") == InstructionClass::copy);
}

TEST_CASE("counters: bulk copies", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
.shared .align 8 .b64 bar;
setp.ne.u32 %p1, %thread, 0;
@%p1 bra done;
mbarrier.init.shared.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 96;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%data+16], 64, [bar];        // load
cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [tile+512], [tile], 32, [bar];   // across
cp.async.bulk.global.shared::cta.bulk_group [%data+64], [tile], 128;                                    // store
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
done:
)");
  // Bytes 16 to 79: three sectors, which 64 bytes would fill two of.
  Counters load = at(kernel, "// load");
  CHECK(load.warps == 1);
  CHECK(load.threads == 1);
  CHECK(load.on(DataPath::copiedToShared) == 64);
  CHECK(load.globalRequests == 1);
  CHECK(load.sectors == 3);
  CHECK(load.idealSectors == 2);
  Counters across = at(kernel, "// across");
  CHECK(across.on(DataPath::copiedInCluster) == 32);
  CHECK(across.globalRequests == 0);
  Counters store = at(kernel, "// store");
  CHECK(store.on(DataPath::copiedToGlobal) == 128);
  CHECK(store.sectors == 4);
}

TEST_CASE("counters: a copy to many blocks reads once",
          "[emulator][counters]") {
  KernelCounters kernel = count(R"(
.shared .align 8 .b64 bar;
setp.eq.u32 %p1, %thread, 0;
@%p1 mbarrier.init.shared.b64 [bar], 1;
@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
barrier.cluster.arrive;
barrier.cluster.wait;
mov.u32 %r1, %cluster_ctarank;
setp.eq.and.u32 %p2, %r1, 0, %p1;
mov.b16 %h1, 3;
@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%data], 64, [bar], %h1; // here
barrier.cluster.arrive;
barrier.cluster.wait;
)",
                                {{2, 1, 1}, {32, 1, 1}, 1, {2, 1, 1}});
  CHECK(at(kernel, "// here").warps == 2);
  CHECK(at(kernel, "// here").threads == 1);
  CHECK(at(kernel, "// here").on(DataPath::copiedToShared) == 64);
  CHECK(at(kernel, "// here").sectors == 2);
}

TEST_CASE("counters: copies of boxes count their rows in the tensor",
          "[emulator][counters]") {
  // 16 rows of 64 words; a box is 4 rows of 8.
  TensorMap map;
  map.element = TensorElement::u32;
  map.rank = 2;
  map.size = {64, 16, 1, 1, 1};
  map.stride = {4, 256, 0, 0, 0};
  map.box = {8, 4, 1, 1, 1};
  KernelCounters kernel = count(
      R"(
.shared .align 8 .b64 bar;
setp.ne.u32 %p1, %thread, 0;
@%p1 bra done;
mbarrier.init.shared.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 256;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%data, {4, 1}], [bar];     // inside
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%data, {-4, 14}], [bar];   // edge
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%data, {8, 0}], [tile];                                  // store
cp.async.bulk.commit_group;
cp.async.bulk.wait_group 0;
done:
)",
      {{1, 1, 1}, {32, 1, 1}, 1, {1, 1, 1}, map});
  // Four rows of 32 bytes, each across two sectors.
  Counters inside = at(kernel, "// inside");
  CHECK(inside.on(DataPath::copiedToShared) == 128);
  CHECK(inside.globalRequests == 4);
  CHECK(inside.sectors == 8);
  CHECK(inside.idealSectors == 4);
  // Two rows of four words.
  Counters edge = at(kernel, "// edge");
  CHECK(edge.on(DataPath::copiedToShared) == 32);
  CHECK(edge.globalRequests == 2);
  CHECK(edge.sectors == 2);
  Counters store = at(kernel, "// store");
  CHECK(store.on(DataPath::copiedToGlobal) == 128);
  CHECK(store.sectors == 4);
}

TEST_CASE("counters: asynchronous stores", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
.shared .align 8 .b64 bar;
setp.ne.u32 %p1, %thread, 0;
@%p1 bra done;
mbarrier.init.shared.b64 [bar], 1;
mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8;
mov.u32 %r1, bar;
st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%tile], {%thread, %thread}, [%r1];  // here
done:
)");
  Counters counters = at(kernel, "// here");
  CHECK(counters.on(DataPath::clusterShared) == 8);
  CHECK(counters.on(DataPath::sharedWritten) == 0);
  CHECK(counters.sharedRequests == 0);
}

TEST_CASE("counters: shared memory of another block", "[emulator][counters]") {
  KernelCounters kernel = count(R"(
mov.u32 %r1, %cluster_ctarank;
xor.b32 %r1, %r1, 1;
mapa.shared::cluster.u32 %r2, %tile, %r1;
st.shared::cluster.b32 [%r2], %thread;  // other
xor.b32 %r1, %r1, 1;
mapa.shared::cluster.u32 %r3, %tile, %r1;
st.shared::cluster.b32 [%r3], %thread;  // own
barrier.cluster.arrive;
barrier.cluster.wait;
)",
                                {{2, 1, 1}, {32, 1, 1}, 1, {2, 1, 1}});
  Counters other = at(kernel, "// other");
  CHECK(other.on(DataPath::clusterShared) == 256);
  CHECK(other.on(DataPath::sharedWritten) == 0);
  CHECK(other.sharedRequests == 0);
  Counters own = at(kernel, "// own");
  CHECK(own.on(DataPath::sharedWritten) == 256);
  CHECK(own.wavefronts == 2);
}
