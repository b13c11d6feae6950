#include "model/remedies.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cubin/architectures.hpp"

namespace bankwise {

namespace {

struct remedy_words {
  const char *name, *words;
};
// one row for each remedy_kind, in its order
constexpr remedy_words words_table[] = {
    {"combine", "if the lanes that update the same word are combined first in each warp"},
    {"copy_a_warp", "if each warp has its own copy of the words"},
    {"combine_and_copy_a_warp", "if the lanes are combined first, and each warp has its own copy of the words"},
    {"copy_a_lane", "if each lane has its own copy of the words, at word * 32 + lane"},
};

std::uint64_t most_shared_bytes() {
  std::uint64_t most = 0;
  for (const cubin::architecture& a : cubin::architectures())
    most = std::max<std::uint64_t>(most, a.one.shared_a_block_optin);
  return most;
}

}  // namespace

const char* name_of(remedy_kind k) { return words_table[static_cast<std::size_t>(k)].name; }
const char* words_of(remedy_kind k) { return words_table[static_cast<std::size_t>(k)].words; }

access combined(access a) {
  for (u32 left = a.mask; (left & (left - 1)) != 0; left &= left - 1) {
    u32 first = 0;
    while (!has_lane(left, first)) ++first;
    u32 same = 0;
    for (u32 i = first + 1; i < lanes_per_warp; ++i) same |= static_cast<u32>(a.address[i] == a.address[first]) << i;
    a.mask &= ~same;
    left &= ~same;
  }
  return a;
}

std::vector<remedy> remedies_of(const launch_report& l, const site& s) {
  const std::uint64_t warps =
      (std::uint64_t{l.block[0]} * l.block[1] * l.block[2] + lanes_per_warp - 1) / lanes_per_warp;
  const std::uint64_t a_warp = (warps - 1) * s.span_bytes, a_lane = (lanes_per_warp - 1) * s.span_bytes;
  std::vector<remedy> all;
  if (goes_round(s)) {
    const retries& r = s.again;
    if (r.combined == 0 || r.queued + r.contended == 0)
      // Either the report is old, or the lanes want different words of one bank. A layout can separate these words.
      return {};
    all.push_back({remedy_kind::combine, true, r.combined, r.combined + r.hindered, !r.locks, 0});
    // Copies do not help against a lock. The protected data would also need copies, and their size is unknown.
    if (!r.locks) {
      all.push_back({remedy_kind::copy_a_warp, true, r.rounds - r.contended, r.rounds - r.contended, true, a_warp});
      if (r.hindered != 0)
        all.push_back({remedy_kind::combine_and_copy_a_warp, true, r.combined, r.combined, true, a_warp});
      all.push_back({remedy_kind::copy_a_lane, true, r.entries, r.entries + r.lane_hindered, true, a_lane});
    }
  } else if (queued(s) != 0) {
    all.push_back({remedy_kind::combine, false, s.combined, s.combined, true, 0});
    all.push_back({remedy_kind::copy_a_lane, false, s.by_lane, s.by_lane, true, a_lane});
  }
  const std::uint64_t now = goes_round(s) ? s.again.rounds : s.wavefronts;
  const std::uint64_t has = l.static_shared_bytes + std::uint64_t{l.dynamic_shared_bytes};
  std::erase_if(all, [&](const remedy& one) {
    const bool copies = one.what != remedy_kind::combine;
    return one.least >= now || (copies && (s.span_bytes == 0 || has + one.further_bytes > most_shared_bytes()));
  });
  for (remedy& one : all) one.most = std::min(one.most, now);
  return all;
}

std::string cost_of(const remedy& one) {
  std::string text = !one.bounded            ? formatted("at least {}", grouped(one.least))
                     : one.least == one.most ? grouped(one.least)
                                             : formatted("{} to {}", grouped(one.least), grouped(one.most));
  const bool is_one = one.bounded && one.most == 1;
  text += is_one ? (one.of_rounds ? " round" : " wavefront") : formatted(" {}", unit_of(one));
  if (one.further_bytes != 0)
    text += formatted(", at the cost of {} more shared memory", count_of(one.further_bytes, "byte"));
  return text;
}

std::string remedies_sentence(const launch_report& l, const site& s) {
  std::string text;
  for (const remedy& one : remedies_of(l, s))
    text += formatted("{}{}: {}", text.empty() ? "" : "; ", words_of(one.what), cost_of(one));
  return text;
}

}  // namespace bankwise
