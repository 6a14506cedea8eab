// The two halves of the stress program.
#ifndef TILEWRIGHT_TEST_LIBRARY_STRESS_H
#define TILEWRIGHT_TEST_LIBRARY_STRESS_H

#include <filesystem>

namespace tilewright::test {

/// Both return the process's exit status: 0 if all was well.
int stressCompile(unsigned kernels, unsigned threads);
int stressCache(unsigned processes, unsigned seconds);

/// One of the processes of stressCache, which never ends by itself unless it
/// reads what nobody stored.
int cacheWorker(const std::filesystem::path &folder, unsigned seed);

} // namespace tilewright::test

#endif // TILEWRIGHT_TEST_LIBRARY_STRESS_H
