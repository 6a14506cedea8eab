// Mistakes that the C++ compiler finds. WrongTypes.py compiles each case alone:
// its first error is at the line marked `// error`, or in a header while it
// instantiates that line, and says what the case expects.
#include "tileir/authoring/Authoring.h"

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
#elif CASE == 14 // expect: no matching function for call to 'loop'
  auto t = loop(n, 0, [](Index, int t) { return t; }); // error
#elif CASE == 15 // expect: both bodies of when return values of the same types
  auto t = when(n > 3, [&] { return f; }, [&] { return h; }); // error
#elif CASE == 16 // expect: memory holds no Index
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
#endif
}
