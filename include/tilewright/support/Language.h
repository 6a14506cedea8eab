// What the headers need of a compiler. Each header that others rest on includes
// this first: a compiler that is set up wrongly says so before anything else.
#ifndef TILEWRIGHT_SUPPORT_LANGUAGE_H
#define TILEWRIGHT_SUPPORT_LANGUAGE_H

// clang-format off
#if defined(__clang__) && __clang_major__ < 15
#error "Tilewright needs Clang 15 or later: set CXX, or CMAKE_CXX_COMPILER, to a newer one"
#elif defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12
#error "Tilewright needs GCC 12 or later: set CXX, or CMAKE_CXX_COMPILER, to a newer one"
#elif __cplusplus < 202002L
#error "Tilewright needs C++20: compile with -std=c++20; in CMake: set(CMAKE_CXX_STANDARD 20)"
#endif
// clang-format on

#endif // TILEWRIGHT_SUPPORT_LANGUAGE_H
