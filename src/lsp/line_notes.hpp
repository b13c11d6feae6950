// Notes of reports about the lines of a source. The notes are matched to the current text of the source.
//
//     report: line 18 "... = tile[threadIdx.x][j];"      text: now at line 20      a note at line 20, which has moved
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
  std::string name;  // name of the report, such as "the run transpose" or "r.json"
  report what;
  std::map<std::string, std::string>
      made_of;  // key: path; value: fingerprint of the text; missing if the text is newer than the report
};

// The reports of a folder. Notes contain pointers to these reports.
struct folder_reports {
  std::vector<known_report> reports;
  check::verdict verdict;
  // key: name under which a source was compiled; value: path of the source on this machine
  std::map<std::string, std::string> paths;
};

// An instruction on shared memory, and its launch.
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
  std::size_t line = 0;                         // number of the line in the text, from 0
  std::uint32_t line_before = 0;                // number of the line in the reports, from 1
  std::vector<noted_site> sites;                // accesses on the line, highest cost first
  std::vector<noted_global_site> global_sites;  // accesses on the line, most excess sectors first
  std::vector<const check::finding*> findings;
};

struct source_notes {
  std::vector<line_note> lines;
  std::vector<std::string> stale;  // names of reports that were made from another version of the text
  std::size_t gone = 0;            // number of lines with notes that the text no longer contains
};

source_notes notes_of(const folder_reports& known, const std::string& path, const document& text);

// Returns a hash of a source's text, which identifies its version.
std::string fingerprint_of_text(std::string_view text);

}  // namespace bankwise::lsp
