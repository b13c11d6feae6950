// Notes of reports about the lines of a source, matched to the source's current text.
//
//     report: line 18 "... = tile[threadIdx.x][j];"      text: this line is line 20      a note at 20, which has moved
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
  std::string name;  // examples: "the run transpose", "r.json"
  report what;
  std::map<std::string, std::string>
      made_of;  // fingerprints of texts, by path; missing if the text is newer than the report
};

// The reports of a folder. They contain the notes.
struct folder_reports {
  std::vector<known_report> reports;
  check::verdict verdict;
  // Paths of the sources that exist here, by the name under which they were compiled.
  std::map<std::string, std::string> paths;
};

// An instruction and its launch.
struct noted_site {
  const known_report* in = nullptr;
  const launch_report* launch = nullptr;
  const site* what = nullptr;
};

// An instruction on global or local memory, and its launch.
struct noted_global_site {
  const launch_report* launch = nullptr;
  const global_site* what = nullptr;
};

struct line_note {
  std::size_t line = 0;                         // line in the text, from 0
  std::uint32_t line_before = 0;                // line in the reports, from 1
  std::vector<noted_site> sites;                // accesses, most expensive first
  std::vector<noted_global_site> global_sites;  // sites with most sectors above the ideal first
  std::vector<const check::finding*> findings;
};

struct source_notes {
  std::vector<line_note> lines;    // in the order of the text
  std::vector<std::string> stale;  // names of reports that were made from another version of the text
  std::size_t gone = 0;            // number of lines of reports that the text does not contain
};

// `path` is the path of the source.
source_notes notes_of(const folder_reports& known, const std::string& path, const document& text);

// A hash of a source's text. It identifies the version of the text.
std::string fingerprint_of_text(std::string_view text);

}  // namespace bankwise::lsp
