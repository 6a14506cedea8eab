# cmake -P: builds examples/ against the installed tree and runs the tutorials.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${WORK} -G Ninja
  -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_C_COMPILER=${C} -DMLIR_DIR=${MLIR_DIR} -DLLVM_DIR=${LLVM_DIR}
  "-DCMAKE_CXX_FLAGS=${flags}")
# The page "coming from Triton" has those of kernels/ built.
set(tutorials read-text kernel-in-process run-from-c vector-add softmax gemm
  attention fused-op sort persistent compile-from-c generate-text)
run(${CMAKE_COMMAND} --build ${WORK} --target ${tutorials})
run(${PYTHON} ${SOURCE}/test/lint/tutorials.py ${SOURCE}/examples ${WORK})
