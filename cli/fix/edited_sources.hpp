// Sources that get edits: their texts before and after, and how they are written and restored.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "cli/fix/edit_plan.hpp"

namespace bankwise::cli {

struct edited_source {
  std::string path, shown;  // as in edited_file
  std::string was, now;
};

// Returns the edits of a plan that change a source, as indices.
std::vector<std::size_t> edits_made(const edit_plan& p);
// Returns the sources that change if the edits `more` are made after the edits `kept`.
std::vector<edited_source> sources_with(const edit_plan& p, const std::vector<std::size_t>& kept,
                                        const std::vector<std::size_t>& more);
// Writes the edited texts, or the texts before the edits if `back` is set. Fails if a file has neither of its texts.
result<done> write_sources(const std::vector<edited_source>& all, bool back);

// Notes the sources in journals before the first source is written, and deletes the journals (edit_journal.hpp).
result<done> note_sources(const std::vector<edited_source>& all);
void forget_sources(const std::vector<edited_source>& all);

}  // namespace bankwise::cli
