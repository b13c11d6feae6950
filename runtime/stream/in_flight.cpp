#include "runtime/stream/in_flight.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <set>
#include <string>
#include <system_error>
#include <thread>

#include "base/format.hpp"
#include "runtime/device/state.hpp"
#include "runtime/launch/operation_races.hpp"
#include "runtime/launch/pending.hpp"
#include "runtime/launch/stack_room.hpp"
#include "runtime/launch/timed_operations.hpp"
#include "runtime/stream/graph.hpp"

namespace bankwise::cuda {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds first_pause{20}, longest_pause{5000};
constexpr auto long_wait = 10s;

stream_facts facts_of(const stream& on) { return {.shown = on.id, .priority = on.priority}; }

// Whether an operation in `stream` must wait for the earlier operation `before`.
bool in_order(unsigned long long stream, stream_kind kind, const in_flight& before) {
  return stream == before.stream || are_in_order(kind, before.kind);
}

in_flight* find(state& s, std::uint64_t number) {
  for (in_flight& f : s.flying.all)
    if (f.number == number) return &f;
  return nullptr;
}
bool is_there(const state& s, std::uint64_t number) {
  return std::any_of(s.flying.all.begin(), s.flying.all.end(), [&](const in_flight& f) { return f.number == number; });
}

bool is_blocked(const state& s, const in_flight& one) {
  for (const in_flight& f : s.flying.all) {
    if (f.number == one.number) break;
    if (in_order(one.stream, one.kind, f)) return true;
  }
  return std::any_of(one.after.begin(), one.after.end(), [&](std::uint64_t n) { return is_there(s, n); });
}

bool may_wait(state& s, const call& c, bool in_branch) {
  if (!c.what->may_wait) c.what->may_wait = emulate::may_wait_for_others(*c.what->owner->program, *c.what->kernel);
  return *c.what->may_wait && (in_branch || has_others(s));
}
// Whether the graph or a child graph has two nodes that may run in any order. One of these nodes may then wait for a
// value that the other node writes.
bool has_branches(const graph& g) {
  const std::vector<const node*> order = in_order(g);
  for (std::size_t n = 1; n < order.size(); ++n)
    if (std::none_of(order[n]->after.begin(), order[n]->after.end(),
                     [&](const dependency& d) { return d.on == order[n - 1]; }))
      return true;
  return std::any_of(g.nodes.begin(), g.nodes.end(), [](const auto& n) {
    const auto* const child = std::get_if<child_graph>(&n->what);
    return child != nullptr && has_branches(*child->what);
  });
}
bool may_wait(state& s, const operation& o, bool in_branch = false);
bool may_wait(state& s, const graph& g, bool in_branch) {
  const bool some =
      std::any_of(g.nodes.begin(), g.nodes.end(), [&](const auto& n) { return may_wait(s, n->what, true); });
  return some && (in_branch || has_others(s) || has_branches(g));
}
bool may_wait(state& s, const operation& o, bool in_branch) {
  if (const auto* c = std::get_if<call>(&o)) return may_wait(s, *c, in_branch);
  if (const auto* g = std::get_if<child_graph>(&o)) return may_wait(s, *g->what, in_branch);
  if (const auto* g = std::get_if<conditional>(&o))
    return std::any_of(g->bodies.begin(), g->bodies.end(),
                       [&](const auto& body) { return may_wait(s, *body, in_branch); });
  const auto* w = std::get_if<word_operations>(&o);
  return w != nullptr && std::any_of(w->what.begin(), w->what.end(),
                                     [](const memory_operation& m) { return m.kind == wait_32 || m.kind == wait_64; });
}

// Returns the name of the operation in messages.
std::string name_of(const in_flight& f) {
  if (const auto* c = std::get_if<call>(&f.what)) return formatted("kernel {}", c->what->kernel->name);
  if (const auto* g = std::get_if<child_graph>(&f.what)) {
    for (const auto& n : g->what->nodes)
      if (const auto* c = std::get_if<call>(&n->what); c != nullptr && c->what->may_wait.value_or(false))
        return formatted("a graph with kernel {}", c->what->kernel->name);
    return "a graph";
  }
  if (std::holds_alternative<word_operations>(f.what)) return "a wait operation in a stream";
  return "work in a stream";
}

// Whether this thread is ending. Its thread-local values are then already destroyed. Exit handlers and destructors of
// the program may still launch kernels.
bool is_ending() {
  constinit static thread_local bool ended = false;
  struct end_of_thread {
    ~end_of_thread() { ended = true; }
    bool seen = false;
  };
  if (ended) return true;
  static thread_local end_of_thread here;
  here.seen = true;
  return false;
}

// Starts or continues an operation. Returns true if the operation has ended. May release the lock temporarily.
bool advance(state& s, in_flight& f, error& result) {
  f.runs = true;
  the_operation_races().give_up(s);  // operations in flight may order each other in ways that are not known
  if (f.parked != nullptr) --s.parked;
  bool ended = true;
  const auto begin = [&s, &f] {
    s.clock.enter(f.stream, f.kind, f.issued, f.facts);
    s.clock.wait(f.begins);
    return perform(s, f.what);
  };
  if (f.parked == nullptr && (may_wait(s, f.what, f.in_graph) || is_ending())) f.parked = parked_work::make(s, begin);
  if (f.parked == nullptr) {
    if (auto* const c = std::get_if<copy>(&f.what); c != nullptr && !f.bytes.empty())
      c->from = reinterpret_cast<std::uint64_t>(f.bytes.data());
    result = begin();
    if (const auto* const r = std::get_if<recording>(&f.what); r != nullptr && r->what->awaited == f.number)
      r->what->awaited = 0;
  } else {
    settle_all(s);  // a pending operation may write the awaited value
    ended = f.parked->go_on();
    if (ended) result = f.parked->result;
  }
  f.runs = false;
  if (!ended) ++s.parked;
  return ended;
}

void poll(state& s) {
  std::chrono::microseconds pause = first_pause;
  for (;;) {
    std::this_thread::sleep_for(pause);
    const std::lock_guard lock(s.mutex);
    if (s.flying.all.empty() || s.sticky != cudaSuccess) {
      s.flying.polled = false;
      return;
    }
    // While a thread of the program waits, it continues the operations itself. So the polling thread does nothing.
    const bool moved = s.flying.waiting_threads == 0 && go_on(s);
    pause = moved ? first_pause : std::min(2 * pause, longest_pause);
  }
}

// Starts a thread of the stand-in that continues operations in flight while the program computes on the host.
void begin_polling(state& s) {
  if (s.flying.polled) return;
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    std::thread([&s] { poll(s); }).detach();
    s.flying.polled = true;
  } catch (const std::system_error&) {  // without this thread, operations continue when the program waits
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// Saves the bytes that a copy reads from the host, because the copy runs later.
void take_bytes(state& s, in_flight& f) {
  const auto* const c = std::get_if<copy>(&f.what);
  if (c == nullptr || c->width == 0 || c->height == 0 || c->depth == 0 || s.memory.find(c->from) != nullptr) return;
  const std::uint64_t bytes = (c->depth - 1) * c->from_slice + (c->height - 1) * c->from_pitch + c->width;
  const auto* const from = reinterpret_cast<const std::byte*>(c->from);
  if (c->kind == device_to_host || c->kind == device_to_device || from == nullptr) return;
  f.bytes.assign(from, from + bytes);
}
// Whether the program may use the results of the operation as soon as its call has returned.
bool ends_at_call(const state& s, const operation& o) {
  if (const auto* c = std::get_if<copy>(&o)) return s.memory.find(c->to) == nullptr;  // a copy to pageable memory
  const auto* l = std::get_if<library_call>(&o);
  return l != nullptr && !l->host_results.empty();
}

template <class Awaited>
error finish_while(state& s, Awaited awaited) {
  settle_small(s);
  if (s.flying.all.empty() || s.process != ::getpid()) return s.sticky;
  std::chrono::microseconds pause{0};
  const clock::time_point begun = clock::now();
  bool told = false;
  ++s.flying.waiting_threads;
  while (s.sticky == cudaSuccess && awaited()) {
    if (go_on(s)) {
      pause = {};
      continue;
    }
    if (!awaited() || s.sticky != cudaSuccess) break;
    if (!told && clock::now() - begun > long_wait && !s.flying.all.empty()) {
      told = true;
      const auto parked = std::find_if(s.flying.all.begin(), s.flying.all.end(),
                                       [](const in_flight& f) { return f.parked != nullptr; });
      say(formatted(
          "{} has waited for 10 s for a value in memory. Neither the host nor another stream has written the value yet",
          name_of(parked != s.flying.all.end() ? *parked : s.flying.all.front())));
    }
    s.mutex.unlock();
    std::this_thread::sleep_for(pause);
    s.mutex.lock();
    pause = std::clamp(2 * pause, first_pause, longest_pause);
  }
  --s.flying.waiting_threads;
  return s.sticky;
}

bool has_conditions(const graph& g) {
  return std::any_of(g.nodes.begin(), g.nodes.end(), [](const auto& n) {
    const auto* const child = std::get_if<child_graph>(&n->what);
    return std::holds_alternative<conditional>(n->what) || (child != nullptr && has_conditions(*child->what));
  });
}

// Returns the graph if each of its nodes must be in flight separately. Otherwise, returns null. Graphs with conditional
// nodes are not split, because one thread decides which nodes of such a graph run.
const graph* spread_graph(const operation& o) {
  const auto* const g = std::get_if<child_graph>(&o);
  return g != nullptr && has_branches(*g->what) && !has_conditions(*g->what) ? g->what.get() : nullptr;
}

using flight_numbers = std::vector<std::uint64_t>;

// Adds the nodes of a graph in an order that respects the dependencies. The first nodes wait for the operations
// `before`, in the stream `on`. Returns the numbers of the last nodes, for which no other node waits.
flight_numbers spread(state& s, const graph& g, const stream_facts& on, const flight_numbers& before) {
  std::map<const node*, flight_numbers> ends;
  std::set<std::uint64_t> last(before.begin(), before.end());
  for (const node* n : in_order(g)) {
    flight_numbers after = n->after.empty() ? before : flight_numbers();
    for (const dependency& d : n->after) after.insert(after.end(), ends[d.on].begin(), ends[d.on].end());
    for (const std::uint64_t one : after) last.erase(one);
    if (const auto* const child = std::get_if<child_graph>(&n->what)) {
      ends[n] = spread(s, *child->what, on, after);
    } else {
      const std::uint64_t number = s.flying.next++;
      if (const auto* const r = std::get_if<recording>(&n->what)) r->what->awaited = number;
      if (const auto* const w = std::get_if<waiting>(&n->what); w != nullptr && is_busy(s, *w->what))
        after.push_back(w->what->awaited);
      s.flying.all.push_back({.number = number,
                              .stream = s.next_id++,
                              .facts = on,
                              .kind = stream_kind::non_blocking,
                              .what = n->enabled ? n->what : operation(),
                              .after = std::move(after),
                              .issued = s.clock.host(),
                              .in_graph = true});
      ends[n] = {number};
    }
    last.insert(ends[n].begin(), ends[n].end());
  }
  return {last.begin(), last.end()};
}

// Adds an operation after the pending work of the stream. A graph may become several operations. Returns the number of
// the last operation.
std::uint64_t add_to_flight(state& s, const stream& on, operation o) {
  const auto mark = [&](operation what, flight_numbers after) {
    const std::uint64_t number = s.flying.next++;
    s.flying.all.push_back({.number = number,
                            .stream = on.id,
                            .facts = facts_of(on),
                            .kind = kind_of(s, on),
                            .what = std::move(what),
                            .after = std::move(after),
                            .issued = s.clock.host()});
    return number;
  };
  if (const graph* const g = spread_graph(o)) {
    const std::uint64_t first = mark({}, {});
    return mark({}, spread(s, *g, facts_of(on), {first}));
  }
  auto* const r = std::get_if<recording>(&o);
  event* const recorded = r != nullptr ? r->what : nullptr;
  const std::uint64_t number = mark(std::move(o), {});
  if (recorded != nullptr) recorded->awaited = number;
  return number;
}

bool is_launch(const operation& o) {
  return std::holds_alternative<call>(o) || std::holds_alternative<library_call>(o);
}

// Returns the nanoseconds of the host for a launch. A call of a library launches a kernel for each pass, and chooses the
// kernels of a product first.
double cost_of_launch(const operation& o) {
  const auto* const c = std::get_if<library_call>(&o);
  if (c == nullptr) {
    const auto* const launch = std::get_if<call>(&o);
    return launch != nullptr && launch->begins_early ? costs.call_early_launch : costs.call_launch;
  }
  return c->work.products > 0 ? costs.call_product : costs.call_launch * std::max(1.0, c->work.passes);
}

// Returns the nanoseconds of the host for the call that begins the operation, which is not a launch.
double cost_of_call(const state& s, const operation& o) {
  if (std::holds_alternative<child_graph>(o)) return costs.call_graph;
  if (std::holds_alternative<recording>(o)) return costs.call_record;
  if (const auto* const c = std::get_if<copy>(&o)) return cost_of_call(s, *c);
  if (const auto* const f = std::get_if<fill>(&o)) return cost_of_call(s, *f);
  return costs.call_other;
}

// Returns the name of the call on the timeline, such as "copy".
const char* name_of_call(const operation& o) {
  if (std::holds_alternative<call>(o)) return "launch";
  if (std::holds_alternative<library_call>(o)) return "library";
  if (std::holds_alternative<child_graph>(o)) return "launch a graph";
  if (std::holds_alternative<recording>(o)) return "record an event";
  if (std::holds_alternative<copy>(o)) return "copy";
  if (std::holds_alternative<fill>(o)) return "memset";
  return "call";
}

}  // namespace

stream_kind kind_of(const state& s, const stream& on) {
  constexpr unsigned non_blocking = 1;
  return &on == &s.default_stream         ? stream_kind::legacy_default
         : (on.flags & non_blocking) != 0 ? stream_kind::non_blocking
                                          : stream_kind::blocking;
}

error begin(state& s, stream& on, operation o) {
  if (has_small_stack()) return run_with_room(s, [&] { return begin(s, on, std::move(o)); });
  if (auto* const c = std::get_if<call>(&o)) note_first_use(s, *c->what);
  if (is_launch(o))
    s.clock.call_launch(name_of_call(o), cost_of_launch(o));
  else
    s.clock.call(cost_of_call(s, o), name_of_call(o),
                 std::holds_alternative<child_graph>(o) ? timeline_kind::launch : timeline_kind::call);
  if (s.flying.all.empty() && !may_wait(s, o) && !is_ending()) {
    s.clock.enter(on.id, kind_of(s, on), s.clock.host(), facts_of(on));
    the_operation_races().enter(s, on.id, kind_of(s, on));
    return perform(s, o);
  }
  error result = cudaSuccess;
  const std::uint64_t first = s.flying.next, number = add_to_flight(s, on, std::move(o));
  const auto tell = [&](error* where) {
    for (in_flight& one : s.flying.all)
      if (one.number >= first && one.number <= number) one.told = where;
  };
  tell(&result);
  go_on(s);
  in_flight* const f = find(s, number);
  if (f == nullptr) return result;
  begin_polling(s);
  const bool waits = f->parked == nullptr && ends_at_call(s, f->what);
  if (waits) finish_while(s, [&] { return is_there(s, number); });
  tell(nullptr);
  if (in_flight* const left = find(s, number)) {
    if (left->parked == nullptr) take_bytes(s, *left);
  }
  return waits && result == cudaSuccess ? s.sticky : result;
}

void begin_wait(state& s, stream& on, const event& e) {
  s.clock.call(costs.call_other, "wait for an event");
  if (is_busy(s, e)) {
    s.flying.all.push_back({.number = s.flying.next++,
                            .stream = on.id,
                            .facts = facts_of(on),
                            .kind = kind_of(s, on),
                            .after = {e.awaited},
                            .issued = s.clock.host()});
  } else if (e.recorded) {
    s.clock.enter(on.id, kind_of(s, on), s.clock.host(), facts_of(on));
    s.clock.wait(e.at);
    the_operation_races().wait(on.id, kind_of(s, on), e);
  }
}

void begin_prefetch(state& s, stream& on, std::uint64_t address, std::uint64_t bytes, bool to_device) {
  s.clock.call(costs.call_prefetch, "prefetch");
  s.clock.enter(on.id, kind_of(s, on), s.clock.host(), facts_of(on));
  add_prefetch(s, address, bytes, to_device);
}

bool go_on(state& s) {
  bool moved = false;
  if (s.process != ::getpid()) return false;
  for (auto f = s.flying.all.begin(); f != s.flying.all.end();) {
    if (f->runs || s.sticky != cudaSuccess || is_blocked(s, *f)) {
      ++f;
      continue;
    }
    error result = cudaSuccess;
    const bool ended = advance(s, *f, result);
    moved |= ended || (f->parked != nullptr && f->parked->take_changed());
    if (!ended) {
      ++f;
      continue;
    }
    if (f->told != nullptr)
      *f->told = *f->told != cudaSuccess ? *f->told : result;
    else if (result != cudaSuccess && s.sticky == cudaSuccess)
      s.sticky = result;  // the call has already returned, so the next call of the program returns the error
    const moment end = s.clock.end_of(f->stream);
    for (in_flight& other : s.flying.all)
      if (std::find(other.after.begin(), other.after.end(), f->number) != other.after.end())
        other.begins = later(other.begins, end);
    if (f->in_graph) s.clock.forget(f->stream);
    f = s.flying.all.erase(f);
  }
  return moved;
}

bool is_busy(const state& s, const stream& on) {
  return std::any_of(s.flying.all.begin(), s.flying.all.end(),
                     [&](const in_flight& f) { return in_order(on.id, kind_of(s, on), f); });
}
bool is_busy(const state& s, const event& e) { return e.awaited != 0 && is_there(s, e.awaited); }

error finish(state& s, const stream& on) {
  // Only waits for operations that are in the stream now, not for operations that other threads add later.
  const std::uint64_t next = s.flying.next, id = on.id;
  const stream_kind kind = kind_of(s, on);
  const error e = finish_while(s, [&, next, id, kind] {
    return std::any_of(s.flying.all.begin(), s.flying.all.end(),
                       [&](const in_flight& f) { return f.number < next && in_order(id, kind, f); });
  });
  s.clock.await(s.clock.end_of(id));
  the_operation_races().await(s, id, kind);
  return e;
}
error finish(state& s, const event& e) {
  const std::uint64_t number = e.awaited;
  const error result = finish_while(s, [&, number] { return is_there(s, number); });
  s.clock.await(e.at);
  the_operation_races().await(s, e);
  return result;
}
error finish_all(state& s) {
  const std::uint64_t next = s.flying.next;
  const error e = finish_while(s, [&, next] { return !s.flying.all.empty() && s.flying.all.front().number < next; });
  s.clock.await(s.clock.end());
  the_operation_races().await_all(s);
  return e;
}

void forget(state& s, const event& e) {
  the_operation_races().forget(e);
  for (in_flight& f : s.flying.all)
    if (auto* const r = std::get_if<recording>(&f.what); r != nullptr && r->what == &e) f.what = std::monostate{};
}

void stop_all(state& s) {
  if (s.process != ::getpid()) return;
  go_on(s);
  for (in_flight& f : s.flying.all) {
    if (f.parked == nullptr || f.runs) continue;
    f.parked->give_up();
    while (!f.parked->go_on()) {
    }
    --s.parked;
  }
  std::erase_if(s.flying.all, [](const in_flight& f) { return !f.runs; });
}

}  // namespace bankwise::cuda
