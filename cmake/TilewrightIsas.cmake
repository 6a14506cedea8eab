# The instruction sets that hot code is compiled for (support/HostIsa.h), the
# best of which is picked when it runs. With the baseline alone it builds in a
# third of the time.
set(isas baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND isas avx2 avx512)
endif()
set(TILEWRIGHT_EMULATOR_ISAS ${isas} CACHE STRING
  "Instruction sets that hot code of the emulator and of the simulator of \
schedules is compiled for, always the baseline; \
native: the best that this machine has")
if("native" IN_LIST TILEWRIGHT_EMULATOR_ISAS)
  # The same test as in HostIsa.cpp.
  set(flags)
  if(EXISTS /proc/cpuinfo)
    file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
  endif()
  set(native)
  if(flags MATCHES " avx2 " AND flags MATCHES " fma " AND
     flags MATCHES " f16c " AND flags MATCHES " bmi2 ")
    set(native avx2)
    if(flags MATCHES " avx512vl " AND flags MATCHES " avx512bw " AND
       flags MATCHES " avx512dq ")
      set(native avx512)
    endif()
  endif()
  list(TRANSFORM TILEWRIGHT_EMULATOR_ISAS REPLACE "^native$" "${native}")
endif()
set(TILEWRIGHT_ISA_FLAGS_baseline)
set(TILEWRIGHT_ISA_FLAGS_avx2 -mavx2 -mfma -mf16c -mbmi2)
set(TILEWRIGHT_ISA_FLAGS_avx512 ${TILEWRIGHT_ISA_FLAGS_avx2}
  -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512)

# Adds sources to LIBRARY (EMULATOR or SPATIAL) that are compiled once for each
# instruction set.
function(tilewright_isa_sources library name)
  set(isas baseline ${TILEWRIGHT_EMULATOR_ISAS})
  list(REMOVE_DUPLICATES isas)
  list(REMOVE_ITEM isas "")
  foreach(isa IN LISTS isas)
    tilewright_object_library(${library} ${name}_${isa} NO_PCH ${ARGN})
    target_compile_definitions(tilewright_${name}_${isa}
      PRIVATE TILEWRIGHT_ISA=${isa})
    # -fno-strict-aliasing: a register is read with the type of the instruction
    # that reads it. -Wno-psabi: vectors are passed between functions of one file alone.
    # -Wno-pass-failed: not each operation on 32 lanes can become vectors.
    target_compile_options(tilewright_${name}_${isa} PRIVATE
      -fno-strict-aliasing
      -ffp-contract=off
      -fno-math-errno -fno-trapping-math -Wno-psabi -Wno-pass-failed
      ${TILEWRIGHT_ISA_FLAGS_${isa}})
  endforeach()
endfunction()

# Defines for a target which of them exist: TILEWRIGHT_HAS_avx2 and the like.
function(tilewright_isa_definitions target)
  foreach(isa IN LISTS TILEWRIGHT_EMULATOR_ISAS)
    target_compile_definitions(${target} PRIVATE TILEWRIGHT_HAS_${isa})
  endforeach()
endfunction()
