#include "cli/fix/edited_sources.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/fix/edit_journal.hpp"

namespace bankwise::cli {

namespace {

std::string with_edits(const edited_file& f, const std::vector<std::size_t>& edits) {
  std::vector<text_change> changes;
  for (const auto& [edit, its] : f.by_edit)
    if (std::find(edits.begin(), edits.end(), edit) != edits.end())
      changes.insert(changes.end(), its.begin(), its.end());
  in_order(changes);
  return changed(f.before, changes);
}

std::vector<journaled_edit> journal_of(const std::vector<edited_source>& all) {
  std::vector<journaled_edit> edits;
  for (const edited_source& s : all) edits.push_back({s.path, s.was, s.now});
  return edits;
}

}  // namespace

std::vector<std::size_t> edits_made(const edit_plan& p) {
  std::vector<std::size_t> made;
  for (std::size_t i = 0; i < p.edits.size(); ++i)
    if (p.edits[i].edit.refused.empty() && !p.edits[i].edit.changes.empty()) made.push_back(i);
  for (std::size_t i = 0; i < p.delays.size(); ++i)
    if (p.delays[i].is_made()) made.push_back(p.edits.size() + i);
  return made;
}

std::vector<edited_source> sources_with(const edit_plan& p, const std::vector<std::size_t>& kept,
                                        const std::vector<std::size_t>& more) {
  std::vector<std::size_t> both = kept;
  both.insert(both.end(), more.begin(), more.end());
  std::vector<edited_source> all;
  for (const edited_file& f : p.files) {
    edited_source s{f.path, f.shown, with_edits(f, kept), with_edits(f, both)};
    if (s.was != s.now) all.push_back(std::move(s));
  }
  return all;
}

result<done> write_sources(const std::vector<edited_source>& all, bool back) {
  for (const edited_source& s : all) {
    const auto there = read_file(s.path);
    if (!there) return there.error();
    if (*there != s.was && *there != s.now)
      return diagnostic{
          formatted("{} changed after bankwise had read it, so bankwise did not write the file", s.shown)};
    const auto written = write_file(s.path, back ? s.was : s.now);
    if (!written) return written.error();
  }
  return done{};
}

result<done> note_sources(const std::vector<edited_source>& all) { return open_journal(journal_of(all)); }

void forget_sources(const std::vector<edited_source>& all) { close_journal(journal_of(all)); }

}  // namespace bankwise::cli
