#include "model/counts.hpp"

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

counts& counts::operator+=(const counts& other) {
#define COUNT(part, name, at_most, otherwise, when, column, meaning) name += other.name;
#include "model/counts.def"
  return *this;
}

totals& totals::operator+=(const counts& c) {
  for (const total_row& t : total_rows) this->*t.member += t.of(c);
  return *this;
}

retries& retries::operator+=(const retries& other) {
  for (const retry_row& r : retry_rows)
    this->*r.member =
        r.adds == retry_adds::summed ? this->*r.member + other.*r.member : std::max(this->*r.member, other.*r.member);
  return *this;
}

std::uint64_t scaled(std::uint64_t n, std::uint64_t whole, std::uint64_t part) {
  __extension__ using wide = unsigned __int128;
  return static_cast<std::uint64_t>((wide{n} * whole * 2 + part) / (wide{part} * 2));
}

void scale(counts& c, std::uint64_t whole, std::uint64_t part) {
  for (const count_row& r : count_rows)
    if (r.member != nullptr) c.*r.member = scaled(c.*r.member, whole, part);
}

void scale(whole_counts& c, std::uint64_t whole, std::uint64_t part) {
  for (const whole_row& w : whole_rows) c.*w.member = scaled(c.*w.member, whole, part);
}

// Scales the parts first, and then adds the scaled parts. The parts therefore add up to the total.
void scale(retries& r, std::uint64_t whole, std::uint64_t part) {
  std::uint64_t sum = 0;
  for (const retry_row& row : retry_rows)
    if (row.scales == retry_scales::scaled) sum += r.*row.member = scaled(r.*row.member, whole, part);
  for (const retry_row& row : retry_rows)
    if (row.scales == retry_scales::made_of)
      r.*row.member = sum;
    else if (row.scales == retry_scales::beside)
      r.*row.member = scaled(r.*row.member, whole, part);
}

std::string retries_sentence(const retries& r) {
  std::string s =
      formatted("{} rounds of a retry loop that warps entered {}{}", grouped(r.rounds), grouped(r.entries),
                r.entries == 1 ? " time" : formatted(" times, at most {} rounds each time", grouped(r.most)));
  const char* separator = ": ";
  const auto add = [&](std::uint64_t n, const char* why) {
    if (n == 0) return;
    s += separator + grouped(n) + why;
    separator = ", ";
  };
  add(r.queued, " because lanes queue for one word");
  add(r.conflicting, " because lanes want different words of one bank (another layout can avoid these rounds)");
  add(r.contended, " because other warps changed the word in the meantime (as predicted by a model)");
  return s;
}

}  // namespace bankwise
