#include "expr/parse/triton_layout.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>

#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"
#include "expr/parse/expression_tree.hpp"

namespace bankwise::expr {

namespace {

constexpr std::string_view usage = "for example s[64][32] vec=8 perPhase=2 maxPhase=4 order=[1, 0]";
constexpr std::string_view constructors[] = {"SwizzledSharedLayout(", "SwizzledSharedEncoding("};

struct triton_layout {
  std::optional<std::uint64_t> vec, per_phase, max_phase;
  std::vector<std::uint64_t> order;  // the dimensions, the fastest first
};

class encoding_reader {
 public:
  encoding_reader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  result<triton_layout> run() {
    // The values of a constructor may have no names.
    for (const std::string_view name : constructors)
      if (const std::size_t found = text_.find(name, at_); found != std::string_view::npos) {
        at_ = found + name.size();
        read_unnamed();
        break;
      }
    while (!error_ && at_ < text_.size()) read_next();
    if (!error_ && (!l_.vec || !l_.per_phase || !l_.max_phase))
      fail(begin_of_layout(), "a layout of Triton needs vec, perPhase and maxPhase");
    if (error_) return *error_;
    return l_;
  }

 private:
  std::size_t begin_of_layout() const { return std::min(at_, text_.size() - 1); }

  void fail(std::size_t at, std::string message) {
    if (!error_)
      error_ = error_at(worded(setting::array), std::string(text_), at + 1, 1, std::move(message), std::string(usage));
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == ',')) ++at_;
  }
  std::string_view word() {
    const std::size_t from = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    return text_.substr(from, at_ - from);
  }

  void read_unnamed() {
    for (std::optional<std::uint64_t>* value : {&l_.vec, &l_.per_phase, &l_.max_phase}) {
      skip();
      if (at_ >= text_.size() || !is_digit(text_[at_])) return;
      *value = read_number();
    }
  }

  std::uint64_t read_number() {
    skip();
    const std::size_t from = at_;
    constexpr std::uint64_t most = 1u << 16;
    const auto number = parse_u64(word());
    if (!number || *number < 1 || *number > most || !std::has_single_bit(*number)) {
      fail(from, "expected a power of two");
      return 1;
    }
    return *number;
  }

  // Reads one word: the name of a value with its value, or a word such as #ttg.swizzled_shared, which is skipped.
  void read_next() {
    skip();
    if (at_ >= text_.size()) return;
    if (!is_name_start(text_[at_])) {
      ++at_;
      return;
    }
    const std::size_t from = at_;
    const std::string_view name = word();
    skip();
    if (at_ >= text_.size() || text_[at_] != '=') return;
    ++at_;
    if (name == "vec") {
      l_.vec = read_number();
    } else if (name == "perPhase" || name == "per_phase") {
      l_.per_phase = read_number();
    } else if (name == "maxPhase" || name == "max_phase") {
      l_.max_phase = read_number();
    } else if (name == "order") {
      read_order();
    } else if (name != "shared" && name != "hasLeadingOffset" && name != "CTAsPerCGA" && name != "CTASplitNum" &&
               name != "CTAOrder" && name != "CGALayout") {
      fail(from, formatted("'{}' is not a part of a swizzled layout of Triton", name));
    }
  }

  void read_order() {
    const std::size_t close = text_.find_first_of("])", at_);
    while (!error_ && at_ < close && close != std::string_view::npos) {
      if (!is_digit(text_[at_])) {
        ++at_;
        continue;
      }
      l_.order.push_back(parse_u64(word()).value_or(~std::uint64_t{0}));
    }
    at_ = std::min(close, text_.size() - 1) + 1;
  }

  std::string_view text_;
  std::size_t at_;
  triton_layout l_;
  std::optional<diagnostic> error_;
};

bool is_order(std::vector<std::uint64_t> order, std::size_t dimensions) {
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return order.size() == dimensions;
}

std::uint32_t log2_of(std::uint64_t n) { return static_cast<std::uint32_t>(std::bit_width(n) - 1); }

}  // namespace

std::size_t find_triton_layout(std::string_view declaration) {
  std::size_t begin = std::string_view::npos;
  for (const std::string_view name : constructors) begin = std::min(begin, declaration.find(name));
  for (const std::string_view name : {"vec", "perPhase", "per_phase", "maxPhase", "max_phase"})
    for (std::size_t at = declaration.find(name); at != std::string_view::npos; at = declaration.find(name, at + 1)) {
      const bool is_word = at > 0 && !is_name(declaration[at - 1]);
      if (is_word && trim(declaration.substr(at + name.size())).starts_with('=')) begin = std::min(begin, at);
    }
  if (begin == std::string_view::npos) return begin;
  // The words before the first value, such as #ttg.swizzled_shared<{, are a part of the layout.
  const std::size_t last = declaration.substr(0, std::min(declaration.find("order"), begin)).rfind(']');
  return last != std::string_view::npos ? last + 1 : std::min(declaration.find_first_of("#{<("), begin);
}

result<cute_layout> parse_triton_layout(std::string_view text, std::size_t begin,
                                        const std::vector<std::uint64_t>& extents) {
  auto read = encoding_reader(text, begin).run();
  if (!read) return read.error();
  triton_layout& t = *read;
  const auto bad = [&](std::string message) {
    return error_at(worded(setting::array), std::string(text), begin + 1, text.size() - begin, std::move(message),
                    std::string(usage));
  };
  const std::size_t n = extents.size();
  if (t.order.empty())
    for (std::size_t i = n; i-- > 0;) t.order.push_back(i);
  if (!is_order(t.order, n)) return bad(formatted("order must contain each of the {} once", count_of(n, "dimension")));
  for (const std::uint64_t extent : extents)
    if (!std::has_single_bit(extent)) return bad("Triton's arrays have extents that are powers of two");

  cute_layout l;
  l.modes.resize(n);
  std::uint64_t stride = 1;
  for (const std::uint64_t dimension : t.order) {
    l.modes[dimension] = {{extents[dimension], stride}};
    stride *= extents[dimension];
  }
  const std::uint64_t row = extents[t.order[0]], rows = n > 1 ? extents[t.order[1]] : 1;
  // The phase of a row is at most the number of groups of rows.
  const std::uint64_t phases = std::min(*t.max_phase, std::max<std::uint64_t>(rows / *t.per_phase, 1));
  if (phases == 1) return l;
  if (*t.vec * phases > row)
    return bad(formatted("a row has {} vectors of {}, which are fewer than the {} phases", row / *t.vec,
                         count_of(*t.vec, "element"), phases));
  const std::uint32_t base = log2_of(*t.vec);
  l.permute = swizzle{log2_of(phases), base, log2_of(row * *t.per_phase) - base};
  return l;
}

}  // namespace bankwise::expr
