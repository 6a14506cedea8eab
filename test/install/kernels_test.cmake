# cmake -P: builds the known kernels as a project of their own against the
# installed tree and compares them with the host on each device.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} -S ${SOURCE}/examples/kernels -B ${WORK} -G Ninja
  -DCMAKE_PREFIX_PATH=${PREFIX} -DCMAKE_CXX_COMPILER=${CXX}
  -DMLIR_DIR=${MLIR_DIR} -DLLVM_DIR=${LLVM_DIR}
  "-DCMAKE_CXX_FLAGS=${flags}")
run(${CMAKE_COMMAND} --build ${WORK})
run(${WORK}/known-kernels interpreter cpu sm_80 sm_90a)
