# cmake -P: installs, configures, builds and runs the outside project.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G Ninja
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_C_COMPILER=${C} -DMLIR_DIR=${MLIR_DIR} -DLLVM_DIR=${LLVM_DIR}
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS=${flags}")
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/outside)
run(${WORK}/build/outside-runtime)
run(${WORK}/build/outside-library)
run(${WORK}/build/outside-c)
