/* What the tests of the C interface share. */
#ifndef TILEWRIGHT_TEST_LIBRARY_CAPI_CAPI_H
#define TILEWRIGHT_TEST_LIBRARY_CAPI_CAPI_H

#include "tilewright/c/tilewright-compiler.h"
#include <stdio.h>
#include <string.h>

/* Counts and tells what does not hold. */
extern int failures;
#define CHECK(CONDITION)                                                       \
  do {                                                                         \
    if (!(CONDITION)) {                                                        \
      ++failures;                                                              \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #CONDITION);  \
    }                                                                          \
  } while (0)

/* Whether a call succeeded; tells its message where not. */
int succeeds(tw_status *status);
/* Whether a call failed so: with this code, and this in its message. */
int failsWith(tw_status *status, tw_code code, const char *message);
#define OK(CALL) CHECK(succeeds(CALL))
#define FAILS(CALL, CODE, MESSAGE) CHECK(failsWith(CALL, CODE, MESSAGE))

extern const char *twice;
/* A request for the kernel `twice`, which needs nothing set. */
twc_request *requestFor(const char *text, const char *target);
/* A part of a result that has it. */
const char *partOf(const twc_result *result, twc_part part);

/* The tests. `folder` is empty, `plugin` a plug-in. */
void useCompiler(const char *folder);
void useJobs(void);
void useDiagnostics(void);
void usePlugins(const char *plugin);
/* Into `folder`, which is there by then. */
void useModels(const char *folder, const char *plugin);
void giveWrongArguments(void);
void giveWrongVersions(void);
void runKernels(void);

#endif /* TILEWRIGHT_TEST_LIBRARY_CAPI_CAPI_H */
