// NCCL with one rank. A collective operation of one rank is a copy, in the order of its stream.
#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/float_bits.hpp"
#include "base/format.hpp"
#include "runtime/cudart/runtime_call.hpp"
#include "runtime/device/per_thread.hpp"
#include "runtime/library_call.hpp"
#include "runtime/memory/allocation.hpp"
#include "runtime/stream/ordered_memory.hpp"

using bankwise::cuda::memory_range;
using bankwise::cuda::stream;

struct unique_id {
  char bytes[128];
};
struct nccl_config;
struct nccl_window;
// A communicator. The program's handle is its address.
struct nccl_communicator {
  struct operation {
    int type = 0;
    std::vector<std::byte> scalar;  // value of the scalar, copied from the host
    const void* on_device = nullptr;
  };
  // The operations that ncclRedOpCreatePreMulSum made, by number. A destroyed operation is null.
  std::vector<std::unique_ptr<operation>> operations;
  std::string last_error;
};

namespace {

enum nccl_result : int {
  success = 0,
  cuda_failed = 1,
  system_failed = 2,
  internal_failed = 3,
  invalid_argument = 4,
  invalid_usage = 5,
};
constexpr int version = 22809, built_in_operations = 5, types = 12, no_color = -1;

// Bytes of each type, by number: int8, uint8, int32, uint32, int64, uint64, half, float, double, bfloat16, e4m3, e5m2.
constexpr std::size_t type_bytes[types] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};

std::vector<nccl_communicator*>& all_communicators() {  // the state's lock protects this list
  static auto* const all = new std::vector<nccl_communicator*>;
  return *all;
}
bool is_communicator(const nccl_communicator* c) {
  const std::lock_guard lock(bankwise::cuda::the_state().mutex);
  const auto& all = all_communicators();
  return std::find(all.begin(), all.end(), c) != all.end();
}

int refuse(nccl_communicator* c, int result, const std::string& why) {
  bankwise::cuda::say(why);
  if (c != nullptr) c->last_error = why;
  return result;
}

// --- groups: the calls between ncclGroupStart and ncclGroupEnd run at ncclGroupEnd

struct message {
  nccl_communicator* with;
  const void* from;
  void* to;
  std::uint64_t bytes;
  stream* on;
};
struct group {
  int depth = 0;
  std::vector<std::function<int()>> calls;
  std::vector<message> sent, received;  // messages that the rank sends to itself
};
group& own_group() {
  static auto* const all = new bankwise::cuda::per_thread<group>;
  return all->get();
}

int in_group(std::function<int()> call) {
  group& g = own_group();
  if (g.depth == 0) return call();
  g.calls.push_back(std::move(call));
  return success;
}

// --- operations that move data

using view = bankwise::cuda::device_view;

template <class T>
void multiply(std::byte* to, const std::byte* from, std::size_t count, const std::byte* scalar) {
  T by;
  std::memcpy(&by, scalar, sizeof by);
  for (std::size_t i = 0; i < count; ++i) {
    T x;
    std::memcpy(&x, from + i * sizeof x, sizeof x);
    x = static_cast<T>(x * by);
    std::memcpy(to + i * sizeof x, &x, sizeof x);
  }
}
// Multiplies the numbers as floats, and rounds each product once.
template <class T>
void multiply(std::byte* to, const std::byte* from, std::size_t count, const std::byte* scalar, float (*wide)(T),
              T (*narrow)(double)) {
  T by;
  std::memcpy(&by, scalar, sizeof by);
  for (std::size_t i = 0; i < count; ++i) {
    T x;
    std::memcpy(&x, from + i * sizeof x, sizeof x);
    x = narrow(double{wide(x)} * wide(by));
    std::memcpy(to + i * sizeof x, &x, sizeof x);
  }
}
void multiply(int type, std::byte* to, const std::byte* from, std::size_t count, const std::byte* scalar) {
  using namespace bankwise;
  const auto of_half = [](double d) { return half_of_double(d); };
  const auto of_bfloat16 = [](double d) { return bfloat16_of_double(d); };
  const auto of_e4m3 = [](double d) {
    return static_cast<std::uint8_t>(narrow_double(d, 4, 3, rounding::nearest_even));
  };
  const auto of_e5m2 = [](double d) {
    return static_cast<std::uint8_t>(narrow_double(d, 5, 2, rounding::nearest_even));
  };
  switch (type) {
    case 0:
    case 1: return multiply<std::uint8_t>(to, from, count, scalar);
    case 2:
    case 3: return multiply<std::uint32_t>(to, from, count, scalar);
    case 4:
    case 5: return multiply<std::uint64_t>(to, from, count, scalar);
    case 6: return multiply<std::uint16_t>(to, from, count, scalar, float_of_half, of_half);
    case 7: return multiply<float>(to, from, count, scalar);
    case 8: return multiply<double>(to, from, count, scalar);
    case 9: return multiply<std::uint16_t>(to, from, count, scalar, float_of_bfloat16, of_bfloat16);
    case 10: return multiply<std::uint8_t>(to, from, count, scalar, float_of_e4m3, of_e4m3);
    default: return multiply<std::uint8_t>(to, from, count, scalar, float_of_e5m2, of_e5m2);
  }
}

int result_of(bankwise::cuda::error e) {
  using namespace bankwise::cuda;
  return e == cudaSuccess ? success : e == cudaErrorInvalidValue ? invalid_argument : cuda_failed;
}
int result_of(bankwise::cuda::outcome o) {
  using bankwise::cuda::outcome;
  return o == outcome::done ? success : o == outcome::invalid ? invalid_argument : cuda_failed;
}

template <class Body>
int in_state(Body body) {
  bankwise::cuda::state& s = bankwise::cuda::the_state();
  const std::lock_guard lock(s.mutex);
  return result_of(bankwise::cuda::answer_of(s, body));
}

memory_range range(const void* p, std::uint64_t bytes) { return {reinterpret_cast<std::uint64_t>(p), bytes}; }

bankwise::cuda::library_call call_on(const char* name, const void* from, void* to, std::uint64_t bytes) {
  bankwise::cuda::library_call c;
  c.name = name;
  c.computed_by = "bankwise";
  c.reads = {range(from, bytes)};
  c.writes = {range(to, bytes)};
  return c;
}

int move(const char* name, const void* from, void* to, std::uint64_t bytes, stream* on) {
  if (bytes == 0) return success;
  bankwise::cuda::library_call c = call_on(name, from, to, bytes);
  c.compute = [=](const view& v) {
    const std::byte* const source = v(reinterpret_cast<std::uint64_t>(from), bytes);
    std::byte* const target = v(reinterpret_cast<std::uint64_t>(to), bytes);
    if (source != nullptr && target != nullptr) std::memmove(target, source, bytes);
  };
  return result_of(bankwise::cuda::call_library(on, std::move(c)));
}

// A reduction over one rank: copies the numbers, or multiplies them by a scalar.
int reduce(const char* name, const void* from, void* to, std::size_t count, int type, int operation,
           nccl_communicator* with, stream* on) {
  if (operation < built_in_operations) return move(name, from, to, count * type_bytes[type], on);
  const auto& made = with->operations[static_cast<std::size_t>(operation - built_in_operations)];
  if (made->type != type)
    return refuse(with, invalid_argument,
                  bankwise::formatted("{}: the operation was created for a different data type", name));
  const std::uint64_t bytes = count * type_bytes[type];
  if (bytes == 0) return success;
  bankwise::cuda::library_call c = call_on(name, from, to, bytes);
  if (made->on_device != nullptr) c.reads.push_back(range(made->on_device, type_bytes[type]));
  c.compute = [=, scalar = made->scalar, on_device = made->on_device](const view& v) {
    const std::byte* const source = v(reinterpret_cast<std::uint64_t>(from), bytes);
    std::byte* const target = v(reinterpret_cast<std::uint64_t>(to), bytes);
    const std::byte* const by =
        on_device != nullptr ? v(reinterpret_cast<std::uint64_t>(on_device), type_bytes[type]) : scalar.data();
    if (source != nullptr && target != nullptr && by != nullptr) multiply(type, target, source, count, by);
  };
  return result_of(bankwise::cuda::call_library(on, std::move(c)));
}

struct collective {
  const char* name;
  nccl_communicator* with;
  const void* from;
  void* to;
  std::size_t count;
  int type;
  int root = 0;
  int operation = 0;
};
int check(const collective& c) {
  const auto wrong = [&](const std::string& why) {
    return refuse(is_communicator(c.with) ? c.with : nullptr, invalid_argument,
                  bankwise::formatted("{}: {}", c.name, why));
  };
  if (!is_communicator(c.with)) return wrong("the communicator is not valid");
  if (c.type < 0 || c.type >= types) return wrong(bankwise::formatted("the data type {} is not known", c.type));
  if (c.root != 0) return wrong(bankwise::formatted("rank {} does not exist in a communicator of one rank", c.root));
  const auto made = static_cast<std::size_t>(c.operation - built_in_operations);
  if (c.operation < 0 || (c.operation >= built_in_operations &&
                          (made >= c.with->operations.size() || c.with->operations[made] == nullptr)))
    return wrong(bankwise::formatted("the operation {} is not known", c.operation));
  if (c.count > ULLONG_MAX / 8) return wrong("there are too many elements");
  if (c.count != 0 && (c.from == nullptr || c.to == nullptr)) return wrong("a buffer is null");
  return success;
}
int run(const collective& c, stream* on) {
  if (const int wrong = check(c); wrong != success) return wrong;
  return in_group([=] { return reduce(c.name, c.from, c.to, c.count, c.type, c.operation, c.with, on); });
}

int make_communicator(nccl_communicator** made, int ranks, int rank) {
  if (made == nullptr) return invalid_argument;
  *made = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) return invalid_argument;
  if (ranks != 1)
    return refuse(nullptr, invalid_usage,
                  bankwise::formatted(
                      "NCCL: a communicator of {} ranks is not supported, because the emulated machine has one GPU, "
                      "and each process runs separately. Start the program with one rank (torchrun --nproc-per-node "
                      "1, WORLD_SIZE=1)",
                      ranks));
  bankwise::cuda::state& s = bankwise::cuda::the_state();
  const std::lock_guard lock(s.mutex);
  all_communicators().push_back(*made = new nccl_communicator);
  return success;
}
// Deletes a communicator. Its handle is invalid after this call.
int end_communicator(nccl_communicator* c) {
  if (c == nullptr) return success;
  const std::lock_guard lock(bankwise::cuda::the_state().mutex);
  if (std::erase(all_communicators(), c) == 0) return invalid_argument;
  delete c;
  return success;
}

int with_communicator(nccl_communicator* c, int* to, int value) {
  if (!is_communicator(c) || to == nullptr) return invalid_argument;
  *to = value;
  return success;
}

// Copies each message that the rank sends to itself to the buffer of the matching ncclRecv.
int deliver(group& g) {
  int result = success;
  for (const message& m : g.sent) {
    const auto to =
        std::find_if(g.received.begin(), g.received.end(), [&](const message& other) { return other.with == m.with; });
    if (to == g.received.end() || to->bytes < m.bytes) {
      result = refuse(
          m.with, invalid_usage,
          bankwise::formatted(
              "ncclSend sends {} bytes to its own rank, but no ncclRecv in the same group receives them", m.bytes));
      continue;
    }
    // The receiving stream need not wait for the sending stream, because all earlier work of both streams is done.
    if (const int e = move("ncclSend", m.from, to->to, m.bytes, to->on); e != success) result = e;
    g.received.erase(to);
  }
  if (!g.received.empty())
    result = refuse(g.received.front().with, invalid_usage,
                    "ncclRecv receives from its own rank, but no ncclSend in the same group sends the data");
  g.sent.clear();
  g.received.clear();
  return result;
}

int pass_message(const char* name, const void* from, void* to, std::size_t count, int type, int peer,
                 nccl_communicator* with, stream* on, bool sends) {
  const void* const any = sends ? from : to;
  if (const int wrong = check({name, with, any, const_cast<void*>(any), count, type, peer}); wrong != success)
    return wrong;
  group& g = own_group();
  (sends ? g.sent : g.received).push_back({with, from, to, count * type_bytes[type], on});
  return g.depth != 0 ? success : deliver(g);
}

// --- bodies of entry points

const char* words_of(int result) {
  static constexpr const char* words[] = {"no error",
                                          "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
                                          "unhandled system error (run with NCCL_DEBUG=INFO for details)",
                                          "internal error - please report this issue to the NCCL developers",
                                          "invalid argument (run with NCCL_DEBUG=WARN for details)",
                                          "invalid usage (run with NCCL_DEBUG=WARN for details)",
                                          "remote process exited or there was a network error",
                                          "NCCL operation in progress"};
  return result >= 0 && result < 8 ? words[result] : "unknown result code";
}
int tell_version(int* to) {
  if (to == nullptr) return invalid_argument;
  *to = version;
  return success;
}
int make_id(unique_id* to) {
  if (to == nullptr) return invalid_argument;
  *to = {};
  std::strcpy(to->bytes, "bankwise: one rank");
  return success;
}
int make_for_all(nccl_communicator** made, int devices, const int* which) {
  if (made == nullptr || devices < 1 || (devices == 1 && which != nullptr && which[0] != 0)) return invalid_argument;
  return make_communicator(made, devices, 0);
}
int split(nccl_communicator* c, int color, nccl_communicator** made) {
  if (!is_communicator(c) || made == nullptr || color < no_color) return invalid_argument;
  *made = nullptr;
  return color == no_color ? success : make_communicator(made, 1, 0);
}
int shrink(nccl_communicator* c, nccl_communicator** made) {
  return is_communicator(c) && made != nullptr
             ? refuse(c, invalid_argument, "ncclCommShrink: a communicator of one rank cannot shrink")
             : invalid_argument;
}
int tell_fault(nccl_communicator* c, int* to) {
  bankwise::cuda::state& s = bankwise::cuda::the_state();
  const std::lock_guard lock(s.mutex);
  return with_communicator(c, to, s.sticky == bankwise::cuda::cudaSuccess ? success : cuda_failed);
}
int allocate(void** pointer, std::size_t bytes) {
  if (pointer == nullptr || bytes == 0) return invalid_argument;
  using namespace bankwise::cuda;
  return in_state([&](state& s) { return allocate_on_device(s, pointer, bytes); });
}
int release_memory(void* pointer) {
  using namespace bankwise::cuda;
  return in_state([&](state& s) { return release_when_idle(s, pointer, false); });
}
int register_buffer(nccl_communicator* c, void* buffer, void** handle) {
  if (!is_communicator(c) || handle == nullptr || buffer == nullptr) return invalid_argument;
  *handle = buffer;
  return success;
}
int register_window(nccl_communicator* c, void* buffer, nccl_window** window) {
  if (!is_communicator(c) || window == nullptr || buffer == nullptr) return invalid_argument;
  *window = reinterpret_cast<nccl_window*>(buffer);
  return success;
}
int make_operation(int* made, void* scalar, int type, int residence, nccl_communicator* c) {
  constexpr int on_host = 1;
  if (!is_communicator(c) || made == nullptr || scalar == nullptr || type < 0 || type >= types || residence < 0 ||
      residence > on_host)
    return invalid_argument;
  auto one = std::make_unique<nccl_communicator::operation>();
  one->type = type;
  if (residence == on_host)
    one->scalar.assign(static_cast<const std::byte*>(scalar), static_cast<const std::byte*>(scalar) + type_bytes[type]);
  else
    one->on_device = scalar;
  c->operations.push_back(std::move(one));
  *made = built_in_operations + static_cast<int>(c->operations.size()) - 1;
  return success;
}
int destroy_operation(int operation, nccl_communicator* c) {
  const auto n = static_cast<std::size_t>(operation - built_in_operations);
  if (!is_communicator(c) || operation < built_in_operations || n >= c->operations.size() || !c->operations[n])
    return invalid_argument;
  // If a group is open, its calls have not run yet. These calls may use the operation, so the operation is not deleted.
  if (own_group().depth == 0) c->operations[n].reset();
  return success;
}
int start_group() {
  ++own_group().depth;
  return success;
}
int end_group() {
  group& g = own_group();
  if (g.depth == 0) return refuse(nullptr, invalid_usage, "ncclGroupEnd: no group has been started");
  if (--g.depth != 0) return success;
  const std::vector<std::function<int()>> calls = std::move(g.calls);
  g.calls.clear();
  int result = success;
  for (const auto& call : calls)
    if (const int e = call(); e != success) result = e;
  if (const int e = deliver(g); e != success) result = e;
  return result;
}

}  // namespace

// Each function has a second name that begins with p. A profiler can define the first name and call the second.
#define TYPED(type, name, parameters, ...)              \
  CUDA_API type name parameters { return __VA_ARGS__; } \
  CUDA_API __attribute__((alias(#name))) type p##name parameters; /* NOLINT: a name of NCCL */
#define ENTRY(name, parameters, ...) TYPED(int, name, parameters, __VA_ARGS__)
#include "runtime/management/nccl_entries.def"
