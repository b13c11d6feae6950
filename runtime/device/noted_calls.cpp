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

}  // namespace

void note_call(state& s, const char* entry, int status) {
  if (status == 0 && !s.done.launches.empty()) return;
  std::string_view name = entry;
  while (name.starts_with('_')) name.remove_prefix(1);
  const bool of_runtime = name.starts_with("cuda"),
             of_driver = name.starts_with("cu") && name[2] >= 'A' && name[2] <= 'Z';
  if (!of_runtime && !of_driver) return;
  if (status != 0) note_error(s, name, status);
  if (!s.done.launches.empty()) return;
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
      text += formatted(" ({})", name_of_status(c.name, c.status));
  }
  if (s.calls.size() > most_written) text += " and others";
  if (std::FILE* out = std::fopen(file.c_str(), "wb")) {
    std::fwrite(text.data(), 1, text.size(), out);
    std::fclose(out);
  }
}

}  // namespace bankwise::cuda
