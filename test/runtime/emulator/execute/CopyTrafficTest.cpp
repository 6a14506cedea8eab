#include "test/runtime/emulator/execute/KernelRun.h"
#include <catch2/catch.hpp>
#include <map>

using namespace tilewright::emulator;

namespace {

/// Adds up the traffic that copies report.
class Traffic : public Observer {
public:
  void begins(Warp &, const Instruction &) override {}
  void ends(Warp &, const Instruction &, uint32_t) override {}
  void copies(Warp &, const Instruction &, DataPath path, uint64_t address,
              uint64_t bytes) override {
    sums[path].pieces += 1;
    sums[path].bytes += bytes;
    sums[path].inGlobal += address != 0;
  }

  struct Sum {
    unsigned pieces = 0;
    uint64_t bytes = 0;
    unsigned inGlobal = 0;
    bool operator==(const Sum &) const = default;
  };
  std::map<DataPath, Sum> sums;
};

/// The traffic of one thread's copies, which use shared memory at `tile` and
/// the mbarrier `bar`.
std::map<DataPath, Traffic::Sum> trafficOf(const std::string &copies) {
  Traffic traffic;
  KernelRun kernel;
  kernel.threads = 1;
  kernel.outputWords = 256;
  kernel.input = counting(256);
  TensorMap map;
  map.element = TensorElement::u32;
  map.rank = 2;
  map.size = {16, 8, 1, 1, 1};
  map.stride = {4, 64, 0, 0, 0};
  map.box = {8, 4, 1, 1, 1};
  kernel.inputMap = kernel.outputMap = map;
  kernel.observer = &traffic;
  kernel.body = ".shared .align 128 .b8 tile[512];\n"
                ".shared .align 8 .b64 bar;\n"
                "mbarrier.init.shared.b64 [bar], 1;\n" +
                copies;
  REQUIRE(run(kernel).error == "");
  return traffic.sums;
}
} // namespace

TEST_CASE(
    "Copies tell of their bytes, once for each piece that lies together") {
  using Sums = std::map<DataPath, Traffic::Sum>;
  const std::string signal = ".mbarrier::complete_tx::bytes ";
  CHECK(trafficOf("cp.async.bulk.shared::cta.global" + signal +
                  "[tile], [%in], 96, [bar];") ==
        Sums{{DataPath::copiedToShared, {1, 96, 1}}});
  CHECK(trafficOf("cp.async.bulk.shared::cluster.shared::cta" + signal +
                  "[tile], [tile+64], 32, [bar];") ==
        Sums{{DataPath::copiedInCluster, {1, 32, 0}}});
  CHECK(trafficOf("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
                  "[%out], [tile], 64;") ==
        Sums{{DataPath::copiedToGlobal, {1, 64, 1}}});
  // Two rows of three words are in the tensor.
  CHECK(trafficOf("cp.async.bulk.tensor.2d.shared::cta.global" + signal +
                  "[tile], [%map0, {13, 6}], [bar];") ==
        Sums{{DataPath::copiedToShared, {2, 24, 2}}});
  CHECK(trafficOf("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                  "[%map1, {13, 6}], [tile];") ==
        Sums{{DataPath::copiedToGlobal, {2, 24, 2}}});
  CHECK(trafficOf("mov.u32 %r0, 1;\n"
                  "st.async.shared::cluster" +
                  signal.substr(0, signal.size() - 1) +
                  ".v2.b32 [tile], {%r0, %r0}, [bar];") ==
        Sums{{DataPath::clusterShared, {1, 8, 0}}});
}
