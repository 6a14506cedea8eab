# cmake --install: libraries, the public headers, the tools, the pages
# and tutorials, and a package file so that find_package(Tilewright) gives Tilewright::runtime,
# Tilewright::emulator and Tilewright::compiler, and with COMPONENTS mlir also Tilewright::mlir, for
# programs that include headers of MLIR. The target `installed` builds what is
# installed and no more.
include(CMakePackageConfigHelpers)

set(TILEWRIGHT_TARGETS tilewright_runtime tilewright_emulator
  tilewright_spatial)
if(TILEWRIGHT_COMPILER)
  list(APPEND TILEWRIGHT_TARGETS tilewright_compiler)
endif()
foreach(target IN LISTS TILEWRIGHT_TARGETS)
  target_include_directories(${target} PUBLIC
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN"
    INSTALL_RPATH_USE_LINK_PATH ON)
endforeach()
install(TARGETS ${TILEWRIGHT_TARGETS} EXPORT TilewrightTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
add_custom_target(installed DEPENDS ${TILEWRIGHT_TARGETS})
foreach(tool tilewright tilewright-opt tilewright-lsp-server)
  if(TARGET ${tool})
    add_dependencies(installed ${tool})
    set_target_properties(${tool} PROPERTIES
      INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}"
      INSTALL_RPATH_USE_LINK_PATH ON)
    install(TARGETS ${tool} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
set(header_roots ${CMAKE_SOURCE_DIR})
if(TILEWRIGHT_COMPILER)
  # Declarations that are generated from the dialect.
  list(APPEND header_roots ${CMAKE_BINARY_DIR})
endif()
foreach(root IN LISTS header_roots)
  install(DIRECTORY ${root}/include/tilewright
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
endforeach()
if(TILEWRIGHT_COMPILER)
  install(DIRECTORY docs examples
    DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewright
    PATTERN "__pycache__" EXCLUDE)
endif()
install(EXPORT TilewrightTargets NAMESPACE Tilewright::
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright)
configure_package_config_file(cmake/TilewrightConfig.cmake.in
  ${CMAKE_BINARY_DIR}/TilewrightConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright)
write_basic_package_version_file(
  ${CMAKE_BINARY_DIR}/TilewrightConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TilewrightConfig.cmake
  ${CMAKE_BINARY_DIR}/TilewrightConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright)
