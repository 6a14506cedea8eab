# Test programs are made of Catch2 cases and share one main function and one
# precompiled header (test/support).

# What is tested is in the libraries: the code of tests is made fast, not to be
# fast. (Sanitizers and debuggers choose for themselves.)
function(tilewright_test_options target)
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_compile_options(${target} PRIVATE -O0)
  endif()
  # A precompiled header is one for all only if none has an option of its own.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endfunction()

# A program of test cases, to which TARGET's sources belong. OPTIMIZED: with the
# flags of the libraries, for tests that compute much themselves. SINGLE: never
# in units of several sources, which have helpers of the same names.
function(tilewright_test_program target)
  if("SINGLE" IN_LIST ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  endif()
  tilewright_flags(${target})
  target_link_libraries(${target} PRIVATE tilewright-test-main)
  if(NOT "OPTIMIZED" IN_LIST ARGN)
    tilewright_test_options(${target})
    target_precompile_headers(${target} REUSE_FROM tilewright-test-pch)
  endif()
endfunction()

# As add_test, with the label of the folder's tests (test/CMakeLists.txt).
function(tilewright_test NAME name)
  add_test(NAME ${name} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "${TILEWRIGHT_TEST_LABEL}")
endfunction()

# Each case of a program is a test, NAME.CASE, with the label of the folder's
# tests and what properties follow. The program is asked for its cases when it
# is built.
function(tilewright_test_cases name target)
  catch_discover_tests(${target} TEST_PREFIX "${name}."
    PROPERTIES LABELS "${TILEWRIGHT_TEST_LABEL}" ${ARGN})
endfunction()
