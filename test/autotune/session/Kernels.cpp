#include "Kernels.h"

#include <catch2/catch.hpp>

namespace tilewright::autotune::test {

const char *const faultyKernel = R"(
// tunable MODE = 0, 1, 2, 4
// tunable HELD = 64, 8589934592
tile.kernel @faulty(%x: !tile.view<64xf32>, %y: !tile.view<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %mode = arith.constant ${MODE} : index
  %v = tile.load %x[%c0] : !tile.view<64xf32> -> tensor<64xf32>
  tile.store %v, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
  scf.index_switch %mode
  case 1 {
    scf.while : () -> () {
      %true = arith.constant true
      scf.condition(%true)
    } do {
      tile.store %v, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
      scf.yield
    }
    scf.yield
  }
  case 2 {
    %address = arith.constant 16 : i64
    %p = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
    %one = arith.constant 1.0 : f32
    tile.store_ptr %one, %p : !tile.ptr<f32>
    scf.yield
  }
  case 4 {
    %w = arith.addf %v, %v : tensor<64xf32>
    tile.store %w, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
    scf.yield
  }
  default {
    scf.yield
  }
  %zero = arith.constant dense<0.0> : tensor<${HELD}xf32>
  %held = scf.for %i = %c0 to %c2 step %c1 iter_args(%h = %zero) -> (tensor<${HELD}xf32>) {
    %n = arith.addf %h, %h : tensor<${HELD}xf32>
    scf.yield %n : tensor<${HELD}xf32>
  }
  %sum = tile.reduce %held axis 0 {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    tile.yield %r : f32
  } : tensor<${HELD}xf32> -> tensor<f32>
  %s = tile.extract %sum[] : tensor<f32>
  %big = arith.constant 1.0 : f32
  %never = arith.cmpf ogt, %s, %big : f32
  scf.if %never {
    %d = arith.subf %v, %v : tensor<64xf32>
    tile.store %d, %y[%c0] : tensor<64xf32>, !tile.view<64xf32>
  }
}
)";

std::string gemm(int64_t m, int64_t n, int64_t k) {
  auto type = [](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) +
           "xf32>";
  };
  std::string a = type(m, k), b = type(k, n), c = type(m, n);
  return "func.func @group(%a: " + a + ", %b: " + b + ") -> " + c + " {\n" +
         "  %zero = arith.constant 0.0 : f32\n" +
         "  %empty = tensor.empty() : " + c + "\n" +
         "  %init = linalg.fill ins(%zero : f32) outs(%empty : " + c + ") -> " +
         c + "\n" + "  %c = linalg.matmul ins(%a, %b : " + a + ", " + b +
         ") outs(%init : " + c + ") -> " + c + "\n" + "  return %c : " + c +
         "\n}\n";
}

Workload workloadOf(const std::string &code, const std::string &target) {
  TaskRecord task;
  task.label = "kernel";
  task.target = target;
  task.code = code;
  return {{{task, 1}}, {}};
}

Folder::Folder() {
  std::string pattern =
      (std::filesystem::temp_directory_path() / "tilewright-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  path = pattern;
}

Folder::~Folder() { std::filesystem::remove_all(path); }

TuneOptions quickOptions(const Folder &folder) {
  TuneOptions options;
  options.threads = 1;
  options.jobs = 1;
  options.seconds = 0;
  options.trials = 12;
  options.measureSeconds = 0.02;
  options.oracleSeconds = 0.2;
  options.search.ranked = 64;
  options.worker = {"/proc/self/exe", "worker"};
  options.scratch = folder.path;
  options.command = "test";
  options.version = "0";
  options.compiler = "this build";
  options.host = "here";
  return options;
}

Database openDatabase(const Folder &folder, const std::string &name) {
  StatusOr<Database> database =
      Database::open(folder.path / name, Database::Mode::create);
  REQUIRE(database.ok());
  return *std::move(database);
}

std::vector<TrialRecord> trialsIn(const Database &database) {
  StatusOr<std::vector<TrialRecord>> trials = database.trials();
  REQUIRE(trials.ok());
  std::erase_if(*trials, [](const TrialRecord &trial) {
    return trial.origin == "confirmation";
  });
  std::ranges::sort(*trials, {}, &TrialRecord::sequence);
  return *trials;
}

} // namespace tilewright::autotune::test
