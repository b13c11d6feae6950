#include "report/forms/annotations.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "report/sections/time_report.hpp"

namespace bankwise {

namespace {

using check::finding;
using check::novelty;

// Escapes characters that have a meaning in XML. Also escapes characters that XML 1.0 does not allow.
std::string xml(const std::string& text) {
  std::string out;
  for (const char c : printable_lines(text)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\n': out += "&#10;"; break;
      default: out += c == '\t' ? ' ' : c; break;
    }
  }
  return out;
}

// Escapes a text for a GitHub command. A line break would end the command, and the next line could be a second command.
std::string github(const std::string& text, bool property) {
  std::string out, others;
  const auto put_others = [&] { out += printable(std::exchange(others, {})); };
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','))) {
      put_others();
      out += c == '%' ? "%25" : c == '\r' ? "%0D" : c == '\n' ? "%0A" : c == ':' ? "%3A" : "%2C";
    } else {
      others += c;
    }
  }
  put_others();
  return out;
}

struct suite {
  std::string name, cases;
  std::size_t tests = 0, failures = 0, skipped = 0;
};

}  // namespace

std::string to_junit(const std::vector<finding>& findings, const std::vector<check::passed_case>& passed) {
  std::vector<suite> suites;
  const auto suite_of = [&](const std::string& name) -> suite& {
    const auto it = std::find_if(suites.begin(), suites.end(), [&](const suite& s) { return s.name == name; });
    if (it != suites.end()) return *it;
    suites.push_back({name, {}});
    return suites.back();
  };
  for (const check::passed_case& p : passed) {
    suite& s = suite_of(p.group);
    ++s.tests;
    s.cases += formatted("    <testcase classname=\"{}\" name=\"{}\"/>\n", xml(p.group), xml(p.name));
  }
  for (const finding& i : findings) {
    suite& s = suite_of(i.kernel.empty() ? "bankwise" : i.kernel);
    ++s.tests;
    const std::string path = i.path.empty() ? i.file : i.path;
    s.cases += formatted("    <testcase classname=\"{}\" name=\"{}\"", xml(s.name),
                         xml(formatted("{} {}", i.what->id, place_of(i))));
    if (i.line != 0) s.cases += formatted(" file=\"{}\" line=\"{}\"", xml(path), i.line);
    s.cases += ">\n";
    if (i.fails) {
      ++s.failures;
      s.cases += formatted(
          "      <failure type=\"{}\" message=\"{}\">{}</failure>\n", xml(std::string(i.what->name)), xml(i.message),
          xml(formatted("{}bankwise rule {}", i.text.empty() ? "" : formatted("{}: {}\n", place_of(i), i.text),
                        i.what->id)));
    } else {
      ++s.skipped;
      s.cases +=
          formatted("      <skipped message=\"{}\"/>\n",
                    xml(i.suppressed                   ? formatted("suppressed: {}", *i.suppressed)
                        : i.compared == novelty::known ? formatted("the baseline has this finding: {}", i.message)
                                                       : i.message));
    }
    s.cases += "    </testcase>\n";
  }
  std::size_t tests = 0, failures = 0, skipped = 0;
  std::string body;
  const auto counts = [](std::size_t t, std::size_t f, std::size_t s) {
    return formatted(" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\"", t, f, s);
  };
  for (const suite& s : suites) {
    tests += s.tests;
    failures += s.failures;
    skipped += s.skipped;
    body += formatted("  <testsuite name=\"{}\"{}>\n{}  </testsuite>\n", xml(s.name),
                      counts(s.tests, s.failures, s.skipped), s.cases);
  }
  return formatted("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"bankwise\"{}>\n{}</testsuites>\n",
                   counts(tests, failures, skipped), body);
}

std::string to_annotations(const std::vector<finding>& findings) {
  std::string text;
  for (const finding& i : findings) {
    if (!i.fails && (i.suppressed || i.compared == novelty::known)) continue;
    const std::string path = i.path.empty() ? i.file : i.path;
    text += i.what->level == check::severity::note      ? "::notice "
            : i.what->level == check::severity::warning ? "::warning "
                                                        : "::error ";
    if (i.line != 0) text += formatted("file={},line={},", github(path, true), i.line);
    text += formatted("title={}::{}\n", github(formatted("{} {}", i.what->id, i.what->title), true),
                      github(whole_message(i), false));
  }
  return text;
}

}  // namespace bankwise
