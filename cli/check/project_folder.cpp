#include "cli/check/project_folder.hpp"

#include <algorithm>
#include <filesystem>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "cli/check/project_runs.hpp"
#include "cli/input/saved_report.hpp"
#include "cli/input/source_files.hpp"
#include "lsp/uri.hpp"
#include "report/forms/kind_page.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

std::string whole_path(const fs::path& p) {
  std::error_code ec;
  const fs::path whole = fs::weakly_canonical(p, ec);
  return (ec ? p.lexically_normal() : whole).string();
}

lsp::problem problem_of(const diagnostic& d, const std::string& config, bool is_error = true) {
  const bool is_of_config = d.where.file.empty() || whole_path(d.where.file) == config;
  std::string text = d.message + (is_of_config ? "" : formatted(" ({})", d.where.file));
  if (!d.hint.empty()) text += formatted("\n{}", d.hint);
  return {config, is_of_config ? d.where.line : 0, std::move(text), is_error};
}

struct found_report {
  std::string name, file, run;
};

std::vector<found_report> reports_of(const check::config& c, const fs::path& folder, lsp::loaded_folder& to) {
  std::vector<found_report> found;
  std::error_code ec;
  for (const std::string& r : c.reports)
    if (fs::is_regular_file(folder / r, ec))
      found.push_back({r, (folder / r).string(), {}});
    else
      to.problems.push_back({c.name, 0, formatted("the report {} does not exist yet", r), false});
  for (const check::run_entry& r : c.runs)
    if (const fs::path file = folder / c.cache / formatted("{}.json", r.name); fs::is_regular_file(file, ec))
      found.push_back({formatted("the run {}", r.name), file.string(), r.name});
  return found;
}

// Adds the sources of a report. If a run made the report, its sources are the inputs of the run. Otherwise, they are
// the sources that are older than the report.
void add_sources(const check::config& c, const std::string& folder, const found_report& f, const source_files& sources,
                 lsp::known_report& r, std::map<std::string, std::string>& paths) {
  std::map<std::string, std::string> inputs;
  if (!f.run.empty()) inputs = inputs_of({.folder = folder, .asked = &c}, f.run);
  std::error_code ec;
  const auto made = fs::last_write_time(f.file, ec);
  const auto add = [&](const std::string& file) {
    if (file.empty()) return;
    auto known = paths.find(file);
    if (known == paths.end()) {
      const auto found = sources.find(file);
      if (!found || !sources.text(file)) return;
      known = paths.emplace(file, whole_path(*found)).first;
    }
    const std::string& path = known->second;
    if (r.made_of.contains(path)) return;
    if (const auto input = inputs.find(path); input != inputs.end())
      r.made_of[path] = input->second;
    else if (const auto text = sources.text(file); text && fs::last_write_time(path, ec) <= made)
      r.made_of[path] = lsp::fingerprint_of_text(*text);
  };
  for (const launch_report& l : r.what.launches) {
    for (const site& s : l.sites) add(s.file);
    for (const global_site& s : l.global_sites) add(s.file);
    for (const out_of_bounds_access& a : l.out_of_bounds) add(a.place.file);
  }
}

}  // namespace

result<check::config> read_project(const std::string& folder) {
  const std::string file = (fs::path(folder) / usual_config).string();
  const auto text = read_file(file);
  if (!text) return text.error();
  return check::read_config(*text, file);
}

lsp::loaded_folder load_folder(const std::string& folder) {
  lsp::loaded_folder loaded;
  const std::string file = whole_path(fs::path(folder) / usual_config);
  std::error_code ec;
  if (!fs::exists(file, ec)) return loaded;
  loaded.has_config = true;
  auto c = read_project(folder);
  if (!c) {
    loaded.problems.push_back(problem_of(c.error(), file));
    return loaded;
  }
  loaded.has_runs = !c->runs.empty();
  c->name = file;
  arguments below;
  below.values["root"] = {folder};
  const source_files sources(below, file);
  check::verdict_question q;
  for (const found_report& f : reports_of(*c, folder, loaded)) {
    auto r = load_report(f.file);
    if (!r) {
      loaded.problems.push_back(problem_of(r.error(), file));
      continue;
    }
    lsp::known_report known{f.name, std::move(*r), {}};
    add_sources(*c, folder, f, sources, known, loaded.known.paths);
    loaded.known.reports.push_back(std::move(known));
    q.runs.push_back(f.run);
  }
  if (!c->baseline.empty()) {
    const auto text = read_file((fs::path(folder) / c->baseline).string());
    auto known =
        text ? check::read_baseline(*text, c->baseline) : result<std::vector<check::known_finding>>(text.error());
    if (known)
      q.baseline = std::move(*known);
    else
      loaded.problems.push_back(problem_of(known.error(), file));
  }
  q.fails = c->fails.value_or(check::fail_on::fresh);
  q.asked = std::move(*c);
  std::erase_if(q.asked.budgets, [&](const check::budget& b) {
    return !b.run.empty() && std::find(q.runs.begin(), q.runs.end(), b.run) == q.runs.end();
  });
  q.has_all = q.runs.size() == q.asked.reports.size() + q.asked.runs.size();  // false if a run still has no report
  q.source = [&](const std::string& name) { return sources.text(name); };
  for (lsp::known_report& r : loaded.known.reports) q.reports.push_back(std::move(r.what));
  loaded.known.verdict = check::judge(q);
  for (const check::finding& f : loaded.known.verdict.findings)
    if (f.what->id == check::lost_budget) loaded.problems.push_back({file, f.line, f.message, true});
  for (std::size_t i = 0; i < q.reports.size(); ++i) loaded.known.reports[i].what = std::move(q.reports[i]);
  return loaded;
}

std::string page_of_kind(const std::string& folder, std::string_view id) {
  const check::finding_kind* kind = check::find_kind(id);
  const auto c = read_project(folder);
  if (kind == nullptr || !c) return {};
  const fs::path cache = fs::path(folder) / c->cache, page = cache / "rules" / formatted("{}.md", kind->id);
  const std::string text = formatted("# {}\n\n{}", kind->id, kind_markdown(*kind));
  std::error_code ec;
  if (const auto before = fs::is_regular_file(page, ec) ? read_file(page.string()) : result<std::string>(diagnostic{});
      !before || *before != text) {
    if (!make_cache_folder(cache.string())) return {};
    fs::create_directories(page.parent_path(), ec);
    if (ec || !write_file(page.string(), text)) return {};
  }
  return lsp::file_uri(whole_path(page));
}

}  // namespace bankwise::cli
