#include "profile/launch_watch.hpp"

#include <cstdio>

#include "base/text.hpp"

namespace bankwise {

namespace {

constexpr double long_seconds = 10;

}  // namespace

launch_watch::launch_watch(const emulate::launch& l)
    : launch_(l), line_("blocks"), told_(l.cooperative || l.most_blocks != 0) {}

void launch_watch::update(std::uint64_t done, std::uint64_t total) {
  line_.update(done, total, launch_.kernel->name);
  if (told_ || line_.seconds() < long_seconds) return;
  told_ = true;
  if (total == 1) return;
  line_.clear();
  std::fprintf(stderr,
               "bankwise: kernel %s has run for %s s, and %s of its %s blocks are done; --ctas N runs N of them and "
               "scales their counts\n",
               launch_.kernel->name.c_str(), fixed(long_seconds, 0).c_str(), grouped(done).c_str(),
               grouped(total).c_str());
}

}  // namespace bankwise
