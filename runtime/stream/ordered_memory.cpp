#include "runtime/stream/ordered_memory.hpp"

#include "runtime/device/report_file.hpp"
#include "runtime/launch/operation_races.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/graph.hpp"
#include "runtime/stream/in_flight.hpp"
#include "runtime/stream/thread_stream.hpp"

namespace bankwise::cuda {

error release_when_idle(state& s, void* pointer, bool of_host) {
  if (of_host) the_operation_races().note_host_free(s, address_of(pointer));
  if (const error e = finish_all(s); e != cudaSuccess) return e;
  const auto at = s.allocations.find(address_of(pointer));
  const allocation freed = at != s.allocations.end() ? at->second : allocation();
  const error e = release(s, pointer, of_host);
  if (e == cudaSuccess && freed.bytes != 0) add_free_call(s, freed);
  if (e != cudaSuccess) note_bad_free(s, of_host ? "cudaFreeHost" : "cudaFree", address_of(pointer));
  // Destructors of global objects free memory after the report was written.
  if (s.ended && s.options.checks_memory) write_report(s);
  return e;
}

error unregister_host(state& s, void* pointer) {
  if (const error e = finish_all(s); e != cudaSuccess) return e;
  const auto it = s.allocations.find(address_of(pointer));
  if (it == s.allocations.end() || it->second.kind != allocation_kind::registered)
    return cudaErrorHostMemoryNotRegistered;
  add_free_call(s, it->second);
  release_when_settled(s, it->first);
  s.allocations.erase(it);
  return cudaSuccess;
}

error allocate_in_order(state& s, void** pointer, std::size_t bytes, pool* p, stream* handle) {
  stream* on = find_stream(s, handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (p == nullptr) return cudaErrorInvalidValue;
  if (const error e = place_on_device(s, pointer, bytes); e != cudaSuccess || *pointer == nullptr) return e;
  allocation& a = s.allocations[address_of(*pointer)];
  if (on->owner != nullptr) a.owner = on->owner;
  a.of_shared_pool = p->handle_types != 0;
  if (on->capture == nullptr) {
    a.from = p;
    s.clock.call(maps_memory(*p, bytes, s.clock.waits()) ? costs.call_allocate : costs.call_other, "allocate");
    take_from(*p, bytes);
    return cudaSuccess;
  }
  // During the capture, the address is already known and valid. The graph owns the allocation, not the pool.
  on->last = {add_node(s, *on->capture, make_memory{address_of(*pointer), bytes}, on->last)};
  return cudaSuccess;
}

}  // namespace bankwise::cuda
