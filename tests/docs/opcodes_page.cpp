// Prints the page about instructions: every row of opcodes.def, whether the emulator executes it, and how well its
// meaning is known. scripts/build-reference calls this program.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <regex>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "emulate/decode/decode.hpp"
#include "sass/meaning.hpp"
#include "sass/opcode.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

constexpr const char* oldest_of[sass::isa_count] = {"sm_75", "sm_80", "sm_89", "sm_90", "sm_100", "sm_120"};
constexpr const char* newest_of[sass::isa_count] = {"sm_75", "sm_87", "sm_89", "sm_90", "sm_110", "sm_121"};

// A line of the page. The line describes all rows of a section that have the same mnemonic.
struct entry {
  std::string mnemonic, encodings, only;
  int rows = 0, executed = 0;
  sass::meaning known = sass::meaning::measured;  // evidence for the row with the least certain meaning
};
struct section {
  std::string title;
  std::vector<entry> entries;
};

std::string sets_of(const sass::opcode_info& row) {
  const auto first = static_cast<unsigned>(row.first), last = static_cast<unsigned>(row.last);
  if (first == 0 && last + 1 == sass::isa_count) return "";
  const std::string from = oldest_of[first], to = newest_of[last];
  return from == to ? from : from + " to " + to;
}

void add(section& s, const sass::opcode_info& row) {
  const std::string mnemonic(sass::mnemonic(row));
  entry* e = nullptr;
  for (entry& known : s.entries)
    if (known.mnemonic == mnemonic && known.only == sets_of(row)) e = &known;
  if (e == nullptr) e = &s.entries.emplace_back(entry{mnemonic, "", sets_of(row)});
  e->encodings += (e->encodings.empty() ? "" : ", ") + std::string(row.alu ? "*" : "") + "0x" + hex(row.bits, 3);
  ++e->rows;
  e->known = std::min(e->known, sass::meaning_of(row.op));
  if (emulate::handlers()[static_cast<std::size_t>(row.op)] != nullptr) ++e->executed;
}

std::string capitalised(std::string s) {
  s[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s[0])));
  return s;
}

// Reads the sections of the page from comments in the table. The sections are in the order of the rows.
std::vector<section> read_sections() {
  static const std::regex title("// --- (.*?)( ---)?"), row("(ALSO_)?(ALU|OP)(_IN)? ?\\(.*");
  std::vector<section> sections;
  const std::string text = test::read_text(test::source_path("src/sass/opcodes.def"));
  std::size_t next = 0;
  for (const std::string_view s : split(text, '\n')) {
    const std::string line(s);
    std::smatch m;
    if (std::regex_match(line, m, title)) sections.push_back({capitalised(m[1]), {}});
    if (!sections.empty() && std::regex_match(line, row)) add(sections.back(), sass::all_rows()[next++]);
  }
  if (next != std::size(sass::all_rows())) {
    std::fprintf(stderr, "opcodes.def has %zu rows, but this page found only %zu\n", std::size(sass::all_rows()), next);
    std::exit(2);
  }
  return sections;
}

std::string page() {
  const std::vector<section> sections = read_sections();
  const std::string s =
      "# Instructions\n\n"
      "This page lists the instructions of sm_75 to sm_121, and which of them bankwise executes. `scripts/build-reference` makes this page from "
      "`src/sass/opcodes.def` and the emulator's table of handlers.\n\n"
      "*Encoding* is the value of bits 0 to 11 of the instruction. A star marks arithmetic "
      "instructions. Their encoding is the value of bits 0 to 8, because bits 9 to 11 encode the kind of the operands. "
      "If only some architectures have an instruction, the column *only* lists these architectures.\n\n"
      "If a kernel executes an instruction that bankwise does not execute, the launch stops with an error that "
      "names the instruction. bankwise executes some instructions in most forms, but not in all forms. The launch also "
      "stops at a form that bankwise does not execute ([what does not run yet](../../README.md#not-yet)).\n\n"
      "*Meaning* shows how we know what the instruction does. *measured*: an H100 or H200 computed the same results as "
      "bankwise ([probes](../../data/README.md)). *documented*: NVIDIA documents the PTX instruction from which ptxas makes "
      "it. *assumed*: we assume that the instruction computes the same result as a similar instruction. The meaning of a "
      "modifier may be less certain than the meaning of the instruction. "
      "In a report, the line `meaning` lists the instructions of the kernel that are not measured.\n\n";
  int rows_in_all = 0, executed_in_all = 0;
  std::string body;
  for (const section& part : sections) {
    body +=
        "\n## " + part.title + "\n\n| instruction | encoding | only | executed | meaning |\n|---|---|---|---|---|\n";
    for (const entry& e : part.entries) {
      std::string encodings;
      for (const char c : e.encodings) encodings += c == '*' ? "\\*" : std::string(1, c);
      const std::string executed = e.executed == e.rows ? "yes"
                                   : e.executed == 0    ? "no"
                                                        : std::to_string(e.executed) + " of " + std::to_string(e.rows);
      body += "| " + e.mnemonic + " | " + encodings + " | " + e.only + " | " + executed + " | " +
              (e.executed == 0 ? "" : sass::name_of(e.known)) + " |\n";
      rows_in_all += e.rows;
      executed_in_all += e.executed;
    }
  }
  return s + "`src/sass/opcodes.def` has " + std::to_string(rows_in_all) +
         " rows, and bankwise executes the instructions of " + std::to_string(executed_in_all) +
         " rows. A row of the tables below can combine several rows of this file.\n" + body;
}

}  // namespace
}  // namespace bankwise

int main() try {
  const std::string text = bankwise::page();
  std::fwrite(text.data(), 1, text.size(), stdout);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 2;
}
