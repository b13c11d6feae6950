#include "nvtx.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "environment.hpp"
#include "schedule.hpp"

namespace bankwise::record {

namespace {

// Set on first use. Never freed, because programs push ranges before they use CUDA and while they end.
constinit std::atomic<const std::string*> wanted{nullptr};

bool is_wanted(std::string_view name) {
  const std::string* const w = wanted.load(std::memory_order_acquire);
  return w != nullptr && !w->empty() && name == *w;
}

// The number of open ranges of this thread. Also a mask of the first 64 ranges: a bit is set if the range matches.
constinit thread_local unsigned depth = 0;
constinit thread_local std::uint64_t wanted_levels = 0;

int push(bool is_it) {
  const unsigned level = depth++;
  if (level < 64 && is_it) wanted_levels |= std::uint64_t{1} << level;
  return static_cast<int>(level);
}
int pop() {
  if (depth == 0) return -1;
  --depth;
  if (depth < 64) wanted_levels &= ~(std::uint64_t{1} << depth);
  return static_cast<int>(depth);
}

std::string utf8(const wchar_t* wide) {
  std::string s;
  const auto more = [&](char32_t c, unsigned shift) { s += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  for (; *wide != 0; ++wide) {
    const auto c = static_cast<char32_t>(*wide);  // NOLINT(bugprone-signed-char-misuse)
    if (c < 0x80) {
      s += static_cast<char>(c);
    } else if (c < 0x800) {
      s += static_cast<char>(0xc0 | c >> 6), more(c, 0);
    } else if (c < 0x10000) {
      s += static_cast<char>(0xe0 | c >> 12), more(c, 6), more(c, 0);
    } else {
      s += static_cast<char>(0xf0 | (c >> 18 & 7)), more(c, 12), more(c, 6), more(c, 0);
    }
  }
  return s;
}

// A text that the program registered. NVTX's handle is its address.
struct registered_text {
  bool is_wanted;
};
const void* keep(bool is_it) {
  static constexpr registered_text texts[] = {{false}, {true}};
  return &texts[is_it ? 1 : 0];
}

// Whether the message of an event matches. The offsets are valid for versions 1 to 3 of NVTX.
bool is_wanted_event(const void* attributes) {
  if (attributes == nullptr) return false;
  std::int32_t type = 0;
  const void* text = nullptr;
  std::memcpy(&type, static_cast<const char*>(attributes) + 32, sizeof type);
  std::memcpy(&text, static_cast<const char*>(attributes) + 40, sizeof text);
  if (text == nullptr) return false;
  switch (type) {
    case 1: return is_wanted(static_cast<const char*>(text));
    case 2: return is_wanted(utf8(static_cast<const wchar_t*>(text)));
    case 3: return text == keep(true);
    default: return false;
  }
}

int push_text(const char* name) { return push(name != nullptr && is_wanted(name)); }
int push_wide(const wchar_t* name) { return push(name != nullptr && is_wanted(utf8(name))); }
int push_event(const void* attributes) { return push(is_wanted_event(attributes)); }
int push_in_domain(void*, const void* attributes) { return push(is_wanted_event(attributes)); }
int pop_in_domain(void*) { return pop(); }
const void* register_text(void*, const char* name) { return keep(name != nullptr && is_wanted(name)); }
const void* register_wide(void*, const wchar_t* name) { return keep(name != nullptr && is_wanted(utf8(name))); }

// NVTX passes these tables to the library in NVTX_INJECTION64_PATH. An entry points to a function pointer of NVTX. The
// library can set this pointer to its own function.
struct callback_table {
  std::size_t bytes;
  int (*functions)(std::uint32_t module, void (***&table)(), unsigned& size);
};
constexpr std::uint32_t callbacks = 1, core = 1, core2 = 5;
struct replaced_function {
  std::uint32_t module;
  unsigned number;
  void (*by)();
};

template <class Function>
auto erased(Function* f) {
  return reinterpret_cast<void (*)()>(f);
}

}  // namespace

void set_nvtx_range(const std::string& name) {
  if (wanted.load(std::memory_order_acquire) != nullptr) return;
  const auto* const mine = new std::string(name);
  const std::string* none = nullptr;
  if (!wanted.compare_exchange_strong(none, mine, std::memory_order_acq_rel)) delete mine;
}
bool in_nvtx_range() {
  const std::string* const w = wanted.load(std::memory_order_acquire);
  return w == nullptr || w->empty() || wanted_levels != 0;
}

}  // namespace bankwise::record

// Each copy of NVTX in a program calls this function before its first range.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*export_table)(std::uint32_t)) {
  using namespace bankwise::record;
  if (const char* const line = std::getenv(schedule_variable))
    if (const auto options = parse_schedule(line)) set_nvtx_range(options->nvtx);
  const auto* const table = static_cast<const callback_table*>(export_table(callbacks));
  if (table == nullptr || table->bytes < sizeof *table) return 0;
  const replaced_function replaced[] = {
      {core, 8, erased(push_event)},      {core, 9, erased(push_text)},
      {core, 10, erased(push_wide)},      {core, 11, erased(pop)},
      {core2, 4, erased(push_in_domain)}, {core2, 5, erased(pop_in_domain)},
      {core2, 10, erased(register_text)}, {core2, 11, erased(register_wide)},
  };
  for (const replaced_function& f : replaced) {
    void (***functions)() = nullptr;
    unsigned size = 0;
    if (table->functions(f.module, functions, size) != 0 && functions != nullptr && f.number < size &&
        functions[f.number] != nullptr)
      *functions[f.number] = f.by;
  }
  return 1;
}
