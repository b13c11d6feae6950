#include "schedule.hpp"
#include "base/format.hpp"

#include <regex.h>

#include <array>

#include "base/text.hpp"
#include "cubin/instance_names.hpp"
#include "cubin/kernel_names.hpp"
#include "cubin/program.hpp"

namespace bankwise::record {

namespace {

constexpr std::string_view expression_mark = "regex:";

// Converts a text to hexadecimal digits, so that it contains no separator.
std::string coded(std::string_view text) {
  std::string s;
  for (const char c : text) s += hex(static_cast<unsigned char>(c), 2);
  return s;
}
std::optional<std::string> decoded(std::string_view text) {
  std::string s;
  if (text.size() % 2 != 0) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const auto byte = parse_u64(formatted("0x{}", text.substr(i, 2)));
    if (!byte) return std::nullopt;
    s += static_cast<char>(*byte);
  }
  return s;
}

}  // namespace

std::string to_line(const schedule_options& o) {
  return formatted("{};{};{};{};{};{};{}", coded(o.kernel), o.skip, o.count, o.each, o.shapes, o.skip_blocks,
                   coded(o.nvtx));
}

result<schedule_options> parse_schedule(std::string_view line) {
  const diagnostic wrong{formatted("the schedule '{}' is not valid", std::string(line.substr(0, 200))),
                         {},
                         "do not set BANKWISE_RECORD_SCHEDULE yourself, because bankwise record sets this variable"};
  const auto parts = split(line, ';');
  if (parts.size() != 7) return wrong;
  const auto kernel = decoded(parts[0]), nvtx = decoded(parts[6]);
  std::array<std::uint64_t, 5> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto n = parse_u64(parts[i + 1]);
    if (!n) return wrong;
    numbers[i] = *n;
  }
  const auto [skip, count, each, shapes, blocks] = numbers;
  if (!kernel || !nvtx || blocks > 0xffffffff) return wrong;
  return schedule_options{*kernel, skip, count, each, shapes, static_cast<std::uint32_t>(blocks), *nvtx};
}

result<kernel_filter> kernel_filter::make(const std::string& pattern) {
  kernel_filter f;
  f.is_expression_ = pattern.starts_with(expression_mark);
  f.pattern_ = f.is_expression_ ? pattern.substr(expression_mark.size()) : pattern;
  if (!f.is_expression_) return f;
  if (const std::string endless = cubin::endless_expression(f.pattern_); !endless.empty())
    return diagnostic{formatted("-k {}: {}", pattern, endless), {}, {}, "kernel-name"};
  regex_t compiled;
  const int wrong = ::regcomp(&compiled, f.pattern_.c_str(), REG_EXTENDED | REG_NOSUB);
  if (wrong == 0) {
    ::regfree(&compiled);
    return f;
  }
  char why[200] = {};
  ::regerror(wrong, &compiled, why, sizeof why);
  return diagnostic{
      formatted("-k {}: {}", pattern, why), {}, "pass an extended regular expression of POSIX", "kernel-name"};
}

bool kernel_filter::matches(const std::string& mangled) const {
  if (pattern_.empty()) return true;
  const std::string full = cubin::demangle(mangled), bare = cubin::bare_name(full);
  if (!is_expression_) return pattern_ == bare || cubin::is_instance_name(pattern_, {full, mangled});
  regex_t compiled;
  if (::regcomp(&compiled, pattern_.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  bool found = false;
  for (const std::string* name : {&bare, &full, &mangled})
    found = found || ::regexec(&compiled, name->c_str(), 0, nullptr, 0) == 0;
  ::regfree(&compiled);
  return found;
}

bool schedule::may_want(bool matches, std::uint64_t recorded, std::uint64_t shape) const {
  if (!matches || (options_.count != 0 && matched_ >= options_.skip + options_.count)) return false;
  return (options_.each == 0 || recorded < options_.each) && (options_.shapes == 0 || shape < options_.shapes);
}

choice schedule::next(bool matches, bool in_range, std::uint64_t recorded, std::uint64_t shape) {
  if (!matches) return choice::not_this_kernel;
  if (!in_range) return choice::not_this_launch;
  const std::uint64_t index = matched_++;
  if (index < options_.skip) return choice::not_this_launch;
  if (options_.count != 0 && index - options_.skip >= options_.count) return choice::not_this_launch;
  if ((options_.each != 0 && recorded >= options_.each) || (options_.shapes != 0 && shape >= options_.shapes))
    return choice::seen_enough;
  return choice::record;
}

bool waits_for_others(std::string_view bare_name) {
  for (const std::string_view prefix : {"ncclDevKernel", "ncclKernel", "nvshmem", "nvshmemi"})
    if (bare_name.starts_with(prefix)) return true;
  return false;
}

}  // namespace bankwise::record
