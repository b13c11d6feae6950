#include "profile/launch_watch.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

constexpr double long_seconds = 10;

}  // namespace

launch_watch::launch_watch(const emulate::launch& l, std::uint64_t number)
    : launch_(l),
      line_(formatted("{}{}  block", number == 0 ? "" : formatted("launch {}  ", grouped(number)),
                      l.kernel->name.substr(0, 24))),
      told_(l.cooperative || l.most_blocks != 0 || l.time) {}

void launch_watch::update(const emulate::launch_progress& p) {
  const auto [done, total, instructions] = p;
  const double seconds = std::max(line_.seconds(), 1e-3);
  line_.update(done, total,
               formatted("{} M warp instructions/s", fixed(static_cast<double>(instructions) / seconds * 1e-6, 1)));
  if (told_ || line_.seconds() < long_seconds) return;
  told_ = true;
  line_.clear();
  if (total == 1) {
    tell(formatted("kernel {} has run for {} s in its only block, and continues", launch_.kernel->name,
                   fixed(long_seconds, 0)));
    return;
  }
  tell(
      formatted("kernel {} has run for {} s, and {} of its {} blocks are done. With {} SECONDS, bankwise runs only "
                "as many blocks as this time allows, and estimates the counts of all blocks",
                launch_.kernel->name, fixed(long_seconds, 0), grouped(done), grouped(total), worded(setting::time)));
}

}  // namespace bankwise
