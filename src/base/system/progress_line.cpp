#include "base/system/progress_line.hpp"

#include <unistd.h>

#include <cstdio>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace bankwise {

progress_line::progress_line(std::string what)
    : what_(std::move(what)),
      on_(::isatty(STDERR_FILENO) != 0),
      begin_(std::chrono::steady_clock::now()),
      last_(begin_) {}

progress_line::~progress_line() { clear(); }

void progress_line::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

double progress_line::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void progress_line::update(std::uint64_t done, std::uint64_t total, std::string_view detail) {
  if (!on_) return;
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (now - begin_ < 500ms || now - last_ < 100ms) return;
  last_ = now;
  drawn_ = true;
  std::string line = formatted("{} {}", what_, grouped(done));
  if (total != 0) {
    line += formatted(" of {}", grouped(total));
    if (done > 0 && done < total)
      line +=
          formatted(", {} s left", fixed(seconds() * static_cast<double>(total - done) / static_cast<double>(done), 0));
  }
  if (!detail.empty()) line += formatted("  {}", detail);
  std::fprintf(stderr, "\r\x1b[K%s", printable(line.substr(0, 78)).c_str());
  std::fflush(stderr);
}

}  // namespace bankwise
