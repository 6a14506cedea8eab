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

# A program of test cases, to which TARGET's sources belong.
function(tilewright_test_program target)
  tilewright_flags(${target})
  tilewright_test_options(${target})
  target_link_libraries(${target} PRIVATE tilewright-test-main)
  target_precompile_headers(${target} REUSE_FROM tilewright-test-pch)
endfunction()
