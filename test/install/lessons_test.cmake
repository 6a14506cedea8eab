# cmake -P: builds examples/ against the installed tree and runs the lessons.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${WORK} -G Ninja
  -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_C_COMPILER=${C} -DMLIR_DIR=${MLIR_DIR} -DLLVM_DIR=${LLVM_DIR}
  "-DCMAKE_CXX_FLAGS=${flags}")
run(${CMAKE_COMMAND} --build ${WORK})
run(${PYTHON} ${SOURCE}/test/lint/lessons.py ${SOURCE}/examples ${WORK})
