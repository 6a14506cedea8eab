// Mistakes that the C++ compiler finds. WrongTypes.py compiles each case alone:
// its first error is at the line marked `// error`, or in a header while it
// instantiates that line, and says what the case expects.
#include "tilewright/authoring.h"

using namespace tilewright::authoring;

[[maybe_unused]] static void cases(View<F32, 2> x, Index n) {
  [[maybe_unused]] Tile<F32, 2> f = x.load({0, 0}, {8, 8});
  [[maybe_unused]] Tile<F16, 2> h = cast<F16>(f);
  [[maybe_unused]] Tile<I32, 2> i = cast<I32>(f);
  [[maybe_unused]] Tile<Bool, 2> b = f > 0.0;

#if CASE == 1       // expect: invalid operands to binary expression
  auto sum = f + h; // error
#elif CASE == 2     // expect: invalid operands to binary expression
  auto sum = f + reshape<1>(f, 64); // error
#elif CASE == 3     // expect: no matching constructor for initialization
  auto t = x.load({n, n, n}, {8, 8}); // error
#elif CASE == 4     // expect: no matching constructor for initialization
  auto t = x.load({n, n}, {8, 8, 8}); // error
#elif CASE == 5     // expect: no matching function for call to 'exp'
  auto e = exp(i); // error
#elif CASE == 6     // expect: invalid operands to binary expression
  auto t = i * 0.5; // error
#elif CASE == 7     // expect: invalid operands to binary expression
  auto t = b + b; // error
#elif CASE == 8     // expect: invalid operands to binary expression
  auto t = f * n; // error
#elif CASE == 9 // expect: no viable conversion from 'Tile<F16, [...]>' to 'Tile
  x.store({0, 0}, h); // error
#elif CASE == 10 // expect: the body of a loop returns the next carried values
  auto t = loop(n, f, [&](Index, Tile<F32, 2> t) { return h; }); // error
#elif CASE == 11 // expect: the body of a loop takes the loop's index
  auto t = loop(n, f, [](Tile<F32, 2> t) { return t; }); // error
#elif CASE == 12 // expect: the parameters of a kernel are views, pointers
  auto k = kernel("k", [](View<F32, 2> x, float scale) {}); // error
#elif CASE == 13 // expect: a kernel returns nothing
  auto k = kernel("k", [](Index n) { return n; }); // error
#elif CASE == 14 // expect: write Scalar<F32>(0.0), Index(0)
  auto t = loop(n, 0, [](Index, int t) { return t; }); // error
#elif CASE == 15 // expect: both bodies of when return values of the same types
  auto t = when(n > 3, [&] { return f; }, [&] { return h; }); // error
#elif CASE == 16 // expect: views and pointers are of elements in memory
  Pointer<IndexElement> p; // error
#elif CASE == 17 // expect: no matching function for call to 'dot'
  auto p = dot(f, reshape<3>(f, {1, 8, 8}), f); // error
#elif CASE == 18 // expect: contextually convertible to 'bool'
  if (n > 3) // error
    x.store({0, 0}, f);
#elif CASE == 19 // expect: no matching function for call to 'kernel'
  auto k = kernel("k", [](auto x) {}); // error
#elif CASE == 20 // expect: no matching function for call to 'where'
  auto t = where(i, f, f); // error
#elif CASE == 21 // expect: invalid operands to binary expression
  auto t = loop(n, f, [&](Index, Tile<F32, 2> t) {
    return t + h; // error
  });
#elif CASE == 22 // expect: invalid operands to binary expression
  auto t = loop(n, f, [&](Index, Tile<F32, 2> t) {
    Tile<F16, 2> u = h * t; // error
    return t;
  });
#elif CASE == 23 // expect: invalid operands to binary expression
  auto go = [&](Tile<F32, 2> t) { return any(t > 0.0); };
  auto t = loopWhile(f, go, [&](Tile<F32, 2> t) {
    return t + h; // error
  });
#elif CASE == 24 // expect: invalid operands to binary expression
  auto t = when(
      n > 3, [&] { return f; },
      [&] {
        return f + h; // error
      });
#elif CASE == 25 // expect: invalid operands to binary expression
  auto k = kernel("k", [](View<F32, 2> x, View<F16, 2> y) {
    x.store({0, 0}, x.load({0, 0}, {8, 8}) + y.load({0, 0}, {8, 8})); // error
  });
#elif CASE == 26 // expect: invalid operands to binary expression
  auto t = reduce(f, axis(1), [&](Scalar<F32> a, Scalar<F32> b) {
    return a + b + n; // error
  });
#elif CASE == 27 // expect: pointerAt<F16>(address)
  Pointer<Pointer<F16>> p = {}; // error
#elif CASE == 28 // expect: pointerAt<F16>(address)
  View<Pointer<F16>, 1> v = {}; // error
#elif CASE == 29 // expect: not a type of C++
  Tile<float, 2> t; // error
#elif CASE == 30 // expect: views and pointers are of elements in memory
  View<float, 2> v = {}; // error
#elif CASE == 31 // expect: where<F32>(condition, 1.0, 0.0)
  auto t = where(b, 1.0, 0.0); // error
#elif CASE == 32 // expect: max(x, axis(1))
  auto t = max(f, 1); // error
#elif CASE == 33 // expect: max(x, axis(1))
  auto t = min(i, 0); // error
#elif CASE == 34 // expect: max(x, axis(1))
  auto t = sum(f, 1); // error
#elif CASE == 35 // expect: write Scalar<F32>(0.0), Index(0)
  auto t = loopWhile( // error
      0, [](int t) { return t < 3; }, [](int t) { return t; });
#elif CASE == 36 // expect: write Scalar<F32>(0.0), Index(0)
  auto t = when( // error
      n > 3, [] { return 1.0; }, [] { return 2.0; });
#elif CASE == 37 // expect: returns a Scalar<Bool>; of a mask
  auto t = loopWhile( // error
      f, [](Tile<F32, 2> t) { return t > 0.0; },
      [](Tile<F32, 2> t) { return t; });
#elif CASE == 38 // expect: combines two scalars of the tile's
  auto t = reduce(f, axis(1), [](auto a, auto) { return a > 0.0; }); // error
#elif CASE == 39 // expect: combines two scalars of the tile's
  auto t = scan(i, axis(0), [](Scalar<I32> a) { return a; }); // error
#elif CASE == 40 // expect: [](auto a, auto b) { return a + b; }
  auto t = scanFrom( // error
      f, f, axis(1), [](Scalar<F32> a, Scalar<F32> b) { return a + b; });
#elif CASE == 41 // expect: no matching function for call to 'isnan'
  auto t = isnan(i); // error
#elif CASE == 42 // expect: no matching function for call to 'pointerAt'
  auto p = pointerAt<F32>(i); // error
#elif CASE == 43 // expect: no matching member function for call to 'at'
  auto e = x.at(n, n, n); // error
#elif CASE == 44 // expect: when returns a value only with both bodies
  when(n > 3, [&] { return f; }); // error
#elif CASE == 45 // expect: the body of a loop that carries nothing takes
  loop(n, [] {}); // error
#elif CASE == 46 // expect: invalid operands to binary expression
  loop(n, [&](Index i) {
    x.store({i, 0}, f + h); // error
  });
#elif CASE == 47 // expect: invalid operands to binary expression
  auto t = loop(n, f, [&](auto, auto t) {
    return t + h; // error
  });
#elif CASE == 48 // expect: invalid operands to binary expression
  auto go = [&](Tile<F32, 2> t) {
    return any(t > h); // error
  };
  auto t = loopWhile(f, go, [](Tile<F32, 2> t) { return t; });
#elif CASE == 49 // expect: invalid operands to binary expression
  when(n > 3, [&] {
    return f + h; // error
  });
#elif CASE == 50 // expect: invalid operands to binary expression
  auto then = [&] {
    return f + h; // error
  };
  auto t = when(n > 3, then, [&] { return f; });
#elif CASE == 51 // expect: both bodies of when return values of the same types
  auto t = when(n > 3, [&] { return f; }, [&] {}); // error
#elif CASE == 52 // expect: print writes values of the kernel
  print("three", 3); // error
#elif CASE == 53 // expect: expected an element type of Tilewright
  auto t = cast<float>(f); // error
#elif CASE == 54 // expect: expected an element type of Tilewright
  auto t = zeros<float>(4); // error
#elif CASE == 55 // expect: expected an element type of Tilewright
  auto t = dot<float>(f, f); // error
#elif CASE == 56 // expect: views and pointers are of elements in memory
  auto p = pointerAt<float>(Scalar<I64>(64)); // error
#elif CASE == 57 // expect: the lambda of a kernel is not mutable
  auto k = kernel("k", [n](View<F32, 1>) mutable { n = n + 1; }); // error
#elif CASE == 58 // expect: no matching function for call to 'assumeRange'
  auto m = assumeRange(3, 1, 4); // error
#endif
}
