// Plans the edits of a report. For each declaration, the question with the largest saving is answered first. The
// layouts for this question are then tried for all other questions about the declaration.
#include "edit/plan.hpp"

#include <algorithm>
#include <bit>
#include <list>
#include <map>
#include <set>

#include "advise/search/evaluator.hpp"
#include "base/format.hpp"
#include "base/setting.hpp"
#include "base/text.hpp"

namespace bankwise::edit {

namespace {

constexpr std::uint64_t least_won = 100;  // an edit must save at least 1/100 of the launch's wavefronts

std::uint64_t won(const array_question& q) {
  return q.found.answers.empty() ? 0 : (q.found.before.wavefronts - q.found.answers.front().wavefronts) * q.count;
}

// One edit of the source can give different layouts to arrays with different extents or elements. Returns the layout
// for the other array, or nothing if there is no such layout.
std::optional<advise::relayout> same_edit(const advise::answer& a, const array_question& from,
                                          const array_question& to) {
  const u32 element = from.shape.element_bytes, other = to.shape.element_bytes;
  if (element == 0 || other == 0 || a.layout.panel_bytes != 0) return std::nullopt;
  // The two arrays have different existing padding, so their edits would also differ.
  if (from.what.as_it_is.gap / element != to.what.as_it_is.gap / other) return std::nullopt;
  advise::relayout l = a.layout;
  if (!l.terms.empty() && element != other) {
    if (!a.permute || !std::has_single_bit(element) || !std::has_single_bit(other)) return std::nullopt;
    swizzle s = *a.permute;
    const int wider = std::countr_zero(other) - std::countr_zero(element);
    if (static_cast<int>(s.base) + wider < std::countr_zero(other)) return std::nullopt;
    s.base = static_cast<u32>(static_cast<int>(s.base) + wider);
    l.terms = advise::terms_of(s);
  }
  if (!l.terms.empty() && from.what.pitch_bytes / element != to.what.pitch_bytes / other) return std::nullopt;
  // An xor needs complete blocks. At the end of dynamic memory, a block may be incomplete, because the launch has not
  // allocated the rest.
  if (to.what.dynamic && !l.terms.empty() && l.every == 0 && advise::bytes_after(l, to.what.bytes) != to.what.bytes)
    return std::nullopt;
  if (l.every != 0) {
    const bool by_rows = l.every == from.what.pitch_bytes;
    l.every = by_rows ? to.what.pitch_bytes : l.every / element * other;
    l.gap = l.gap / element * other;
    if (l.every == 0) return std::nullopt;
  }
  return l;
}

// Splits each access into accesses of one element, as they are in the source.
advise::problem taken_apart(const advise::problem& p, u32 element) {
  advise::problem apart = p;
  apart.element_bytes = element;
  for (auto* accesses : {&apart.accesses, &apart.of_data}) {
    std::vector<advise::weighted_access> all;
    for (const advise::weighted_access& w : *accesses) {
      const bool is_plain = w.what.op.kind == op_kind::load || w.what.op.kind == op_kind::store;
      if (!is_plain || w.what.op.width_bytes <= element) {
        all.push_back(w);
        continue;
      }
      for (u32 at = 0; at < w.what.op.width_bytes; at += element) {
        advise::weighted_access one = w;
        one.what.op.width_bytes = static_cast<decltype(one.what.op.width_bytes)>(element);
        for (u32& address : one.what.address) address += at;
        all.push_back(one);
      }
    }
    *accesses = std::move(all);
  }
  return apart;
}

// Whether a function computes the indices. The compiler then often cannot tell whether two indices differ, unless their
// difference is a constant.
bool computes_index(const advise::relayout& l, const advise::problem& p) {
  return !l.terms.empty() || (l.every != 0 && l.every != p.pitch_bytes);
}

// Loads that the compiler may add after an edit. Before the edit, the compiler keeps the element in a register, so a
// line can use the element without a load. `what`: these loads, as a problem. `lines`: the lines that use the elements.
struct loads_again {
  advise::problem what;
  std::vector<std::uint32_t> lines;
};
loads_again find_loads_again(const array_question& q, const std::vector<source::kept_element>& kept) {
  loads_again found{taken_apart(q.what, q.shape.element_bytes), {}};
  using key = std::pair<u32, std::vector<u32>>;
  for (auto* accesses : {&found.what.accesses, &found.what.of_data}) {
    std::vector<advise::weighted_access> missing;
    for (const source::kept_element& one : kept) {
      std::map<key, std::uint64_t> loaded;
      const auto key_of = [](const advise::weighted_access& w) {
        return key(w.what.mask, {std::begin(w.what.address), std::end(w.what.address)});
      };
      const auto is_at = [&](const advise::weighted_access& w, std::uint32_t line, op_kind operation) {
        return w.what.op.kind == operation &&
               found.what.groups[w.group].name == formatted("{}:{}", base_name(q.file), line);
      };
      for (const advise::weighted_access& w : *accesses)
        if (is_at(w, one.read, op_kind::load)) loaded[key_of(w)] += w.weight;
      for (advise::weighted_access w : *accesses) {
        if (!is_at(w, one.stored, op_kind::store)) continue;
        std::uint64_t& has = loaded[key_of(w)];
        const std::uint64_t same = std::min(has, w.weight);
        has -= same;
        w.weight -= same;
        if (w.weight == 0) continue;
        w.what.op.kind = op_kind::load;
        missing.push_back(w);
        if (found.lines.empty() || found.lines.back() != one.read) found.lines.push_back(one.read);
      }
    }
    *accesses = std::move(missing);
  }
  found.what.accesses.insert(found.what.accesses.end(), found.what.of_data.begin(), found.what.of_data.end());
  found.what.of_data.clear();
  return found;
}

// Counts the loads of elements that may be read again. These loads are counted after the layout was chosen, because
// their cost depends on the layout.
void count_loads_again(planned_edit& e, const std::vector<array_question>& all, const array_question& from,
                       const advise::answer& a, const std::vector<source::kept_element>& kept) {
  e.again.assign(e.questions.size(), 0);
  e.at_most = e.promised;
  for (std::size_t k = 0; k < e.questions.size(); ++k) {
    const array_question& q = all[e.questions[k]];
    const auto layout = same_edit(a, from, q);
    if (!layout || !computes_index(*layout, q.what)) continue;
    const loads_again more = find_loads_again(q, kept);
    e.again[k] = advise::evaluator(more.what).wavefronts(*layout);
    e.at_most += e.again[k] * q.count;
    e.read_again.insert(e.read_again.end(), more.lines.begin(), more.lines.end());
  }
  std::sort(e.read_again.begin(), e.read_again.end());
  e.read_again.erase(std::unique(e.read_again.begin(), e.read_again.end()), e.read_again.end());
}

void ask_anew(array_question& q, const advise::effort& most) {
  const advise::answer before = q.found.before;
  q.what = taken_apart(q.what, q.shape.element_bytes);
  q.found = advise::advise(q.what, most);
  q.found.before = before;
  std::erase_if(q.found.answers, [&](const advise::answer& a) { return a.wavefronts >= before.wavefronts; });
}

// Returns answers that may suit several questions. A source line can declare arrays of several lengths and types, and
// one answer may not suit all of them.
std::vector<advise::answer> common_answers(const array_question& q) {
  std::vector<advise::answer> all;
  const u32 element = q.shape.element_bytes;
  if (element == 0 || q.shape.extents.size() != 1 || q.what.as_it_is.every != 0) return all;
  const auto add = [&](const advise::relayout& l, std::optional<swizzle> permute) {
    advise::answer a;
    a.kind = permute ? advise::family::swizzle : advise::family::padding;
    a.layout = l;
    if (permute) a.layout.terms = advise::terms_of(*permute);
    a.permute = permute;
    a.bytes = advise::bytes_after(a.layout, q.what.bytes);
    if (!permute || a.bytes == q.what.bytes) all.push_back(std::move(a));
  };
  for (u32 every = 8; every <= 256; every *= 2)
    for (u32 gap = 1; gap <= 8; gap *= 2) add({.every = every * element, .gap = gap * element}, std::nullopt);
  if (std::has_single_bit(element))
    for (u32 bits = 1; bits <= 5; ++bits)
      for (u32 base = 0; base + bits <= 5; ++base)
        for (u32 shift = bits; base + bits + shift <= 10; ++shift)
          add({}, swizzle{bits, base + static_cast<u32>(std::countr_zero(element)), shift});
  return all;
}

// An answer to one question. It is tried on all questions of the edit.
struct candidate {
  std::size_t question = 0, answer = 0;
  std::vector<std::uint64_t> after;
  std::uint64_t sum = 0, price = 0;
};

// Returns "line 12", or "lines 12, 15 and 18".
std::string doubted_lines(const std::vector<by_hand>& doubts) {
  std::set<std::uint32_t> lines;
  for (const by_hand& b : doubts) lines.insert(b.line);
  std::vector<std::string> numbers;
  for (const std::uint32_t line : lines) numbers.push_back(formatted("{}", line));
  return formatted("{} {}", lines.size() == 1 ? "line" : "lines", enumerated(numbers));
}

// Counts a layout for question `k` of an edit.
using counter = std::function<std::uint64_t(std::size_t k, const advise::relayout& l)>;

// Returns why the first answer to question i is not used. `refused` is empty if an edit is possible. Otherwise, it
// explains why not.
std::string why_not(const advise::answer& first, std::size_t i, const planned_edit& e,
                    const std::vector<array_question>& all, const counter& count, const std::string& refused) {
  const std::string uses =
      formatted("one edit changes {} uses of this declaration (in kernels, template instances or launches)",
                grouped(e.questions.size()));
  const std::string together =
      e.questions.size() == 1 ? "" : formatted(" for all {} uses", grouped(e.questions.size()));
  std::uint64_t sum = 0;
  bool is_split = false;
  for (std::size_t k = 0; k < e.questions.size(); ++k) {
    const auto layout = same_edit(first, all[i], all[e.questions[k]]);
    if (!layout) return formatted("{}, but this layout is not possible for at least one of the uses", uses);
    const std::uint64_t own = count(k, *layout);
    is_split |= e.questions[k] == i && own > e.after[k];
    sum += own * all[e.questions[k]].count;
  }
  if (!refused.empty()) return formatted("fix cannot make this edit: {}", refused);
  if (is_split)
    return formatted(
        "this layout needs an index function. The compiler may then split wide accesses into several instructions. "
        "With split accesses, this layout takes {} wavefronts{}, but the chosen layout takes {}",
        grouped(sum), together, grouped(e.promised));
  const std::string numbers = formatted(". This layout would take {} wavefronts{}, but the chosen layout takes {}",
                                        grouped(sum), together, grouped(e.promised));
  if (e.questions.size() > 1) return uses + numbers;
  return formatted("this layout needs a larger edit{}", numbers);
}

}  // namespace

std::vector<planned_edit> plan_edits(std::vector<array_question>& all, bool allow_doubts,
                                     const std::function<std::optional<std::string>(const std::string& file)>& text,
                                     const advise::effort& again) {
  std::map<std::pair<std::string, std::size_t>, planned_edit> by_place;
  std::vector<planned_edit> edits;
  std::map<std::size_t, advise::answer> first_answers;  // first answers, as in the report
  for (std::size_t i = 0; i < all.size(); ++i) {
    array_question& q = all[i];
    if (q.file.empty() || q.shape.name.empty()) continue;
    const auto source = text(q.file);
    const auto declared = source ? source::find_declared(*source, q.shape.name, q.lines) : std::nullopt;
    if (!declared) continue;
    if (q.shape.extents.empty() || q.shape.element_bytes == 0) {
      if (auto shape = source::plain_shape(*declared, q.what.bytes))
        q.shape = std::move(*shape);
      else if (q.shape.extents.empty())  // the type is unknown, so the width of the accesses is used
        q.shape.element_bytes = q.what.element_bytes;
    }
    if (!q.found.answers.empty() && q.found.answers.front().plain) first_answers[i] = q.found.answers.front();
    if ((q.shape.extents.size() == 1 || (q.what.flat && declared->extents.size() == 1)) && !q.found.answers.empty() &&
        advise::granule_bytes(q.what) > q.shape.element_bytes && source::joins_elements(*source, *declared))
      ask_anew(q, again);
    planned_edit& e = by_place[{q.file, declared->at}];
    e.file = q.file;
    e.declared = *declared;
    e.questions.push_back(i);
  }
  for (auto& [place, e] : by_place) {
    std::sort(e.questions.begin(), e.questions.end(),
              [&](std::size_t a, std::size_t b) { return won(all[a]) > won(all[b]); });
    const array_question& first = all[e.questions.front()];
    e.title = first.title;
    const auto source = text(e.file);
    const bool joins = source::joins_elements(*source, e.declared);
    for (const std::size_t i : e.questions) {
      e.before += (all[i].found.before.wavefronts + all[i].found.before.of_data) * all[i].count;
      e.floor += all[i].found.floor * all[i].count;
    }
    if (won(first) == 0 || won(first) * least_won < first.of_launch * first.count) continue;
    std::list<advise::problem> data;
    std::vector<advise::evaluator> judges, apart, of_data;
    for (const std::size_t i : e.questions) {
      judges.emplace_back(all[i].what);
      data.push_back(all[i].what);
      data.back().accesses = data.back().of_data;
      of_data.emplace_back(data.back());
      if (joins) apart.emplace_back(data.emplace_back(taken_apart(all[i].what, all[i].shape.element_bytes)));
    }
    std::vector<std::uint32_t> lines;
    std::vector<candidate> candidates;
    std::uint64_t fewest = e.before;
    bool plain = false;
    const counter count = [&](std::size_t k, const advise::relayout& layout) {
      // With a computed index, the compiler no longer joins adjacent elements.
      advise::evaluator& judge = joins && !layout.terms.empty() ? apart[k] : judges[k];
      return judge.wavefronts(layout) + of_data[k].wavefronts(layout);
    };
    const auto try_answers = [&](std::size_t i, std::size_t begin) {
      const array_question& from = all[i];
      for (std::size_t n = begin; n < from.found.answers.size(); ++n) {
        if (!from.found.answers[n].plain) continue;
        plain = true;
        candidate c{i, n, {}, 0, 0};
        for (std::size_t k = 0; k < e.questions.size(); ++k) {
          const array_question& q = all[e.questions[k]];
          const auto layout = same_edit(from.found.answers[n], from, q);
          if (!layout) break;
          c.after.push_back(count(k, *layout));
          c.sum += c.after.back() * q.count;
        }
        if (c.after.size() != e.questions.size() || c.sum >= e.before) continue;
        // A padding combined with an xor is a larger edit, so it must save a tenth more than other layouts.
        const advise::relayout& l = from.found.answers[n].layout;
        c.price = l.every != 0 && !l.terms.empty() ? c.sum + c.sum / 10 : c.sum;
        fewest = std::min(fewest, c.price);
        candidates.push_back(std::move(c));
      }
    };
    for (const std::size_t i : e.questions) {
      lines.insert(lines.end(), all[i].lines.begin(), all[i].lines.end());
      try_answers(i, 0);
    }
    if (candidates.empty() && e.questions.size() > 1) {
      array_question& q = all[e.questions.front()];
      const std::size_t begin = q.found.answers.size();
      for (advise::answer& a : common_answers(q)) q.found.answers.push_back(std::move(a));
      try_answers(e.questions.front(), begin);
    }
    source::threads_of_block block{};
    for (const std::size_t i : e.questions)
      for (std::size_t side = 0; side < block.size(); ++side) block[side] = std::max(block[side], all[i].block[side]);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    // Drops layouts that save less than half as much as the best layout, and sorts the rest by cost. Layouts that cost
    // at most a twentieth more than the best layout come first, in the order in which they were found.
    std::erase_if(candidates, [&](const candidate& c) { return (e.before - c.sum) * 2 < e.before - fewest; });
    std::stable_sort(candidates.begin(), candidates.end(), [&](const candidate& a, const candidate& b) {
      const auto late = [&](const candidate& c) { return c.price - fewest > fewest / 20 ? c.price : 0; };
      return late(a) < late(b);
    });
    std::vector<expr::array_decl> shapes;
    for (const std::size_t i : e.questions) shapes.push_back(all[i].shape);
    const auto edit_of = [&](const advise::answer& a, const array_question& from) {
      array_edit edit = edit_layout(*source, e.declared, from.shape, from.what, a, lines, block, shapes);
      if (edit.refused.empty() && e.declared.extents == std::vector<std::string>{""})
        for (const std::size_t i : e.questions)
          if (const std::string& why = all[i].not_whole; !why.empty()) edit.refused = why;
      if (edit.refused.empty() && !edit.doubts.empty() && !allow_doubts)
        edit.refused = formatted(
            "fix cannot prove that the edit keeps {} correct. With {}, fix makes the edit, builds and runs the "
            "program, and compares the wavefronts",
            doubted_lines(edit.doubts), worded(setting::check, "make"));
      return edit;
    };
    for (candidate& c : candidates) {
      const bool has_edit = e.edit.refused.empty() && !e.edit.changes.empty();
      // An edit without doubts that costs at most a twentieth more is preferred to an edit with doubts.
      if (has_edit && c.price - fewest > fewest / 20) break;
      array_edit edit = edit_of(all[c.question].found.answers[c.answer], all[c.question]);
      const bool is_first = e.edit.refused.empty() && e.edit.changes.empty();
      if (!edit.refused.empty() && !is_first) continue;
      if (edit.refused.empty() && (edit.changes.empty() || (has_edit && !edit.doubts.empty()))) continue;
      const bool made = edit.refused.empty(), is_sure = edit.doubts.empty();
      e.edit = std::move(edit);
      e.question = c.question;
      e.answer = c.answer;
      e.after = c.after;
      e.promised = c.sum;
      if (made && is_sure) break;
    }
    e.at_most = e.promised;
    if (e.edit.refused.empty() && !e.edit.changes.empty()) {
      const array_question& from = all[e.question];
      count_loads_again(e, all, from, from.found.answers[e.answer], source::kept_elements(*source, e.declared));
      if (e.at_most >= e.before && !allow_doubts) {
        e.edit = {};
        e.edit.refused = formatted(
            "if the compiler reads elements from shared memory again, the edit may cost more than it saves. With {}, "
            "fix makes the edit, builds and runs the program, and compares the wavefronts",
            worded(setting::check, "make"));
      }
    }
    if (e.edit.refused.empty() && !e.edit.changes.empty())
      for (const std::size_t i : e.questions) {
        const auto its = first_answers.find(i);
        if (its == first_answers.end()) continue;
        const advise::relayout& asked = its->second.layout;
        const auto made = same_edit(all[e.question].found.answers[e.answer], all[e.question], all[i]);
        if (!made || *made == asked || std::any_of(e.others.begin(), e.others.end(), [&](const passed_over& o) {
              return o.first.layout == asked;
            }))
          continue;
        const array_edit other = edit_of(its->second, all[i]);
        const bool is_doubted = other.refused.empty() && !other.doubts.empty() && e.edit.doubts.empty();
        e.others.push_back(
            {i, its->second,
             is_doubted ? formatted("fix cannot prove that its edit keeps {} correct", doubted_lines(other.doubts))
                        : why_not(its->second, i, e, all, count, other.refused)});
      }
    if (e.edit.refused.empty() && e.edit.changes.empty()) {
      e.question = e.questions.front();
      e.edit.refused = !plain ? "no simple layout saves wavefronts"
                       : e.questions.size() == 1
                           ? "the new index would split wide accesses into several instructions, so that no "
                             "layout saves wavefronts"
                           : "one declaration is used by several launches or instances of the kernel, and no "
                             "layout saves wavefronts in all of them together";
      e.promised = e.at_most = e.before;
    }
    edits.push_back(std::move(e));
  }
  std::stable_sort(edits.begin(), edits.end(), [](const planned_edit& a, const planned_edit& b) {
    return a.before - a.promised > b.before - b.promised;
  });
  return edits;
}

}  // namespace bankwise::edit
