#include "nvtx.hpp"

#include <cstdint>
#include <cstring>

namespace bankwise::record {

namespace {

// It outlives everything: ranges are pushed while a process ends, too.
const std::string& wanted(const std::string* set = nullptr) {
  static const std::string* const name = new std::string(set != nullptr ? *set : "");
  return *name;
}

// Of the ranges that this thread pushed: how many, and which of the first 64 are the wanted one.
thread_local unsigned depth = 0;
thread_local std::uint64_t wanted_levels = 0;

int push(const char* name) {
  const unsigned level = depth++;
  if (level < 64 && name != nullptr && wanted() == name) wanted_levels |= std::uint64_t{1} << level;
  return static_cast<int>(level);
}
int pop() {
  if (depth == 0) return -1;
  --depth;
  if (depth < 64) wanted_levels &= ~(std::uint64_t{1} << depth);
  return static_cast<int>(depth);
}

// The message of an event, where it is plain text: offsets of NVTX's versions 1 and 2.
const char* message_of(const void* attributes) {
  if (attributes == nullptr) return nullptr;
  std::int32_t type = 0;
  const char* text = nullptr;
  std::memcpy(&type, static_cast<const char*>(attributes) + 32, sizeof type);
  std::memcpy(&text, static_cast<const char*>(attributes) + 40, sizeof text);
  return type == 1 ? text : nullptr;
}

int push_text(const char* name) { return push(name); }
int push_event(const void* attributes) { return push(message_of(attributes)); }
int push_in_domain(void*, const void* attributes) { return push(message_of(attributes)); }
int pop_in_domain(void*) { return pop(); }

// What NVTX hands to a library that NVTX_INJECTION64_PATH names: tables of pointers to function pointers, by number.
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

}  // namespace

void set_nvtx_range(const std::string& name) { wanted(&name); }
bool in_nvtx_range() { return wanted().empty() || wanted_levels != 0; }

}  // namespace bankwise::record

extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(
    const void* (*export_table)(std::uint32_t)) {
  using namespace bankwise::record;
  const auto* const table = static_cast<const callback_table*>(export_table(callbacks));
  if (table == nullptr || table->bytes < sizeof *table) return 0;
  const replaced_function replaced[] = {
      {core, 8, reinterpret_cast<void (*)()>(push_event)},     {core, 9, reinterpret_cast<void (*)()>(push_text)},
      {core, 11, reinterpret_cast<void (*)()>(pop)},           {core2, 4, reinterpret_cast<void (*)()>(push_in_domain)},
      {core2, 5, reinterpret_cast<void (*)()>(pop_in_domain)},
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
