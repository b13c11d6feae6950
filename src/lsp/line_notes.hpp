// The notes of reports about the lines of a source, matched to its current text.
//
//     report: line 18 "... = tile[threadIdx.x][j];"      text: that line is 20th now      a note at 20, which has moved
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check/verdict.hpp"
#include "lsp/document.hpp"

namespace bankwise::lsp {

struct known_report {
  std::string name;  // "the run transpose", "r.json"
  report what;
  std::map<std::string, std::string>
      made_of;  // by path: the fingerprint of the text; missing if it is newer than the report
};

// The reports of a folder, and their notes.
struct folder_reports {
  std::vector<known_report> reports;
  check::verdict verdict;
  // paths of the sources that exist here, by the name that they were compiled under
  std::map<std::string, std::string> paths;
};

// An instruction in its launch.
struct noted_site {
  const known_report* in = nullptr;
  const launch_report* launch = nullptr;
  const site* what = nullptr;
};

// An instruction on global or local memory in its launch.
struct noted_global_site {
  const launch_report* launch = nullptr;
  const global_site* what = nullptr;
};

struct line_note {
  std::size_t line = 0;                         // of the text, from 0
  std::uint32_t line_before = 0;                // of the reports, from 1
  std::vector<noted_site> sites;                // accesses; the worst first
  std::vector<noted_global_site> global_sites;  // those with most sectors above the ideal first
  std::vector<const check::finding*> findings;
};

struct source_notes {
  std::vector<line_note> lines;    // in their order
  std::vector<std::string> stale;  // names of the reports that were made from another version of the text
  std::size_t gone = 0;            // lines of the reports that no longer exist in the text
};

// `path` is the source's path.
source_notes notes_of(const folder_reports& known, const std::string& path, const document& text);

// A hash of a source's text, which identifies its version.
std::string fingerprint_of_text(std::string_view text);

}  // namespace bankwise::lsp
