#include "runtime/device/noted_calls.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "runtime/device/state.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_names = 64, most_written = 12;

struct status_name {
  int code;
  std::string_view name;
};
constexpr status_name runtime_names[] = {
#define ERROR(code, name, text) {code, #name},
#include "runtime/device/errors.def"
#undef ERROR
};
constexpr status_name driver_names[] = {
#define STATUS(code, name) {code, #name},
#include "runtime/driver/statuses.def"
#undef STATUS
};

template <std::size_t n>
std::string name_in(const status_name (&names)[n], int code) {
  const status_name* row = std::find_if(names, names + n, [&](const status_name& r) { return r.code == code; });
  return row == names + n ? formatted("error {}", code) : std::string(row->name);
}

}  // namespace

void note_call(state& s, const char* entry, int status) {
  if (!s.done.launches.empty()) return;
  std::string_view name = entry;
  while (name.starts_with('_')) name.remove_prefix(1);
  const bool of_runtime = name.starts_with("cuda"),
             of_driver = name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  if (!of_runtime && !of_driver) return;
  const auto known = std::find_if(s.calls.begin(), s.calls.end(), [&](const noted_call& c) { return c.name == name; });
  if (known == s.calls.end()) {
    if (s.calls.size() < most_names) s.calls.push_back({name, status});
  } else if (known->status == 0) {
    known->status = status;
  }
}

void write_noted_calls(const state& s) {
  const std::string file = formatted("{}.calls", s.report_file);
  if (!s.done.launches.empty()) {
    std::remove(file.c_str());
    return;
  }
  std::string text;
  for (std::size_t i = 0; i < s.calls.size() && i < most_written; ++i) {
    const noted_call& c = s.calls[i];
    text += (text.empty() ? "" : ", ") + std::string(c.name);
    if (c.status != 0)
      text += formatted(
          " ({})", c.name.starts_with("cuda") ? name_in(runtime_names, c.status) : name_in(driver_names, c.status));
  }
  if (s.calls.size() > most_written) text += " and others";
  if (std::FILE* out = std::fopen(file.c_str(), "wb")) {
    std::fwrite(text.data(), 1, text.size(), out);
    std::fclose(out);
  }
}

}  // namespace bankwise::cuda
