// Loops, conditions, and values used outside their scope.
#include "WrongKernels.h"

using namespace tilewright::authoring;

namespace tilewright::test {

static WrongKernels wrongBodies() {
  WrongKernels all;
  all.add("loop changes a shape", [](Index n) {
    auto grow = [](Index, Tile<F32, 1> t) { return concat(t, t, 0); };
    auto a = loop(n, zeros<F32>(4), grow); // carried_type
  });
  all.add("loop changes the second", [](Index n) {
    auto a = std::tuple(n, ones<F32>(4, 1));
    auto body = [](Index, Index m, Tile<F32, 2> t) {
      return std::tuple(m + 1, transpose(t));
    };
    auto [m, t] = loop(n, a, body); // carried_type
  });
  all.add("while changes a shape", [](Index n) {
    auto go = [](Tile<F32, 1> t) { return sum(t) < 9.0; };
    auto grow = [](Tile<F32, 1> t) { return concat(t, t, 0); };
    auto a = loopWhile(ones<F32>(4), go, grow); // carried_type
  });
  all.add("bodies of two shapes", [](Index n) {
    auto one = [] { return zeros<F32>(4); };
    auto two = [] { return zeros<F32>(5); };
    auto a = when(n > 3, one, two); // carried_type
  });
  all.add("step 0", [](Index n) {
    Range range(0, n, 0); // loop_step
    loop(range, [](Index) {});
  });
  all.add("negative step", [](Index n) {
    Index step = -2;
    loop(Range(n, 0, step), [](Index) {}); // loop_step
  });
  all.add("body that is itself wrong", [](Index n) {
    loop(n, [](Index) {
      when(true, [] {
        auto a = zeros<F32>(4) + zeros<F32>(3); // broadcast
      });
    });
  });
  all.add("wrong in a reduction", [] {
    auto a = zeros<I8>(4);
    auto f = [](Scalar<I8> l, Scalar<I8> r) {
      return l + r + 128; // literal_range
    };
    a = reduce(a, axis(0), f);
  });
  all.add("wrong in a condition", [] {
    auto go = [](Scalar<U8> u) {
      return u < 256; // literal_range
    };
    auto step = [](Scalar<U8> u) { return u + 1; };
    auto a = loopWhile(Scalar<U8>(0), go, step);
  });
  return all;
}

static WrongKernels wrongEscapes() {
  WrongKernels all;
  all.add("value of a loop's body", [](View<F32, 1> x, Index n) {
    Tile<F32, 1> last;
    loop(n, [&](Index i) { last = x.load(i, 4); });
    x.store(0, last); // escaped_value
  });
  all.add("value of a condition's body", [](View<F32, 1> x, Index n) {
    Tile<F32, 1> some;
    when(n > 3, [&] { some = x.load(n, 4); });
    some += 1.0; // escaped_value
  });
  all.add("value of the other body", [](View<F32, 1> x, Index n) {
    Tile<F32, 1> some;
    auto then = [&] { some = x.load(n, 4); };
    auto otherwise = [&] {
      x.store(n, some); // escaped_value
    };
    when(n > 3, then, otherwise);
  });
  all.add("value of a reduction's body", [] {
    Scalar<F32> kept;
    auto f = [&](Scalar<F32> l, Scalar<F32> r) {
      kept = l * r;
      return l + r;
    };
    auto a = reduce(ones<F32>(4), axis(0), f);
    a = a * kept; // escaped_value
  });
  all.add("value of a while's condition", [](View<I32, 1> x) {
    Scalar<I32> kept;
    auto go = [&](Scalar<I32> i) { return (kept = i + 1) < 9; };
    auto step = [&](Scalar<I32> i) {
      return kept + i; // escaped_value
    };
    auto a = loopWhile(Scalar<I32>(0), go, step);
  });
  all.add("index of a loop", [](View<F32, 1> x, Index n) {
    Index last;
    loop(n, [&](Index i) { last = i; });
    x.store(last, ones<F32>(4)); // escaped_value
  });
  all.add("shape of what is gone", [](View<F32, 1> x, Index n) {
    Tile<F32, 1> last;
    loop(n, [&](Index i) { last = x.load(i, 4); });
    auto shape = last.shape(); // escaped_value
  });
  all.add("reduction returns what is gone", [] {
    Scalar<F32> kept;
    auto keep = [&](auto l, auto r) { return kept = l; };
    auto a = reduce(ones<F32>(4), axis(0), keep);
    auto give = [&](auto l, auto r) { return kept; };
    auto b = reduce(a, axis(0), give); // escaped_value
  });
  return all;
}

/// A variable passed from one iteration to the next: C++ reads the value from
/// before the loop there, in all iterations.
static WrongKernels wrongVariables() {
  WrongKernels all;
  all.add("sum in a variable", [](View<F32, 1> x, Index n) {
    auto total = zeros<F32>(4);
    loop(n, [&](Index i) {
      total = total + x.load(i, 4); // loop_variable
    });
  });
  all.add("sum by +=", [](View<F32, 1> x, Index n) {
    auto total = zeros<F32>(4);
    loop(n, [&](Index i) {
      total += x.load(i, 4); // loop_variable
    });
  });
  all.add("index that goes up", [](View<F32, 1> x, View<F32, 1> y, Index n) {
    Index to = 0;
    loop(n, [&](Index i) {
      y.storeAt(to, x.load(i, 4)); // loop_variable
      to = to + 4;
    });
  });
  all.add("in the inner of two loops", [](View<F32, 1> y, Index n) {
    Index count = 0;
    loop(n, [&](Index) {
      loop(n, [&](Index) {
        y.storeAt(count, ones<F32>(1)); // loop_variable
        count += 1;
      });
    });
  });
  all.add("from the inner to the outer loop", [](View<F32, 1> y, Index n) {
    Index count = 0;
    loop(n, [&](Index) {
      y.storeAt(count, ones<F32>(1)); // escaped_value
      loop(n, [&](Index j) { count = j; });
    });
  });
  all.add("beside what is carried", [](View<F32, 1> x, Index n) {
    Scalar<F32> most = 0;
    auto body = [&](Index i, Tile<F32, 1> acc) {
      most = max(most, max(x.load(i, 4))); // loop_variable
      return acc * most;
    };
    auto a = loop(n, ones<F32>(4), body);
  });
  all.add("where a condition holds", [](View<F32, 1> x, Index n) {
    Index last = 0;
    loop(n, [&](Index i) {
      when(i > 3, [&] {
        x.storeAt(last, ones<F32>(4)); // loop_variable
        last = i;
      });
    });
  });
  all.add("in a while loop", [](View<I32, 1> x) {
    Index at = 0;
    auto go = [](Scalar<I32> v) { return v < 9; };
    auto step = [&](Scalar<I32> v) {
      auto next = x.at(at); // loop_variable
      at = at + 1;
      return v + next;
    };
    auto a = loopWhile(Scalar<I32>(0), go, step);
  });
  all.add("from a while's body to its condition", [] {
    Scalar<I32> left = 9;
    auto go = [&](Index) {
      return left > 0; // loop_variable
    };
    auto step = [&](Index i) {
      left = cast<I32>(i);
      return i + 1;
    };
    auto a = loopWhile(Index(0), go, step);
  });
  all.add("in a reduction", [] {
    Scalar<F32> seen = 0;
    auto f = [&](Scalar<F32> l, Scalar<F32> r) {
      auto both = l + r + seen; // loop_variable
      seen = l;
      return both;
    };
    auto a = reduce(ones<F32>(4), axis(0), f);
  });
  all.add("in a scan", [] {
    Scalar<F32> seen = 0;
    auto f = [&](Scalar<F32> l, Scalar<F32> r) {
      return seen = seen + l * r; // loop_variable
    };
    auto a = scan(ones<F32>(4), axis(0), f);
  });
  all.add("in a lambda's own copy", [](View<F32, 1> y, Index n) {
    loop(n, [y, at = Index(0)](Index) mutable {
      y.storeAt(at, ones<F32>(4)); // loop_variable
      at = at + 4;
    });
  });
  return all;
}

static Tile<F32, 1> kept;

/// A kernel that keeps a value of its first build.
static Kernel builtOnce() {
  Kernel k = kernel("k", [](View<F32, 1> x) {
    static Index size = x.dim(0);
    loop(size, [](Index) {}); // foreign_handle
  });
  (void)k.build();
  return k;
}

static WrongKernels wrongOwners() {
  WrongKernels all;
  all.add("value of another kernel", [](View<F32, 1> x) {
    auto other = kernel("other", [] { kept = ones<F32>(4); });
    (void)other.build();
    x.store(0, kept); // foreign_handle
  });
  all.add("value of an earlier build", builtOnce());
  all.add("shape of another kernel's", [] {
    auto a = zeros<F32>(kept.shape()); // foreign_handle
  });
  all.add("never made", [](View<F32, 1> x) {
    Tile<F32, 1> t;
    x.store(0, t); // empty_value
  });
  all.add("never made, in an operator", [](Index n) {
    Index m;
    n += m; // empty_value
  });
  all.add("body returns nothing made", [](Index n) {
    auto none = [](Index, Index) { return Index(); };
    auto a = loop(n, n, none); // empty_value
  });
  all.add("made outside of kernels", [](View<F32, 1> x) {
    static Tile<F32, 1> t;
    x.store(0, exp(t)); // empty_value
  });
  return all;
}

WrongKernels wrongControl() {
  return joined(
      {wrongBodies(), wrongEscapes(), wrongVariables(), wrongOwners()});
}

} // namespace tilewright::test
