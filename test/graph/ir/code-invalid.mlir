// RUN: tilewright-opt %s --split-input-file --verify-diagnostics

graph.gpu_code {
  // expected-error @below {{expected modules with a tile.target in graph.gpu_code (code_c1)}}
  module @code_c1 {
  }
}

// -----

graph.cpu_code {
  // expected-error @below {{expected modules with a tile.target in graph.cpu_code (code_c1)}}
  tile.kernel @code_c1() {
  }
}

// -----

graph.interpreter_code {
  // expected-error @below {{expected modules with a tile.target in graph.interpreter_code (code_c1)}}
  module @code_c1 attributes {graph.user_kernels} {
  }
}
