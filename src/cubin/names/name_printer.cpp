#include "cubin/names/name_printer.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace bankwise::cubin::names {

namespace {

constexpr std::size_t most_steps = std::size_t{1} << 16;

class printer {
 public:
  explicit printer(std::size_t most_characters) : most_(most_characters) {}

  std::optional<std::string> run(const node& n) {
    print(n);
    if (failed_) return std::nullopt;
    return std::move(out_);
  }

 private:
  void fail() { failed_ = true; }
  void put(std::string_view s) {
    if (s.size() > most_ - out_.size()) return fail();
    out_ += s;
  }
  bool may_go_on() {
    if (++steps_ > most_steps || depth_ > most_depth) fail();
    return !failed_;
  }

  // Returns the argument for a template parameter. For a pack, returns the element that is being expanded.
  const node* resolve(const node* n) {
    while (n->kind == form::parameter && may_go_on()) {
      const node* what = n->items[0].what;
      if (what->kind == form::pack && element_) {
        if (*element_ >= what->items.size()) {
          fail();
          return n;
        }
        what = what->items[*element_].what;
      }
      n = what;
    }
    return n;
  }

  // Returns the first pack in a node, or null if there is none.
  const node* find_pack(const node& n) {
    const level here(depth_);
    if (!may_go_on()) return nullptr;
    if (n.kind == form::parameter && n.items[0].what->kind == form::pack) return n.items[0].what;
    if (n.kind == form::expansion) return nullptr;
    for (const piece& p : n.items)
      if (p.what != nullptr)
        if (const node* found = find_pack(*p.what)) return found;
    return nullptr;
  }

  // Prints the items with commas between them. Returns false if the last item was empty.
  bool join(const std::vector<piece>& items) {
    bool first = true, is_there = true;
    for (const piece& p : items) {
      const std::size_t before = out_.size();
      if (!first) put(", ");
      const std::size_t begin = out_.size();
      if (p.what != nullptr) print(*p.what);
      if (failed_) return false;
      is_there = out_.size() != begin;
      if (is_there)
        first = false;
      else
        out_.resize(before);
    }
    return is_there;
  }

  void print(const node& n) {
    left(n);
    right(n);
  }

  static bool is_reference(const node& n) { return n.kind == form::suffixed && (n.text == "&" || n.text == "&&"); }
  static bool is_cv(const node& n) { return n.kind == form::suffixed && n.text[0] == ' '; }
  // Whether a type is a function or an array, which may be const. The text of such a type is on both sides of the
  // declared name.
  bool winds_around(const node& n) { return n.kind == form::function || is_array(n); }
  bool is_array(const node& n) {
    const node* at = &n;
    while (is_cv(*at) && may_go_on()) at = resolve(at->items[0].what);
    return at->kind == form::array;
  }

  // Combines references. A reference to a reference becomes one reference.
  std::pair<const node*, std::string_view> collapsed(const node& n) {
    const node* of = resolve(n.items[0].what);
    std::string_view text = n.text;
    while (is_reference(n) && is_reference(*of) && may_go_on()) {
      if (of->text == "&") text = "&";
      of = resolve(of->items[0].what);
    }
    if (is_cv(n) && is_cv(*of) && of->text == n.text) text = "";  // the type is already const
    return {of, text};
  }

  // Prints the part of a type before the declared name.
  void left(const node& n) {
    const level here(depth_);
    if (!may_go_on()) return;
    switch (n.kind) {
      case form::row:
        for (const piece& p : n.items) {
          put(p.text);
          if (p.what != nullptr) print(*p.what);
        }
        return;
      case form::pack:
      case form::list: join(n.items); return;
      case form::arguments:
        if (out_.ends_with('<')) put(" ");
        put("<");
        return put(join(n.items) && out_.ends_with('>') ? " >" : ">");
      case form::parameter: {
        const node* what = resolve(&n);
        if (!failed_) left(*what);
        return;
      }
      case form::expansion: return expand(*n.items[0].what);
      case form::suffixed: {
        const auto [of, text] = collapsed(n);
        if (failed_) return;
        left(*of);
        if (!is_cv(n) && is_array(*of)) put(" ");
        if (!is_cv(n) && winds_around(*of)) put("(");
        return put(text);
      }
      case form::function:
        if (n.items[0].what != nullptr) {
          left(*n.items[0].what);
          if (!out_.ends_with("(&") && !out_.ends_with("(&&") && !out_.ends_with("(*")) put(" ");
        }
        if (n.items[2].what != nullptr) print(*n.items[2].what);
        return;
      case form::array: return left(*n.items[1].what);
      case form::member: {
        const node* of = resolve(n.items[1].what);
        if (failed_) return;
        left(*of);
        if (of->kind != form::function) put(" ");
        if (winds_around(*of)) put("(");
        print(*n.items[0].what);
        return put("::*");
      }
    }
  }

  // Prints the part of a type after the declared name.
  void right(const node& n) {
    const level here(depth_);
    if (!may_go_on()) return;
    switch (n.kind) {
      case form::parameter: {
        const node* what = resolve(&n);
        if (!failed_) right(*what);
        return;
      }
      case form::suffixed: {
        const auto [of, text] = collapsed(n);
        if (failed_) return;
        if (!is_cv(n) && winds_around(*of)) put(")");
        return right(*of);
      }
      case form::function:
        put("(");
        print(*n.items[1].what);
        put(")");
        put(n.text);
        if (n.items[0].what != nullptr) right(*n.items[0].what);
        return;
      case form::array:
        if (!out_.ends_with(']')) put(" ");
        put("[");
        if (n.items[0].what != nullptr) print(*n.items[0].what);
        put("]");
        return right(*n.items[1].what);
      case form::member: {
        const node* of = resolve(n.items[1].what);
        if (failed_) return;
        if (winds_around(*of)) put(")");
        return right(*of);
      }
      default: return;
    }
  }

  void expand(const node& pattern) {
    const node* pack = find_pack(pattern);
    if (pack == nullptr) {
      print(pattern);
      return put("...");
    }
    const auto before = element_;
    for (std::size_t i = 0; i < pack->items.size() && !failed_; ++i) {
      if (i != 0) put(", ");
      element_ = i;
      print(pattern);
    }
    element_ = before;
  }

  std::size_t most_;
  std::string out_;
  std::size_t steps_ = 0;
  unsigned depth_ = 0;
  bool failed_ = false;
  std::optional<std::size_t> element_;
};

}  // namespace

std::optional<std::string> print(const node& n, std::size_t most_characters) { return printer(most_characters).run(n); }

}  // namespace bankwise::cubin::names
