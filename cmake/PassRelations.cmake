# cmake -DTBLGEN=.. "-DFILES=A/Passes.td;B/Passes.td" "-DINCLUDES=DIR;DIR"
#   -DOUTPUT=FILE.inc -P PassRelations.cmake
# Writes PASS_RELATION(flag, relation, reason) for each pass that the files
# define (support/Relations.td).
set(lines "")
list(TRANSFORM INCLUDES PREPEND "-I")
foreach(file IN LISTS FILES)
  execute_process(COMMAND ${TBLGEN} -dump-json ${file} ${INCLUDES}
    OUTPUT_VARIABLE records COMMAND_ERROR_IS_FATAL ANY)
  string(JSON passes GET "${records}" "!instanceof" PassBase)
  string(JSON count LENGTH "${passes}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON name GET "${passes}" ${i})
    string(JSON flag GET "${records}" ${name} argument)
    string(JSON relation GET "${records}" ${name} relation)
    string(JSON reason GET "${records}" ${name} reason)
    string(APPEND lines
      "PASS_RELATION(\"${flag}\", \"${relation}\", \"${reason}\")\n")
  endforeach()
endforeach()
file(WRITE ${OUTPUT} "${lines}")
