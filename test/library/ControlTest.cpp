// What ends a compilation early, asked by the threads of its passes.
#include "tilewright/codegen/CompilationControl.h"

#include <catch2/catch.hpp>
#include <thread>
#include <vector>

using namespace tilewright;

TEST_CASE("control: passes of several threads begin at once") {
  std::stop_source caller;
  CompilationControl control({}, caller.get_token());
  auto beginPasses = [&](const std::string &name) {
    bool goesOn = true;
    for (int i = 0; i < 50000; ++i)
      goesOn &= control.beginPass(name) && control.goOn();
    return goesOn;
  };
  // Short names and long ones have different memory.
  bool wentOn[3];
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < 3; ++i)
      threads.emplace_back([&, i] {
        wentOn[i] = beginPasses(std::string(4 + 60 * i, char('a' + i)));
      });
  }
  CHECK((wentOn[0] && wentOn[1] && wentOn[2]));
  CHECK_FALSE(control.stopped());

  caller.request_stop();
  CHECK_FALSE(control.beginPass("cse"));
  CHECK(control.stop().where == "pass 'cse'");
}

TEST_CASE("control: of threads that are stopped one gives the reason") {
  Budget budget;
  budget.memory = 100;
  CompilationControl control(budget);
  (void)control.beginPass("cse");
  {
    std::vector<std::jthread> threads;
    for (int64_t i = 0; i < 4; ++i)
      threads.emplace_back([&, i] {
        while (control.allowMemory(99))
          (void)control.allowMemory(101 + i);
      });
  }
  REQUIRE(control.stopped());
  const Stop &stop = control.stop();
  CHECK(stop.reason == Stop::Reason::memory);
  CHECK(stop.limit == 100);
  CHECK((stop.used > 100 && stop.used < 105));
  CHECK(stop.where == "pass 'cse'");
}
