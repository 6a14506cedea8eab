// Views, pointers, atomics, assumptions.
#include "WrongKernels.h"

using namespace tilewright::authoring;

namespace tilewright::test {

static WrongKernels wrongViews() {
  WrongKernels all;
  all.add("dimension of a view", [](View<F32, 2> x) {
    Index n = x.dim(2); // view_dim
  });
  all.add("negative dimension", [](View<F32, 1> x) {
    Index n = x.dim(-2); // view_dim
  });
  all.add("stride of a dimension", [](StridedView<F32, 2> x) {
    Index n = x.stride(3); // view_dim
  });
  all.add("padding beyond the type", [](View<I8, 1> x) {
    auto a = x.load(0, 64, 255); // literal_range
  });
  all.add("negative padding", [](View<U8, 1> x) {
    auto a = x.load(0, 64, -1); // literal_range
  });
  all.add("padding without infinity", [](View<F8E4M3FN, 1> x) {
    auto a = x.load(0, 64, -infinity); // literal_range
  });
  all.add("default padding of scales", [](View<F8E8M0FNU, 1> x) {
    auto a = x.load(0, 64); // literal_range
  });
  all.add("step 0", [](View<F32, 1> x) {
    auto a = x.loadAt(0, 64, 0, 0.0); // load_c4
  });
  all.add("inside with step 0", [](View<F32, 1> x) {
    auto m = x.insideAt(0, 64, 0); // inside_step
  });
  all.add("inside of nothing", [](View<F32, 2> x) {
    auto m = x.inside({0, 0}, {64, 0}); // tile_size
  });
  all.add("index beyond Index", [](View<F32, 2> x) {
    auto a = x.at(0, ~uint64_t(0)); // literal_range
  });
  all.add("padding of another mask", [](View<F32, 1> x) {
    auto a = where(x.inside(0, 64), x.load(0, 32), 1.0); // broadcast
  });
  all.add("store with a negative step", [](View<F32, 1> x) {
    x.storeAt(0, ones<F32>(64), -1); // store_c4
  });
  return all;
}

static WrongKernels wrongPointers() {
  WrongKernels all;
  all.add("mask of another shape", [](Pointer<F32> p) {
    auto q = p + iota<I32>(64);
    auto m = iota<I32>(32) > 3;
    auto a = load(q, m, 0.0); // access_shape
  });
  all.add("other of another shape", [](Pointer<F32> p) {
    auto q = p + iota<I32>(64);
    auto a = load(q, true, zeros<F32>(32)); // access_shape
  });
  all.add("value of another shape", [](Pointer<F32> p) {
    auto q = p + iota<I32>(64);
    store(q, zeros<F32>(32)); // access_shape
  });
  all.add("number beyond the type", [](Pointer<U8> p) {
    store(p, 256); // literal_range
  });
  all.add("offsets of another shape", [](Pointer<F32> p) {
    auto q = p + iota<I32>(64);
    auto r = q + iota<I32>(32); // offset_c1
  });
  all.add("load releases", [](Pointer<I32> p) {
    auto a = load(p, {Order::release}); // load_ptr_c3
  });
  all.add("store acquires", [](Pointer<I32> p) {
    store(p, 1, Ordering{Order::acquire}); // store_ptr_c3
  });
  return all;
}

static WrongKernels wrongAtomics() {
  WrongKernels all;
  all.add("atomic on bytes", [](Pointer<I8> p) {
    auto a = atomic(Atomic::add, p, 1); // atomic_rmw_c3
  });
  all.add("bits of a float", [](Pointer<F32> p) {
    auto a = atomic(Atomic::bitOr, p, 1.0); // atomic_rmw_c3
  });
  all.add("atomic without order", [](Pointer<I32> p) {
    Ordering weak = {Order::weak};
    auto a = atomic(Atomic::max, p, 1, weak); // atomic_rmw_c4
  });
  all.add("atomic of another shape", [](Pointer<I32> p) {
    auto q = p + iota<I32>(64);
    auto v = iota<I32>(32);
    auto a = atomic(Atomic::add, q, v); // access_shape
  });
  all.add("compareExchange on floats", [](Pointer<F32> p) {
    auto a = compareExchange(p, 0.0, 1.0); // atomic_cas_c3
  });
  all.add("compareExchange, order", [](Pointer<I32> p) {
    Ordering order = {Order::seqCst};
    auto a = compareExchange(p, 0, 1, order); // atomic_cas_c4
  });
  all.add("reduce on bytes", [](View<U8, 1> x) {
    x.reduce(Atomic::add, 0, ones<U8>(64)); // atomic_reduce_c5
  });
  all.add("reduce acquires", [](View<F32, 1> x) {
    Ordering order = {Order::acquire};
    auto a = ones<F32>(64);
    x.reduce(Atomic::add, 0, a, order); // atomic_reduce_c6
  });
  all.add("weak fence", [] {
    fence({Order::weak}); // fence_c1
  });
  all.add("relaxed fence", [] {
    fence({Order::relaxed}); // fence_c1
  });
  return all;
}

static WrongKernels wrongAssumptions() {
  WrongKernels all;
  all.add("alignment of no power of two", [](View<F32, 1> x) {
    x.assumeAligned(24); // assumption
  });
  all.add("alignment of 0", [](View<F32, 1> x) {
    x.assumeAligned(0); // assumption
  });
  all.add("divisible by 0", [](View<F32, 2> x) {
    x.assumeDivisible({16, 0}); // assumption
  });
  all.add("disjoint from itself", [](View<F32, 1> x) {
    x.assumeDisjoint(x); // assumption
  });
  all.add("workspace before others", [](Pointer<F32> p, Index n) {
    p.workspace(n); // kernel_c6
  });
  all.add("workspace of an unknown size", [](View<I32, 1> x, Pointer<F32> p) {
    p.workspace(cast<IndexElement>(x.at(0))); // grid_expression
  });
  all.add("workspace that is computed", [](Pointer<F32> p) {
    (p + 1).workspace(4); // assumption
  });
  all.add("about a view made here", [](Pointer<F32> p, Index n) {
    auto x = viewAt(p, {n});
    x.assumeAligned(16); // assumption
  });
  all.add("assumed divisor 0", [](Index n) {
    n = assumeDivisible(n, 0); // assume_c3
  });
  all.add("assumed range upside down", [](Index n) {
    n = assumeRange(n, 5, 4); // assume_c4
  });
  all.add("assumed range of floats", [] {
    auto a = assumeRange(zeros<F32>(4), 0, 4); // assume_c2
  });
  all.add("constraints of inline PTX", [] {
    auto a = zeros<F32>(4);
    a = inlinePtx<F32>("ex2 $0, $1;", "=f", a); // inline_ptx_c2
  });
  all.add("shapes of inline PTX", [] {
    auto a = zeros<F32>(4), b = zeros<F32>(8);
    const char *add = "add.f32 $0, $1, $2;";
    a = inlinePtx<F32>(add, "=f,f,f", a, b); // inline_ptx_c1
  });
  return all;
}

WrongKernels wrongMemory() {
  return joined(
      {wrongViews(), wrongPointers(), wrongAtomics(), wrongAssumptions()});
}

} // namespace tilewright::test
