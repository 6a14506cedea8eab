// Kernels of C++ are tuned, and launched by what was found.
#include "tilewright/tuning/Tune.h"
#include "tilewright/tuning/TunedKernel.h"

#include "autotune/database/Database.h"
#include "test/library/Kernels.h"
#include "tilewright/authoring.h"
#include "tilewright/runtime/DeviceRegistry.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tilewright;
using namespace tilewright::authoring;
using Catch::Contains;

namespace {

void scale(View<F32, 2> x, View<F32, 2> y, Scalar<F32> by) {
  int64_t rows = tunable("rows", {1, 4});
  int64_t width = tunable("width", {64, 32, 128});
  require(rows * width < 512, "the tile has at most 511 elements");
  auto [i, j] = program(ceilDiv(x.dim(0), rows), ceilDiv(x.dim(1), width));
  y.store({i, j}, x.load({i, j}, {rows, width}, 0) * by);
}

struct Fixture {
  test::TemporaryFolder folder;
  std::filesystem::path database = folder.path / "tuned.db";
  std::shared_ptr<runtime::Device> device = *runtime::openDevice("cpu");
  std::unique_ptr<runtime::Stream> stream = *device->createStream();
  Kernel kernel = authoring::kernel("scale", scale);

  DeviceTensor tensor(int64_t rows, int64_t columns, float value) {
    return *DeviceTensor::copyOf(
        *device, *stream, {rows, columns},
        std::vector<float>(size_t(rows * columns), value));
  }
  /// How a launch of these sizes runs; checks its results.
  LaunchChoice launch(const TunedKernel &tuned, int64_t rows, int64_t columns) {
    DeviceTensor x = tensor(rows, columns, 3), y = tensor(rows, columns, 0);
    Status launched = tuned.launch(*stream, x, y, 0.5);
    CHECK(launched.message() == "");
    CHECK(*y.read<float>(*stream) ==
          std::vector<float>(size_t(rows * columns), 1.5f));
    return tuned.choice(x, y, 0.5);
  }
  void tuneFor(const std::vector<TuneShape> &shapes, size_t trials) {
    TuneLimits limits;
    limits.trials = trials;
    StatusOr<std::vector<TunedShape>> found =
        tune(kernel, *device, shapes, database, limits);
    INFO(found.status().message());
    REQUIRE(found.ok());
    for (const TunedShape &shape : *found) {
      CHECK(shape.trouble == "");
      CHECK(shape.best > 0);
      CHECK(shape.defaultCost >= shape.best);
    }
    results = *std::move(found);
  }
  std::vector<TunedShape> results;
  /// Without those that confirm what was found.
  size_t trialCount() const {
    autotune::Database file =
        *autotune::Database::open(database, autotune::Database::Mode::read);
    return size_t(std::ranges::count_if(*file.trials(), [](const auto &trial) {
      return trial.origin != "confirmation";
    }));
  }
};

} // namespace

TEST_CASE_METHOD(Fixture, "tuning: variants as text") {
  std::string text = *kernel.printVariants();
  CHECK_THAT(text, Contains("// tunable rows = 1, 4\n"
                            "// tunable width = 64, 32, 128\n"
                            "// variant rows=1 width=64\ntile.kernel @scale"));
  CHECK_THAT(text, Contains("\n// variant rows=4 width=64\n"));
  // It breaks the requirement.
  CHECK_THAT(text, !Contains("// variant rows=4 width=128"));
  // A function's location is not part of it.
  Kernel again = authoring::kernel("scale", scale);
  CHECK(*again.printVariants() == text);
}

TEST_CASE_METHOD(Fixture, "tuning: too many combinations") {
  std::vector<int64_t> many;
  for (int64_t i = 1; i <= 257; ++i)
    many.push_back(i);
  Kernel large = authoring::kernel("large", [many](View<F32, 1> x) {
    int64_t size = tunable("size", many);
    auto [i] = program(ceilDiv(x.dim(0), size));
    x.store(i, x.load(i, size, 0));
  });
  const char *why = "kernel 'large' has more than 256 combinations of "
                    "tunables; give them fewer values";
  CHECK(large.printVariants().status().message() == why);
  CHECK(tune(large, *device, std::vector<TuneShape>{{{64}}}, database)
            .status()
            .message() == why);
}

TEST_CASE_METHOD(Fixture, "tuning: launches take the nearest shape's best") {
  const std::vector<TuneShape> shapes = {{{48, 100}, {48, 100}, 0.5},
                                         {{3, 2000}, {3, 2000}, 0.5}};
  tuneFor(shapes, 4);
  REQUIRE(results.size() == 2);
  CHECK(results[0].arguments == "48x100 48x100 =0.5");
  CHECK(results[0].trials == 4);
  // Only the database is left.
  CHECK(folder.files() == std::vector{database});

  TunedKernel tuned = *TunedKernel::load(kernel, *device, database);
  CHECK(launch(tuned, 48, 100).schedule == results[0].schedule);
  CHECK(launch(tuned, 3, 2000).schedule == results[1].schedule);
  CHECK(launch(tuned, 5, 1800).origin == launch(tuned, 3, 2000).origin);
  CHECK(launch(tuned, 50, 90).origin == launch(tuned, 48, 100).origin);
  CHECK(launch(tuned, 48, 100).origin != launch(tuned, 3, 2000).origin);
  LaunchChoice far = launch(tuned, 1, 1);
  CHECK(far.schedule == "");
  CHECK(far.origin == "the default: not tuned for sizes near these");

  // What is known is taken over: nothing is left to try. Only the comparison of
  // the best with the default is made again, and its times decide.
  tuneFor(shapes, 4);
  TunedKernel again = *TunedKernel::load(kernel, *device, database);
  CHECK(launch(again, 48, 100).schedule == results[0].schedule);
  CHECK(trialCount() == 8);
}

TEST_CASE_METHOD(Fixture, "tuning: a schedule that cannot be loaded") {
  tuneFor({{{8, 64}, {8, 64}, 0.5}}, 1);
  {
    autotune::Database file = *autotune::Database::open(
        database, autotune::Database::Mode::readWrite);
    autotune::TrialRecord trial = file.trials()->front();
    trial.sequence = 1;
    // "rows" alone leaves a parameter to the compiler.
    trial.schedule = "tunable.rows=4 width=128";
    trial.median = trial.low = trial.high = 1e-3;
    REQUIRE(file.add(trial).ok());
  }
  TunedKernel tuned = *TunedKernel::load(kernel, *device, database);
  LaunchChoice choice = launch(tuned, 8, 64);
  CHECK(choice.schedule == "");
  CHECK_THAT(choice.origin,
             Contains("the default, because the schedule of task ") &&
                 Contains("cannot be loaded") &&
                 Contains("the tile has at most 511 elements"));
}

TEST_CASE_METHOD(Fixture, "tuning: what cannot be tuned says why") {
  TuneLimits limits;
  limits.tool = folder.path / "no-such-program";
  const std::vector<TuneShape> good = {{{8, 64}, {8, 64}, 0.5}};
  CHECK_THAT(tune(kernel, *device, good, database, limits).status().message(),
             Contains("there is no program") && Contains("no-such-program"));
  limits = {};
  limits.trials = 1;
  auto troubleOf = [&](TuneShape shape) {
    auto found =
        tune(kernel, *device, std::vector<TuneShape>{shape}, database, limits);
    return found.ok() ? found->front().trouble : found.status().message();
  };
  CHECK_THAT(troubleOf({{8, 64}, {8, 64}}),
             Contains("expected the shapes of 3 arguments, found 2"));
  CHECK_THAT(troubleOf({{8, 64}, {8}, 0.5}),
             Contains("argument 1: expected a shape for") && Contains("'8'"));
  CHECK_THAT(troubleOf({{8, 64}, {8, 64}, {8}}),
             Contains("argument 2: expected the value of a float"));
  CHECK_THAT(TunedKernel::load(kernel, *device, folder.path / "none.db")
                 .status()
                 .message(),
             Contains("none.db"));
}

TEST_CASE_METHOD(Fixture, "tuning: on the emulator") {
  device = *runtime::openDevice("emulator");
  stream = *device->createStream();
  tuneFor({{{4, 70}, {4, 70}, 0.5}}, 2);
  TunedKernel tuned = *TunedKernel::load(kernel, *device, database);
  CHECK(launch(tuned, 4, 70).schedule == results[0].schedule);
}
