#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

// The library's barrier: split arrival and wait, phases, tokens. Also on
// targets before sm_90.
extern "C" __global__ void library_barrier(const int *x, int *out) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(8) unsigned char room[sizeof(Barrier)];
  __shared__ int slots[2][64];
  auto &bar = *reinterpret_cast<Barrier *>(room);
  int t = threadIdx.x, sum = x[t];
  if (t == 0)
    init(&bar, 64);
  __syncthreads();
  for (int phase = 0; phase < 4; ++phase) {
    slots[phase & 1][t] = sum;
    auto token = bar.arrive();
    int own = sum * 3;
    bar.wait(std::move(token));
    sum = own + slots[phase & 1][(t * 5 + phase) & 63];
  }
  out[t] = sum;
}

// The library's asynchronous copies, in two stages, arriving at barriers.
extern "C" __global__ void library_pipeline(const int *x, int *out, int steps) {
  __shared__ alignas(16) int stages[2][128];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline();
  auto fetch = [&](int i) {
    pipe.producer_acquire();
    cuda::memcpy_async(&stages[i & 1][threadIdx.x * 4],
                       x + i * 128 + threadIdx.x * 4,
                       cuda::aligned_size_t<16>(16), pipe);
    pipe.producer_commit();
  };
  int sum = 0;
  fetch(0);
  for (int i = 0; i < steps; ++i) {
    if (i + 1 < steps)
      fetch(i + 1);
    if (i + 1 < steps)
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    else
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    block.sync();
    for (int k = 0; k < 4; ++k)
      sum = sum * 3 + stages[i & 1][127 - threadIdx.x * 4 - k];
    block.sync();
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// cp.async that arrives at an mbarrier when done; bytes beyond the source are
// zero.
extern "C" __global__ void copy_arrive(const int *x, int *out, int n) {
  __shared__ alignas(16) int tile[128];
  __shared__ alignas(8) unsigned long long bar;
  int t = threadIdx.x;
  unsigned at = (unsigned)__cvta_generic_to_shared(&bar);
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  int bytes = min(max((n - t * 4) * 4, 0), 16);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(tile + t * 4)),
               "l"(bytes ? x + t * 4 : x), "r"(bytes)
               : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at)
               : "memory");
  asm volatile("{ .reg .pred p; .reg .b64 s;\n"
               "again: mbarrier.test_wait.parity.shared.b64 p, [%0], 0;\n"
               "@!p bra again; }" ::"r"(at)
               : "memory");
  for (int k = 0; k < 4; ++k)
    out[k * 32 + t] = tile[k * 32 + (t ^ 5)];
}
