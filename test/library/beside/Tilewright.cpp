// Tilewright's side: kernels that compile and one that does not.
#include "test/library/Kernels.h"
#include "test/library/beside/Beside.h"
#include "tilewright/c/tilewright-compiler.h"

namespace {
/// The functions that are used, from the library.
struct Functions {
  explicit Functions(void *library);
  decltype(tw_status_message) *message;
  decltype(tw_status_free) *freeStatus;
  decltype(twc_compiler_create) *createCompiler;
  decltype(twc_request_create) *createRequest;
  decltype(twc_request_set_target) *setTarget;
  decltype(twc_request_free) *freeRequest;
  decltype(twc_compile) *compileHere;
  decltype(twc_compiler_compile) *compile;
  decltype(twc_result_part) *part;
  decltype(twc_result_free) *freeResult;
};
} // namespace

#define FIND(NAME) find<decltype(NAME)>(library, #NAME)
Functions::Functions(void *library)
    : message(FIND(tw_status_message)), freeStatus(FIND(tw_status_free)),
      createCompiler(FIND(twc_compiler_create)),
      createRequest(FIND(twc_request_create)),
      setTarget(FIND(twc_request_set_target)),
      freeRequest(FIND(twc_request_free)), compileHere(FIND(twc_compile)),
      compile(FIND(twc_compiler_compile)), part(FIND(twc_result_part)),
      freeResult(FIND(twc_result_free)) {}

/// The message of a failure, "" of success; frees it.
static std::string take(const Functions &tw, tw_status *status) {
  std::string text = status ? tw.message(status) : "";
  tw.freeStatus(status);
  return text;
}

static std::string compileOne(const Functions &tw, twc_compiler *compiler,
                              const std::string &text, const char *target) {
  twc_request *request = nullptr;
  twc_result *compiled = nullptr;
  std::string result =
      take(tw, tw.createRequest(TILEWRIGHT_COMPILER_ABI_VERSION, text.data(),
                                text.size(), "k.mlir", &request));
  result += take(tw, tw.setTarget(request, target));
  // In the pool where there is one, else here.
  result += take(tw, compiler ? tw.compile(compiler, request, &compiled)
                              : tw.compileHere(request, &compiled));
  for (twc_part part : {TWC_PART_CODE, TWC_PART_MANIFEST}) {
    const char *data = nullptr;
    size_t bytes = 0;
    result += take(tw, tw.part(compiled, part, &data, &bytes));
    result.append(data ? data : "", bytes);
  }
  tw.freeResult(compiled);
  tw.freeRequest(request);
  return result;
}

Compiler openTilewright(const char *path) {
  Functions tw(openLibrary(path, 1));
  twc_compiler_options options = TWC_COMPILER_OPTIONS_INIT;
  options.threads = 1;
  // Never freed, as a program that ends with it in use.
  twc_compiler *pool = nullptr;
  std::string failure = take(tw, tw.createCompiler(&options, &pool));
  if (!failure.empty())
    end(1, failure);
  return [tw, pool] {
    using namespace tilewright::test;
    Results results;
    for (const char *target : {"cpu", "sm_90a"}) {
      std::string name = target;
      results["twice " + name] = compileOne(tw, nullptr, twice, target);
      results["product " + name] = compileOne(tw, pool, product, target);
    }
    results["wrong"] = compileOne(tw, pool, "tile.kernel @k(", "cpu");
    return results;
  };
}
