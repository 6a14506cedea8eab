#include "TestPackage.h"
#include "tilewright/c/tilewright.h"
#include <catch2/catch.hpp>
#include <string>

using namespace tilewright::runtime;

extern "C" const char *useFromC(const char *path, float *first);
extern "C" const char *useStatesFromC(const char *path);

TEST_CASE("a C program loads and runs a package") {
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp");
  float sum = 0;
  const char *wrong = useFromC((folder / "m.twp").c_str(), &sum);
  CHECK(std::string(wrong ? wrong : "") == "");
  CHECK(sum == (1 * 2 + 0.5f) + (2 * 2 - 1));
}

TEST_CASE("a C program uses states and memory of its own") {
  TemporaryFolder folder;
  writeTestPackage(folder / "m.twp", statesManifest());
  const char *wrong = useStatesFromC((folder / "m.twp").c_str());
  CHECK(std::string(wrong ? wrong : "") == "");
}

TEST_CASE("the version is a version, and no status is success") {
  CHECK(std::string(tw_version()).find('.') != std::string::npos);
  CHECK(tw_status_code(nullptr) == TW_OK);
  CHECK(std::string(tw_status_message(nullptr)) == "");
  tw_status_free(nullptr);
}

TEST_CASE("a failure has a code and a message") {
  tw_device *device = nullptr;
  tw_status *status = tw_device_open("abacus", 0, &device);
  CHECK(tw_status_code(status) == TW_NOT_FOUND);
  CHECK(std::string(tw_status_message(status)).find("abacus") !=
        std::string::npos);
  CHECK(device == nullptr);
  tw_status_free(status);
}
