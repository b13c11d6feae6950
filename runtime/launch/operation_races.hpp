// Races between operations of different streams, and between the host and an operation in flight, for --check race and
// --check memory. bankwise runs operations one after the other, so clocks tell what the program itself orders:
//
//     add<<<n, m, 0, a>>>(x)           the clock of stream a advances
//     cudaEventRecord(e, a)            e knows all operations of a so far
//     cudaStreamWaitEvent(b, e)        b knows what e knows, so its copy of x is in order
//     cudaMemcpyAsync(y, x, ..., b)    without this wait, the copy of x is a race
//
// The host knows an operation after it has waited for it, and all later operations then know it. An operation that
// reads pinned or managed memory keeps a digest of the bytes, as long as the host does not know that it has ended. If
// the bytes have changed and no operation has written them, the host has.
//
// The search is silent in case of doubt: about operations of graphs among themselves, library calls, textures, memory
// that processes share, kernels that wait for the host or for each other, and bytes that strong accesses touch. Reads by
// the host are not seen.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/system/digest.hpp"
#include "runtime/clock/device_clock.hpp"
#include "runtime/launch/byte_touches.hpp"

namespace bankwise::cuda {

struct copy;
struct event;
struct fill;
struct state;

class operation_races {
 public:
  // The operations that follow belong to this stream. Must be called before each operation.
  void enter(state& s, unsigned long long stream, stream_kind kind);
  // Whether the bytes of launches must be noted.
  bool follows_launches(const state& s) const;
  // An operation has run.
  void note(state& s, const std::string& name, const std::vector<std::uint64_t>& sites,
            std::shared_ptr<const byte_touches> touches);
  void note(state& s, const copy& c);
  void note(state& s, const fill& f);
  // Memory is about to be freed in the order of the stream.
  void note_free(state& s, std::uint64_t address);

  void record(const event& e);
  void wait(unsigned long long stream, stream_kind kind, const event& e);
  void forget(const event& e) { events_.erase(&e); }
  // The host frees its memory. A warning if it has not waited for an operation that writes there.
  void note_host_free(state& s, std::uint64_t address);
  // The host has waited for a stream, an event or everything, or may have.
  void await(state& s, unsigned long long stream, stream_kind kind);
  void await(state& s, const event& e);
  void await_all(state& s);
  // A stream is destroyed.
  void forget_stream(unsigned long long stream);
  // Memory is released. Later operations on these addresses use other memory.
  void release(std::uint64_t address, std::uint64_t bytes);
  // An operation may have written any bytes that the host can write.
  void forget_host_bytes();
  // Something may have ordered all operations up to the next call of enter().
  void give_up(state& s);

 private:
  using clocks = std::vector<std::uint32_t>;  // for each stream: number of its operations that are known
  struct agent {
    stream_kind kind = stream_kind::blocking;
    std::uint32_t clock = 0;
    clocks known;
  };
  struct watched_bytes {
    std::uint64_t begin = 0, end = 0;
    digest contents;
  };
  struct operation_record {
    std::size_t stream = 0;
    std::uint32_t clock = 0;
    std::string name;
    std::vector<std::uint64_t> sites;
    std::shared_ptr<const byte_touches> touches;  // without memory that was released since then
    std::vector<watched_bytes> watched;           // bytes that the host can write
  };
  std::size_t agent_of(unsigned long long stream, stream_kind kind);
  static bool knows(const clocks& c, const operation_record& r) {
    return r.stream < c.size() && c[r.stream] >= r.clock;
  }
  void look_at_host_bytes(state& s);
  void watch_host_bytes(const state& s, operation_record& r);
  void settle();

  std::map<unsigned long long, std::size_t> numbers_;
  std::vector<agent> agents_;
  std::vector<std::size_t> unused_;  // agents whose streams are destroyed
  std::size_t current_ = 0;
  bool entered_ = false, is_over_ = false;
  clocks host_;
  std::map<const event*, clocks> events_;
  std::vector<operation_record> records_;  // operations that the host does not know to have ended
};

operation_races& the_operation_races();

}  // namespace bankwise::cuda
