#include "operation.hpp"

#include <algorithm>

#include "graph.hpp"

namespace bankwise::cuda {

namespace {

// The program's own function may call the runtime from other threads.
error run(state& s, const host_call& h) {
  s.mutex.unlock();
  if (h.plain != nullptr)
    h.plain(h.data);
  else
    h.with_stream(h.on, cudaSuccess, h.data);
  s.mutex.lock();
  return cudaSuccess;
}

error run(state& s, const recording& r) {
  r.what->recorded = true;
  r.what->nanoseconds = s.nanoseconds;
  return cudaSuccess;
}

error run(state& s, const make_memory& m) {
  if (s.memory.find(m.address) != nullptr) return cudaSuccess;
  if (!s.memory.place(m.address, m.bytes, "cudaMallocAsync memory of a graph")) return cudaErrorMemoryAllocation;
  s.allocations[m.address] = {.bytes = m.bytes, .of_graph = true};
  s.most_graph_bytes = std::max(s.most_graph_bytes, graph_bytes(s));
  return cudaSuccess;
}

error run(state& s, const release_memory& r) {
  const auto it = s.allocations.find(r.address);
  if (it == s.allocations.end()) return cudaErrorInvalidValue;
  release_when_settled(s, r.address);
  s.allocations.erase(it);
  return cudaSuccess;
}

error run(state& s, const child_graph& c) { return perform_all(s, *c.what); }
error run(state&, const waiting&) { return cudaSuccess; }
error run(state&, const std::monostate&) { return cudaSuccess; }

}  // namespace

std::uint64_t graph_bytes(const state& s) {
  std::uint64_t bytes = 0;
  for (const auto& [address, a] : s.allocations) bytes += a.of_graph ? a.bytes : 0;
  return bytes;
}

error perform(state& s, const operation& o) {
  return std::visit([&](const auto& what) { return run(s, what); }, o);
}

error enqueue(state& s, stream* handle, operation o) {
  stream* on = find_stream(s, handle);
  if (on == nullptr) return cudaErrorInvalidResourceHandle;
  if (on->capture == nullptr) return perform(s, o);
  node* added = add_node(s, *on->capture, std::move(o), on->last);
  on->last = {added};
  return cudaSuccess;
}

}  // namespace bankwise::cuda
