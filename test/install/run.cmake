# What the scripts of this folder share.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result
    OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    message(FATAL_ERROR "${ARGN}\n${output}")
  endif()
  message("${output}")
endfunction()

set(flags)
foreach(sanitizer IN LISTS SANITIZE)
  string(APPEND flags " -fsanitize=${sanitizer}")
endforeach()
