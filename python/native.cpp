// The functions that the Python package calls in its own process: the questions of src/wasm/explorer.cpp, a table of
// accesses in memory, and an assertion about one access. They are C functions with numbers and bytes as parameters, so
// that one library works with every Python version.
//
//     bw_predict("ld.b32", "sm_90", addresses, 8, rows, nullptr, 0xffffffff, columns)
//         addresses   rows x 32 integers of 4 or 8 bytes; a negative address disables the lane
//         columns     wavefronts, ideal, reachable, passes, cycles: each has room for a number for each row
//     bw_expect("ld.b32", "sm_90", addresses, mask, 1)      returns 0 if the access takes 1 wavefront
//                                                           returns 1 if it does not; bw_said() is the reason
//                                                           returns -1 after an error; bw_said() is the error as JSON
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

#include "bankwise/testing_text.hpp"
#include "bankwise/wavefronts.hpp"
#include "base/setting.hpp"
#include "expr/names/machine_names.hpp"
#include "expr/names/operation_names.hpp"
#include "report/json/diagnostic_json.hpp"

namespace bankwise {
namespace {

thread_local std::string said;

// Initialised before the first question, so that messages contain the names of Python's arguments.
[[maybe_unused]] const bool speaks_python = (speak(wording::python), true);

int fail(const diagnostic& d) {
  said = json_value(d).dump();
  return -1;
}

struct asked {
  named_operation op;
  machine on;
};

result<asked> read_asked(const char* op, const char* arch) {
  auto operation = parse_operation(op);
  if (!operation) return about("op", operation.error());
  auto on = parse_machine(arch);
  if (!on) return about("arch", on.error());
  if (auto missing = unsupported(*on, operation->op)) return about("arch", *missing);
  return asked{std::move(*operation), std::move(*on)};
}

diagnostic misaligned(std::uint64_t row, u32 lane, const access& a, const std::string& spelling) {
  return {"row " + std::to_string(row) + ", lane " + std::to_string(lane) + ": byte address " +
              std::to_string(a.address[lane]) + " is not a multiple of " + std::to_string(a.op.width_bytes) +
              ", the width of " + spelling,
          {},
          "the hardware faults on such an address. Addresses are in bytes",
          "addresses"};
}

// The minimum number of rows for a thread. A row takes about 100 ns.
constexpr std::uint64_t rows_a_thread = 1 << 13;

struct table {
  const unsigned char* rows;
  std::uint64_t count;
  const std::uint32_t* masks;  // one mask for each row, or null
  u32 mask;
  std::uint32_t* const* columns;
};

// Computes the costs of rows, beginning with `row`. Returns the first row with a misaligned lane, or `end`. Stores the
// last access in `a`.
template <class Integer>
std::uint64_t judge(const table& t, const bank_model& m, std::uint64_t row, std::uint64_t end, access& a) {
  Integer lanes[lanes_per_warp];
  for (; row < end; ++row) {
    std::memcpy(lanes, t.rows + row * sizeof lanes, sizeof lanes);
    a.mask = t.masks == nullptr ? t.mask : t.masks[row];
    Integer bits = 0;
    for (u32 i = 0; i < lanes_per_warp; ++i) {
      a.address[i] = static_cast<u32>(lanes[i]);
      bits |= lanes[i];
    }
    if constexpr (std::is_signed_v<Integer>)
      if (bits < 0)
        for (u32 i = 0; i < lanes_per_warp; ++i) a.mask &= ~(static_cast<u32>(lanes[i] < 0) << i);
    // Widths are powers of two. If no address has a bit below the width, no lane is misaligned.
    if ((static_cast<u32>(bits) & (a.op.width_bytes - 1u)) != 0 && first_misaligned_lane(a) < lanes_per_warp)
      return row;
    const cost c = analyze(a, m);
    const u32 numbers[] = {c.wavefronts, c.ideal, c.reachable, c.passes, c.cycles};
    for (u32 i = 0; i < 5; ++i) t.columns[i][row] = numbers[i];
  }
  return end;
}

using judging = std::uint64_t (*)(const table&, const bank_model&, std::uint64_t, std::uint64_t, access&);

// Computes the costs of all rows. A large table is divided among threads.
std::uint64_t judge_all(const table& t, const bank_model& m, judging judge_part, access& a) {
  const std::uint64_t parts =
      std::clamp<std::uint64_t>(t.count / rows_a_thread, 1, std::max(1U, std::thread::hardware_concurrency()));
  struct part {
    std::uint64_t begin, end, bad;
    access last;
  };
  std::vector<part> all;
  for (std::uint64_t i = 0; i < parts; ++i) all.push_back({t.count * i / parts, t.count * (i + 1) / parts, 0, a});
  const auto work = [&](part& p) { p.bad = judge_part(t, m, p.begin, p.end, p.last); };
  std::vector<std::jthread> others;
  for (std::uint64_t i = 1; i < parts; ++i) try {
      others.emplace_back(work, std::ref(all[i]));
    } catch (const std::system_error&) {  // the system cannot start more threads
      work(all[i]);
    }
  work(all[0]);
  others.clear();
  for (const part& p : all)
    if (p.bad != p.end) {
      a = p.last;
      return p.bad;
    }
  return t.count;
}

}  // namespace

extern "C" const char* bw_said() { return said.c_str(); }

// `kind` is the type of an address: 'i' and 'I' have 4 bytes, 'q' and 'Q' have 8 bytes. `masks` has a mask for each
// row, or is null.
extern "C" int bw_predict(const char* op, const char* arch, const void* addresses, char kind, std::uint64_t rows,
                          const std::uint32_t* masks, std::uint32_t mask, std::uint32_t* const* columns) {
  const auto q = read_asked(op, arch);
  if (!q) return fail(q.error());
  const table t = {static_cast<const unsigned char*>(addresses), rows, masks, mask, columns};
  access a{q->op.op, 0, {}};
  const bank_model& m = q->on.model;
  const judging judge_part = kind == 'i'   ? judge<std::int32_t>
                             : kind == 'I' ? judge<std::uint32_t>
                             : kind == 'q' ? judge<std::int64_t>
                                           : judge<std::uint64_t>;
  const std::uint64_t row = judge_all(t, m, judge_part, a);
  return row == rows ? 0 : fail(misaligned(row, first_misaligned_lane(a), a, q->op.spelling));
}

// If `expected` is -1, expects the fewest wavefronts that any placement of the same words takes.
extern "C" int bw_expect(const char* op, const char* arch, const std::uint32_t* addresses, std::uint32_t mask,
                         std::int64_t expected) {
  const auto q = read_asked(op, arch);
  if (!q) return fail(q.error());
  access a{q->op.op, mask, {}};
  std::memcpy(a.address, addresses, sizeof a.address);
  said =
      expected < 0 ? conflict_failure(a, q->on.model) : wavefronts_failure(a, static_cast<u32>(expected), q->on.model);
  return said.empty() ? 0 : 1;
}

}  // namespace bankwise
