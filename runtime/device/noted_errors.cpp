#include "runtime/device/noted_errors.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "base/format.hpp"
#include "runtime/device/call_sites.hpp"
#include "runtime/device/result_use.hpp"
#include "runtime/device/state.hpp"

namespace bankwise::cuda {

namespace {

constexpr std::size_t most_errors = 64, most_unseen = 4096;

struct status_row {
  int code;
  std::string_view name;
};
constexpr status_row runtime_statuses[] = {
#define ERROR(code, name, text) {code, #name},
#include "runtime/device/errors.def"
#undef ERROR
};
constexpr status_row driver_statuses[] = {
#define STATUS(code, name) {code, #name},
#include "runtime/device/statuses.def"
#undef STATUS
};

template <std::size_t n>
std::string name_in(const status_row (&rows)[n], int code) {
  const status_row* row = std::find_if(rows, rows + n, [&](const status_row& r) { return r.code == code; });
  return row == rows + n ? formatted("error {}", code) : std::string(row->name);
}

bool is_of_runtime(std::string_view function) { return function.starts_with("cuda"); }

// Statuses that answer a question, such as whether a stream has finished.
bool is_answer(int status) { return status == cudaErrorNotReady || status == cudaErrorPeerAccessAlreadyEnabled; }

bool same_launch(const std::optional<refused_launch>& a, const std::optional<refused_launch>& b) {
  if (!a || !b) return !a && !b;
  return a->kernel == b->kernel && a->grid == b->grid && a->block == b->block &&
         a->dynamic_shared_bytes == b->dynamic_shared_bytes && a->why == b->why;
}

// Whether the runtime's function called the driver's function, which has just noted the same error.
bool is_noted_by_driver(const noted_errors& e, std::string_view function, int status,
                        const std::vector<std::uint64_t>& sites, long thread) {
  return !e.all.empty() && e.last_thread == thread && is_of_runtime(function) &&
         !is_of_runtime(e.all.back().function) && e.all.back().status == status && e.all.back().sites == sites;
}

void find_trail(noted_error& e) {
  if (!e.has_trail)
    e.trail = names_of_calls(e.launch ? "launched in " : "called in ", e.sites, e.launch ? e.launch->kernel : "");
  e.has_trail = true;
}

}  // namespace

std::string name_of_status(std::string_view function, int status) {
  return is_of_runtime(function) ? name_in(runtime_statuses, status) : name_in(driver_statuses, status);
}

void note_error(state& s, std::string_view function, int status) {
  noted_errors& e = s.errors;
  const std::optional<refused_launch> refused = std::exchange(e.refused, std::nullopt);
  // A fault of a kernel ends the program's work, and the report tells about it in another place.
  if (is_answer(status) || s.sticky != cudaSuccess) return;
  const std::vector<std::uint64_t> sites = call_sites();
  const long thread = ::syscall(SYS_gettid);
  if (!refused && is_noted_by_driver(e, function, status, sites, thread)) {
    e.all.back().function = function;
    return;
  }
  e.last_thread = thread;
  auto it = std::find_if(e.all.begin(), e.all.end(), [&](const noted_error& n) {
    return n.function == function && n.status == status && n.sites == sites && same_launch(n.launch, refused);
  });
  if (it == e.all.end()) {
    if (e.all.size() == most_errors) return;
    e.all.push_back({std::string(function), status, sites, 0, 0, refused, {}, false});
    it = e.all.end() - 1;
  }
  ++it->calls;
  if (!(refused && refused->by_arrows) && uses_result(sites)) return;
  ++it->unseen;
  if (e.unseen.size() < most_unseen) e.unseen.emplace_back(static_cast<std::size_t>(it - e.all.begin()), thread);
}

void see_errors(state& s, int status) {
  noted_errors& e = s.errors;
  if (e.unseen.empty()) return;
  const long thread = ::syscall(SYS_gettid);
  std::erase_if(e.unseen, [&](const auto& one) {
    noted_error& n = e.all[one.first];
    if (one.second != thread || (status != 0 && n.status != status)) return false;
    --n.unseen;
    return true;
  });
}

void report_errors(state& s) {
  s.done.refused.clear();
  s.done.ignored_errors.clear();
  for (noted_error& e : s.errors.all) {
    if (!e.launch && e.unseen == 0) continue;
    find_trail(e);
    const std::string name = name_of_status(e.function, e.status);
    if (e.launch)
      s.done.refused.push_back({e.launch->kernel, e.launch->grid, e.launch->block, e.launch->dynamic_shared_bytes, name,
                                e.launch->why, e.launch->hint, e.calls, e.launch->number, e.trail, e.unseen == 0});
    else
      s.done.ignored_errors.push_back({e.function, name, e.unseen, e.trail});
  }
}

}  // namespace bankwise::cuda
