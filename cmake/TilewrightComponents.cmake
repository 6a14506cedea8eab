# Each source folder is one component: an object library that ends up in one
# of four shared libraries: the runtime, the emulator, that of statically scheduled
# machines (none of which has LLVM), or the compiler.

# Errors with the compiler that the project is developed with; GCC 12 warns of
# string operations where nothing is wrong (its bug 105651).
set(TILEWRIGHT_WARNINGS -Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  list(APPEND TILEWRIGHT_WARNINGS -Werror)
endif()

function(tilewright_flags target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:${TILEWRIGHT_WARNINGS}>
    $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Werror>)
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}>
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>)
  foreach(sanitizer IN LISTS TILEWRIGHT_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${sanitizer}
      -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${sanitizer})
  endforeach()
  if(TILEWRIGHT_FUZZERS)
    # Counters of coverage; the first undefined behaviour ends the program.
    target_compile_options(${target} PUBLIC -fsanitize=fuzzer-no-link
      -fno-sanitize-recover=all)
  endif()
endfunction()

# The same precompiled header whenever and wherever it is made, so that a cache
# of compilations has use of it.
function(tilewright_cacheable_pch target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>)
  endif()
endfunction()

# The precompiled header HEADER, made by a target NAME of its own, which gets the
# options of those that reuse it.
function(tilewright_pch_library name header)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/cmake/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/cmake/${name}.cpp)
  tilewright_flags(${name})
  target_precompile_headers(${name} PRIVATE ${header})
  tilewright_cacheable_pch(${name})
endfunction()

# A component of LIBRARY (RUNTIME, EMULATOR or COMPILER) that sees neither LLVM
# nor MLIR. NO_PCH: with options that other components do not have.
function(tilewright_object_library library name)
  cmake_parse_arguments(ARG "NO_PCH" "" "" ${ARGN})
  add_library(tilewright_${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  tilewright_flags(tilewright_${name})
  if(NOT ARG_NO_PCH)
    if(NOT TARGET tilewright_plain_pch)
      find_package(nlohmann_json 3 REQUIRED)
      tilewright_pch_library(tilewright_plain_pch
        ${CMAKE_SOURCE_DIR}/cmake/PlainPch.h)
      target_link_libraries(tilewright_plain_pch PRIVATE
        nlohmann_json::nlohmann_json)
    endif()
    target_precompile_headers(tilewright_${name}
      REUSE_FROM tilewright_plain_pch)
  endif()
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_${library} tilewright_${name})
endfunction()

# A component of the runtime library.
function(tilewright_runtime_component name)
  tilewright_object_library(RUNTIME ${name} ${ARGN})
endfunction()

# A component of the emulator library, which the runtime loads when it is asked
# for the device.
function(tilewright_emulator_component name)
  tilewright_object_library(EMULATOR ${name} ${ARGN})
endfunction()

# A component of the library of statically scheduled machines.
function(tilewright_spatial_component name)
  tilewright_object_library(SPATIAL ${name} ${ARGN})
endfunction()

# One precompiled header serves all components that see MLIR.
function(tilewright_mlir_flags target)
  target_include_directories(${target} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>
    $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-unused-parameter>)
  if(NOT TARGET tilewright_pch)
    tilewright_pch_library(tilewright_pch ${CMAKE_SOURCE_DIR}/cmake/MlirPch.h)
    target_include_directories(tilewright_pch SYSTEM PUBLIC
      "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
    target_include_directories(tilewright_pch PUBLIC
      $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>
      $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
  endif()
  target_precompile_headers(${target} REUSE_FROM tilewright_pch)
endfunction()

# A component of the compiler library. DEPENDS names tablegen targets.
function(tilewright_component name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(tilewright_${name} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  tilewright_flags(tilewright_${name})
  tilewright_mlir_flags(tilewright_${name})
  if(ARG_DEPENDS)
    add_dependencies(tilewright_${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_COMPILER tilewright_${name})
endfunction()

# A component of the compiler library that sees neither LLVM nor MLIR.
function(tilewright_plain_component name)
  tilewright_object_library(COMPILER ${name} ${ARGN})
endfunction()

# Tablegen: tilewright_tablegen(Target FILE.td OUT.inc -gen-... [OUT -gen-..]*)
function(tilewright_tablegen target td)
  set(LLVM_TARGET_DEFINITIONS ${td})
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest out)
    set(flags)
    while(rest)
      list(GET rest 0 next)
      if(NOT next MATCHES "^-")
        break()
      endif()
      list(POP_FRONT rest)
      list(APPEND flags ${next})
    endwhile()
    mlir_tablegen(${out} ${flags} EXTRA_INCLUDES ${CMAKE_SOURCE_DIR}
      ${MLIR_INCLUDE_DIRS})
  endwhile()
  add_custom_target(${target} DEPENDS ${TABLEGEN_OUTPUT})
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_TABLEGEN ${target})
endfunction()

# A symbol that nobody defines fails the link, not the program that meets it.
# (Sanitizers leave their own symbols to the executable.)
function(tilewright_no_undefined target)
  if(NOT TILEWRIGHT_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
endfunction()

# The version of the shared libraries' binary interfaces.
set(TILEWRIGHT_SOVERSION 0)

# Internals for the tests and benchmarks, which call what the shared libraries
# hide: an archive NAME of object libraries. Devices register themselves when a
# program starts, so their components (DEVICES) are linked as objects, which a
# linker never leaves out.
function(tilewright_internals name)
  cmake_parse_arguments(ARG "" "" "DEVICES" ${ARGN})
  add_library(${name}_archive STATIC EXCLUDE_FROM_ALL)
  set_target_properties(${name}_archive PROPERTIES LINKER_LANGUAGE CXX)
  tilewright_flags(${name}_archive)
  foreach(part IN LISTS ARG_UNPARSED_ARGUMENTS)
    target_sources(${name}_archive PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
  add_library(${name} INTERFACE)
  target_link_libraries(${name} INTERFACE ${name}_archive)
  foreach(device IN LISTS ARG_DEVICES)
    target_sources(${name} INTERFACE $<TARGET_OBJECTS:${device}>)
  endforeach()
endfunction()

# The shared library Tilewright::NAME of object libraries.
function(tilewright_shared_library name)
  add_library(tilewright_${name} SHARED)
  add_library(Tilewright::${name} ALIAS tilewright_${name})
  tilewright_flags(tilewright_${name})
  tilewright_no_undefined(tilewright_${name})
  set(exports ${CMAKE_SOURCE_DIR}/cmake/exports.map)
  target_link_options(tilewright_${name} PRIVATE
    LINKER:--version-script=${exports})
  set_property(TARGET tilewright_${name} APPEND PROPERTY
    LINK_DEPENDS ${exports})
  foreach(part IN LISTS ARGN)
    target_sources(tilewright_${name} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
  set_target_properties(tilewright_${name} PROPERTIES EXPORT_NAME ${name}
    LINKER_LANGUAGE CXX VERSION ${PROJECT_VERSION}
    SOVERSION ${TILEWRIGHT_SOVERSION})
endfunction()

# The runtime, and beside it the emulator. With TILEWRIGHT_PORTABLE both become
# part of each program (as objects: a linker would leave devices out of an
# archive, which register themselves), and so does the C++ library: such a
# program runs on any Linux whose C library is not older.
function(tilewright_runtime_libraries)
  get_property(runtime GLOBAL PROPERTY TILEWRIGHT_RUNTIME)
  get_property(emulator GLOBAL PROPERTY TILEWRIGHT_EMULATOR)
  if(TILEWRIGHT_PORTABLE)
    find_package(Threads REQUIRED)
    add_library(tilewright_runtime INTERFACE)
    foreach(part IN LISTS runtime emulator)
      target_sources(tilewright_runtime INTERFACE $<TARGET_OBJECTS:${part}>)
    endforeach()
    target_link_libraries(tilewright_runtime INTERFACE
      Threads::Threads ${CMAKE_DL_LIBS})
    target_link_options(tilewright_runtime INTERFACE
      -static-libstdc++ -static-libgcc)
    add_library(Tilewright::runtime ALIAS tilewright_runtime)
    add_library(Tilewright::emulator ALIAS tilewright_runtime)
    add_library(tilewright_runtime_internals ALIAS tilewright_runtime)
    return()
  endif()
  tilewright_shared_library(runtime ${runtime})
  tilewright_shared_library(emulator ${emulator})
  target_link_libraries(tilewright_emulator PUBLIC tilewright_runtime)
  find_package(Threads REQUIRED)
  tilewright_internals(tilewright_runtime_internals ${runtime} ${emulator}
    DEVICES tilewright_cpu tilewright_cuda tilewright_null
      tilewright_emulator_device)
  target_link_libraries(tilewright_runtime_internals_archive PUBLIC
    Threads::Threads ${CMAKE_DL_LIBS})
endfunction()

# Machines, schedules, simulator and verifier: part of each program with
# TILEWRIGHT_PORTABLE, as the runtime is.
function(tilewright_spatial_library)
  get_property(spatial GLOBAL PROPERTY TILEWRIGHT_SPATIAL)
  if(TILEWRIGHT_PORTABLE)
    add_library(tilewright_spatial INTERFACE)
    foreach(part IN LISTS spatial)
      target_sources(tilewright_spatial INTERFACE $<TARGET_OBJECTS:${part}>)
    endforeach()
    target_link_libraries(tilewright_spatial INTERFACE tilewright_runtime)
    add_library(Tilewright::spatial ALIAS tilewright_spatial)
    add_library(tilewright_spatial_internals ALIAS tilewright_spatial)
    return()
  endif()
  tilewright_shared_library(spatial ${spatial})
  target_link_libraries(tilewright_spatial PUBLIC tilewright_runtime)
  tilewright_internals(tilewright_spatial_internals ${spatial})
  target_link_libraries(tilewright_spatial_internals_archive
    PUBLIC tilewright_runtime_internals)
endfunction()

function(tilewright_compiler_library)
  get_property(parts GLOBAL PROPERTY TILEWRIGHT_COMPILER)
  # Any component may include what any tablegen target makes.
  get_property(tablegen GLOBAL PROPERTY TILEWRIGHT_TABLEGEN)
  foreach(part IN LISTS parts ITEMS tilewright_pch)
    add_dependencies(${part} ${tablegen})
  endforeach()
  tilewright_shared_library(compiler ${parts})
  tilewright_internals(tilewright_compiler_internals ${parts}
    DEVICES tilewright_verify_device)
  target_link_libraries(tilewright_compiler_internals_archive
    PUBLIC tilewright_spatial_internals)
  foreach(library tilewright_compiler tilewright_compiler_internals_archive)
    target_include_directories(${library} SYSTEM PUBLIC
      "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
    target_include_directories(${library} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}>
      $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include>)
    target_link_libraries(${library}
      PUBLIC $<BUILD_INTERFACE:MLIR> $<BUILD_INTERFACE:LLVM>
      PRIVATE MLIR LLVM SQLite::SQLite3
      ${TILEWRIGHT_MINIZIP_LIBRARY} ZLIB::ZLIB
      ${TILEWRIGHT_MPFR} ${TILEWRIGHT_GMP})
  endforeach()
  target_link_libraries(tilewright_compiler
    PUBLIC tilewright_runtime tilewright_spatial)
  # In the build all may see MLIR; outside, those who ask for it.
  add_library(Tilewright::mlir ALIAS tilewright_compiler)
endfunction()
