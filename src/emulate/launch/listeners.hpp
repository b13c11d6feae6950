// Combines several listeners. A listener in launch_hooks::listeners receives only the events that it needs. If no
// listener needs an event, the event costs one test of a pointer. If one listener needs an event, the event costs one
// call.
#pragma once

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "emulate/launch/launch.hpp"

namespace bankwise::emulate {

// A listener that needs the events of only a few blocks. The other blocks cost nothing.
class passing_listener : public listener {
 public:
  struct next_block {
    std::uint64_t block = 0;
    // Position of the block in the order in which blocks begin. If only some blocks are executed and represent the
    // remaining blocks, blocks with higher numbers have higher positions. Unlike the worker that executes a block, the
    // position does not depend on the number of workers. The blocks of one worker can begin in a different order.
    std::uint64_t order = 0;
    std::uint64_t cluster = 0;   // position of the first block of the same cluster
    bool mixes_accesses = true;  // decoded_section::mixes_accesses of the kernel's code
  };
  // Called before has_enough() with the block that follows.
  virtual void on_next(const next_block&) {}
  // Called before each block, and from time to time in long blocks. While this function returns true, the listener
  // receives no events.
  virtual bool has_enough() const = 0;
};

// The listeners of one worker, one member for each kind of event. A member is null if no listener needs its events.
class listener_list {
 public:
  explicit listener_list(const std::vector<listener*>& all);  // elements may be null
  listener_list(const listener_list&) = delete;
  listener_list& operator=(const listener_list&) = delete;

  listener* blocks() { return blocks_.one(); }
  listener* accesses() { return accesses_.one(); }
  listener* asynchronous() { return asynchronous_.one(); }
  listener* order() { return order_.one(); }
  listener* instructions() { return instructions_.one(); }
  listener* block_ends() { return block_ends_.one(); }
  listener* global() { return global_.one(); }
  listener* copied() { return copied_.one(); }
  listener* misuses() { return misuses_.one(); }
  listener* warps() { return warps_.one(); }
  // The value of wanted_events::repeats if all listeners for accesses have the same value. 0 if the values differ. All
  // ones if there are no listeners for accesses.
  std::uint32_t repeats() const { return repeats_; }
  // Tells the passing listeners which block follows.
  void announce(const passing_listener::next_block& b) {
    for (passing_listener* l : passing_) l->on_next(b);
  }
  // Leaves out the passing listeners that have enough events, and takes in again those that need events again. Returns
  // true if the listeners have changed.
  bool drop_finished();
  // Adds or removes a listener while the launch runs.
  void add(listener& l);
  void remove(const listener& l);

 private:
  // A listener that passes each event to several listeners.
  class group : public listener {
   public:
    void add_listener(listener* l) { all_.push_back(l); }
    void clear() { all_.clear(); }
    listener* one() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }
    void on_block(std::uint64_t block) override;
    void on_block_end(std::uint64_t times) override;
    void on_alike(const std::array<std::uint32_t, 3>& blocks) override;
    void on_access(const shared_access& a) override;
    void on_repeats(const shared_access& a, std::uint64_t times) override;
    void on_async(const async_event& e) override;
    void on_swap(const shared_access& a, std::uint32_t stored) override;
    void on_order(const ordering& o) override;
    void on_global(const global_access_event& a) override;
    void on_texture(const texture_access_event& a) override;
    void on_copied(const copied_bytes& b) override;
    void on_misuse(const misuse& u) override;
    void on_instructions(std::uint64_t pc, std::uint64_t count, std::uint32_t lanes) override;
    void on_sleep(std::uint64_t pc, std::uint32_t nanoseconds) override;
    void on_warp(std::uint32_t warp) override;

   private:
    std::vector<listener*> all_;
  };
  void add_listener(listener* l);
  void divide();

  std::vector<listener*> all_;
  std::vector<passing_listener*> passing_;  // the passing listeners among the elements of `all_`
  std::vector<const listener*> left_out_;   // the passing listeners that have enough events
  std::uint32_t repeats_ = ~0u;
  group blocks_, accesses_, asynchronous_, order_, instructions_, block_ends_, global_, copied_, misuses_, warps_;
};

// The listeners of one kind for a launch: one object per worker.
template <class Listener>
class listeners_of {
 public:
  using maker = std::function<std::unique_ptr<Listener>()>;
  // Adds this object to the hooks. The object must not be moved until the launch has run.
  listeners_of(launch_hooks& hooks, maker make) : make_(std::move(make)) {
    hooks.listeners.emplace_back([this](unsigned) { return each_.emplace_back(make_()).get(); });
  }
  listeners_of(const listeners_of&) = delete;
  listeners_of& operator=(const listeners_of&) = delete;

  // Returns the sum over all listeners. Must be called after the launch has ended.
  std::unique_ptr<Listener> sum() {
    std::unique_ptr<Listener> all = make_();
    for (std::unique_ptr<Listener>& one : each_) {
      all->add(*one);
      one.reset();
    }
    each_.clear();
    return all;
  }

 private:
  maker make_;
  std::vector<std::unique_ptr<Listener>> each_;
};

}  // namespace bankwise::emulate
