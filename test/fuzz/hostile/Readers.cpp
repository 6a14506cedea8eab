// hostile-readers COUNT SEED: changes files that the runtime reads at random:
// package manifests, tensors, weights. Whatever comes is right, as long as it
// is an error of one line, or something that is read again as it was.
#include "runtime/core/ExecutionPlan.h"
#include "tilewright/manifest/PackageManifest.h"
#include "tilewright/runtime/MappedFile.h"
#include "tilewright/runtime/Npy.h"
#include "tilewright/runtime/Safetensors.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::runtime;

namespace {

constexpr const char *package = R"json({"tilewright_package": 1,
 "producer": "p", "name": "m", "metadata": {"a": "b"}, "symbols": ["N"],
 "inputs": [{"name": "x", "dtype": "f32", "shape": ["N", 8], "buffer": 0}],
 "outputs": [{"name": "y", "dtype": "f32", "shape": ["N", 8], "buffer": 1}],
 "buffers": [{"kind": "input", "dtype": "f32", "bytes": "N * 32"},
  {"kind": "output", "dtype": "f32", "bytes": "ceildiv(N * 64, 2)"},
  {"kind": "weight", "dtype": "f32", "bytes": 32, "weight": "w"},
  {"kind": "transient", "dtype": "f32", "bytes": "max(N, 2) * 32"},
  {"kind": "transient", "dtype": "f32", "bytes": 32, "alias": 3}],
 "kernels": [{"name": "k", "target": "cpu", "features": "", "image": "k.o",
  "entry": "k", "arguments": [{"view": "f32", "rank": 2,
   "passed": ["pointer", "dim0", "stride0"]}, {"scalar": "index"},
   {"view": "f32", "rank": 1, "passed": ["pointer"]}],
  "grid": ["ceildiv(arg0.dim0, 4)", "arg1"], "scratch": 64, "block": 1,
  "cluster": [1, 1, 1], "shared": 0,
  "guards": ["arg0.dim1 == 8", "aligned(arg0, 16)", "disjoint(arg0, arg2)"]}],
 "steps": [{"kernel": "k", "arguments": [
   {"buffer": 0, "dims": ["N", 8], "strides": [8, 1]}, {"scalar": "N - 1"},
   {"buffer": 4, "dims": [8]}], "label": "l"}],
 "checks": [{"that": "mod(N, 2)", "equals": 0, "message": "N is even"}],
 "files": {"k.o": {"bytes": 5, "hash": "xxh64:0123456789abcdef"}}})json";

std::string npySample() {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, "
                       "3), }";
  header.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + "\n" +
         std::string(24, '\0');
}

std::string weightsSample() {
  const std::string header =
      R"({"w": {"dtype": "F32", "shape": [2, 4], "data_offsets": [0, 32]}})";
  uint64_t length = header.size();
  std::string text(8, '\0');
  std::memcpy(text.data(), &length, 8);
  return text + header + std::string(32, '\0');
}

class Fuzzer {
public:
  Fuzzer(std::filesystem::path folder, uint64_t seed)
      : folder(std::move(folder)), random(seed) {}
  /// False: something was not read as it was written.
  bool step();
  unsigned rejected = 0, read = 0;

private:
  size_t below(size_t n) { return n ? random() % n : 0; }
  std::string mutant(std::string text);
  void change(std::string &text);
  bool readPackage(const std::string &text);
  void count(const Status &status) { ++(status.ok() ? read : rejected); }

  std::filesystem::path folder;
  std::mt19937_64 random;
};

/// Numbers become extreme more often than bytes change: then more texts get
/// past the parser.
void Fuzzer::change(std::string &text) {
  static constexpr const char *numbers[] = {"-1",
                                            "0",
                                            "64",
                                            "65",
                                            "2147483648",
                                            "4294967296",
                                            "1099511627776",
                                            "9223372036854775807",
                                            "-9223372036854775808",
                                            "18446744073709551616",
                                            "1e308"};
  const size_t at = below(text.size());
  const size_t other = below(text.size()), length = 1 + below(40);
  const size_t digit = text.find_first_of("0123456789", at);
  switch (below(6)) {
  case 0:
    text.erase(at, 1 + below(8));
    return;
  case 1:
    text[at] = char(below(256));
    return;
  case 2:
    text.insert(at, text.substr(other, length));
    return;
  case 3:
    text.replace(at, length, text.substr(other, length));
    return;
  default:
    if (digit != std::string::npos)
      text.replace(digit, text.find_first_not_of("0123456789", digit) - digit,
                   numbers[below(std::size(numbers))]);
    return;
  }
}

std::string Fuzzer::mutant(std::string text) {
  for (size_t n = 1 + below(3); n && !text.empty(); --n)
    change(text);
  return text;
}

bool Fuzzer::readPackage(const std::string &text) {
  StatusOr<PackageManifest> manifest = parsePackageManifest(text);
  count(manifest.status());
  if (!manifest.ok())
    return true;
  StatusOr<PackageManifest> again =
      parsePackageManifest(printPackageManifest(*manifest));
  if (!again.ok() || !(*again == *manifest)) {
    std::printf("is not read as it is written: %s\n%s\n",
                again.status().message().c_str(), text.c_str());
    return false;
  }
  for (int64_t size : {int64_t{0}, int64_t{6}, INT64_MAX}) {
    Bindings symbols;
    for (const std::string &symbol : manifest->symbols)
      symbols[symbol] = size;
    count(planExecution(*manifest, StepTree(*manifest), symbols).status());
  }
  return true;
}

bool Fuzzer::step() {
  if (!readPackage(mutant(package)))
    return false;
  const std::string npy = mutant(npySample());
  count(parseNpy(std::as_bytes(std::span(npy)), "x.npy").status());
  if (!writeFile(folder / "w", mutant(weightsSample())).ok())
    return false;
  count(SafetensorsFile::open(folder / "w").status());
  return true;
}
} // namespace

int main(int argc, char **argv) {
  std::string folder =
      (std::filesystem::temp_directory_path() / "tilewright-hostile-XXXXXX")
          .string();
  if (argc != 3 || !::mkdtemp(folder.data())) {
    std::fprintf(stderr, "usage: hostile-readers COUNT SEED\n");
    return 2;
  }
  Fuzzer fuzzer(folder, std::strtoull(argv[2], nullptr, 10));
  int left = std::atoi(argv[1]);
  while (left > 0 && fuzzer.step())
    --left;
  std::filesystem::remove_all(folder);
  std::printf("%u rejected, %u read\n", fuzzer.rejected, fuzzer.read);
  return left || !fuzzer.rejected || !fuzzer.read;
}
