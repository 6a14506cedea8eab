// What the kernels of this folder share: mbarriers, bulk copies, wgmma.
#pragma once
#include <cstdint>

__device__ inline uint32_t shared_address(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

__device__ inline void barrier_init(uint64_t *bar, int count) {
  asm volatile(
      "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)),
      "r"(count)
      : "memory");
}
/// Makes initializations known to the copy engine, and to the cluster.
__device__ inline void fence_barrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void barrier_arrive(uint64_t *bar) {
  asm volatile(
      "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(bar))
      : "memory");
}
__device__ inline void barrier_expect(uint64_t *bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                   shared_address(bar)),
               "r"(bytes)
               : "memory");
}
__device__ inline void barrier_wait(uint64_t *bar, int parity) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
               "@!p bra again;\n"
               "}" ::"r"(shared_address(bar)),
               "r"(parity)
               : "memory");
}
/// For what other blocks of the cluster did before they arrived.
__device__ inline void barrier_wait_cluster(uint64_t *bar, int parity) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "again:\n"
               "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
               "[%0], %1;\n"
               "@!p bra again;\n"
               "}" ::"r"(shared_address(bar)),
               "r"(parity)
               : "memory");
}
/// Writes of this thread become visible to the copy engine and to wgmma.
__device__ inline void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
__device__ inline void bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
__device__ inline void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// The 128 bytes of a tensor map; a parameter or global memory.
struct alignas(64) TensorMap {
  char opaque[128];
};

/// A box of a map to shared memory.
__device__ inline void load_box(void *to, const TensorMap *map, int x, int y,
                                uint64_t *bar) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile"
      ".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared_address(to)),
      "l"(map), "r"(x), "r"(y), "r"(shared_address(bar))
      : "memory");
}
/// The box in shared memory to a map.
__device__ inline void store_box(const TensorMap *map, int x, int y,
                                 const void *from) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
               "[%0, {%1, %2}], [%3];" ::"l"(map),
               "r"(x), "r"(y), "r"(shared_address(from))
               : "memory");
}
