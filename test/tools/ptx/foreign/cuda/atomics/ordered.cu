#include <cuda/atomic>

// A lock that every lane of every warp takes: plain memory inside.
extern "C" __global__ void spin_lock(int *lock, volatile int *count,
                                     int *order) {
  bool done = false;
  while (!done)
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      int n = *count;
      order[n] = blockIdx.x * blockDim.x + threadIdx.x;
      *count = n + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
}

// A ticket lock: acquire and release, served in order.
extern "C" __global__ void ticket_lock(unsigned *tickets, unsigned *serving,
                                       unsigned *sum) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> now(*serving);
  if (threadIdx.x == 0) {
    unsigned mine = atomicAdd(tickets, 1);
    while (now.load(cuda::memory_order_acquire) != mine)
      __nanosleep(20);
    *sum = *sum * 3 + mine;
    now.store(mine + 1, cuda::memory_order_release);
  }
}

// The last block to finish adds up the others' results.
extern "C" __global__ void last_block(const int *x, volatile int *parts,
                                      unsigned *finished, int *out) {
  __shared__ bool isLast;
  int sum = __reduce_add_sync(~0u, x[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = sum;
    __threadfence();
    isLast = atomicInc(finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x == 0) {
    int total = 0;
    for (int b = 0; b < gridDim.x; ++b)
      total += parts[b];
    *out = total;
  }
}

// Block 1 waits for block 0, and answers; flags with fences, plain data.
extern "C" __global__ void ping_pong(volatile int *flag, volatile int *data,
                                     int rounds) {
  int me = blockIdx.x;
  if (threadIdx.x)
    return;
  for (int r = 0; r < rounds; ++r) {
    while (*flag != 2 * r + me)
      ;
    __threadfence();
    *data = *data * 2 + me + r;
    __threadfence();
    *flag = 2 * r + me + 1;
  }
}

// All blocks meet between two steps: a barrier of the grid, made by hand.
extern "C" __global__ void grid_barrier(const int *x, int *middle, int *out,
                                        unsigned *arrived) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  middle[i] = x[i] * 3;
  __syncthreads();
  if (threadIdx.x == 0) {
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*arrived);
    count.fetch_add(1, cuda::memory_order_acq_rel);
    while (count.load(cuda::memory_order_acquire) < gridDim.x)
      ;
  }
  __syncthreads();
  out[i] = middle[n - 1 - i] + 1;
}

// A list that all threads push to: 64-bit compare-and-swap of the head.
struct Node {
  int value, next;
};
extern "C" __global__ void push_all(Node *nodes, unsigned long long *head) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  nodes[t].value = t * t;
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> top(*head);
  unsigned long long old = top.load(cuda::memory_order_relaxed);
  do
    nodes[t].next = (int)(old & 0xffff) - 1;
  while (!top.compare_exchange_weak(
      old, ((old >> 16) + 1) << 16 | (unsigned)(t + 1),
      cuda::memory_order_release, cuda::memory_order_relaxed));
}
