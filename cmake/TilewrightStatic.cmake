# tilewright_static: the runtime, the emulator and the compiler in one archive, of
# the same objects as the shared libraries. Who links it gets LLVM, MLIR and all
# else from archives, too, and a C++ library of its own: the result needs nothing
# but the C library. Only the Python module (python/) does that, as a project of
# its own, which includes TilewrightStatic.cmake of the build folder.
#
# Not made where an archive is missing; TILEWRIGHT_STATIC_MISSING names those.

# Appends the archives that TARGETS of LLVM or MLIR stand for to VARIABLE.
function(tilewright_archives_of variable)
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      get_target_property(archive ${target} LOCATION)
      # Polly's are in a package of their own.
      if(EXISTS ${archive})
        list(APPEND ${variable} ${archive})
      endif()
    endif()
  endforeach()
  set(${variable} ${${variable}} PARENT_SCOPE)
endfunction()

function(tilewright_static_library)
  get_property(runtime GLOBAL PROPERTY TILEWRIGHT_RUNTIME)
  get_property(emulator GLOBAL PROPERTY TILEWRIGHT_EMULATOR)
  get_property(spatial GLOBAL PROPERTY TILEWRIGHT_SPATIAL)
  get_property(compiler GLOBAL PROPERTY TILEWRIGHT_COMPILER)
  get_property(mlir GLOBAL PROPERTY MLIR_ALL_LIBS)
  # All of them: the linker takes what is used.
  set(archives)
  tilewright_archives_of(archives ${mlir} ${LLVM_AVAILABLE_LIBS})
  set(missing)
  foreach(name sqlite3 minizip z zstd)
    find_library(TILEWRIGHT_STATIC_${name} lib${name}.a
      DOC "Archive that the Python wheel contains")
    mark_as_advanced(TILEWRIGHT_STATIC_${name})
    if(TILEWRIGHT_STATIC_${name})
      list(APPEND archives ${TILEWRIGHT_STATIC_${name}})
    else()
      list(APPEND missing lib${name}.a)
    endif()
  endforeach()
  foreach(name libMLIRIR.a libLLVMSupport.a)
    if(NOT archives MATCHES "/${name}")
      list(APPEND missing ${name})
    endif()
  endforeach()
  set(TILEWRIGHT_STATIC_MISSING ${missing} PARENT_SCOPE)
  if(missing)
    return()
  endif()

  add_library(tilewright_static STATIC EXCLUDE_FROM_ALL)
  set_target_properties(tilewright_static PROPERTIES LINKER_LANGUAGE CXX
    EXPORT_NAME static)
  foreach(part IN LISTS runtime emulator spatial compiler)
    target_sources(tilewright_static PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
  target_include_directories(tilewright_static INTERFACE
    ${CMAKE_SOURCE_DIR}/include ${CMAKE_BINARY_DIR}/include)
  # lld finds what an archive needs in those before it, too.
  target_link_options(tilewright_static INTERFACE -fuse-ld=lld
    LINKER:--gc-sections LINKER:--exclude-libs,ALL
    -static-libstdc++ -static-libgcc)
  target_link_libraries(tilewright_static INTERFACE ${archives}
    ${CMAKE_DL_LIBS} m)
  export(TARGETS tilewright_static NAMESPACE Tilewright::
    FILE ${CMAKE_BINARY_DIR}/TilewrightStatic.cmake)
endfunction()
