#include "cli/check/run_inputs.hpp"

#include <glob.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <set>
#include <string_view>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "check/findings.hpp"
#include "cli/check/missed_headers.hpp"
#include "cli/check/system_folders.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/line/verbs.hpp"
#include "cli/run/kernel_arguments.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

// Environment variables that compilers, the loader or bankwise read.
constexpr const char* read_variables[] = {
    "NVCC_APPEND_FLAGS",  "NVCC_PREPEND_FLAGS", "NVCC_CCBIN",    "CPATH",           "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",       "COMPILER_PATH", "GCC_EXEC_PREFIX", "CUDA_HOME",
    "CUDA_PATH",          "LD_LIBRARY_PATH",    "LD_PRELOAD",    "LD_AUDIT"};
// Size in bytes of the largest file that is hashed. For a larger file, the size and the time are compared.
constexpr std::uintmax_t most_hashed = std::uintmax_t{1} << 26;
constexpr std::string_view absent = "absent", found_there = "present", changed_meanwhile = "changed";

std::string hash_of(const std::string& text) { return check::fingerprint_of({text}); }

void put(const std::string& what, const std::string& name, made_of& to) {
  if (name.find('\n') == std::string::npos) to.push_back(formatted("{} {}", what, name));
}

// Returns a hash of a file's size and time. This is enough if a change replaces the file by a new file.
std::string stamp_of(const fs::path& file) {
  std::error_code ec;
  const auto size = fs::file_size(file, ec);
  const auto time = fs::last_write_time(file, ec).time_since_epoch().count();
  return hash_of(ec ? "" : formatted("{} {}", size, time));
}
void add_tool(const std::string& name, const fs::path& file, made_of& to) { put(stamp_of(file), name, to); }

// Returns a hash of a file's contents. For large files and for files of the system, returns a hash of the size and the
// time of the last change instead. Returns "unreadable" if the file cannot be read, and an empty string if it does not
// exist.
std::string hash_of_file(const fs::path& folder, const std::string& file) {
  std::error_code ec;
  const fs::path path = folder / file;
  if (!fs::is_regular_file(path, ec)) return {};
  const auto size = fs::file_size(path, ec);
  if (!ec && (size > most_hashed || is_of_system(file))) return stamp_of(path);
  const auto text = read_file(path.string());
  return text ? hash_of(*text) : "unreadable";
}
void add_file(const fs::path& folder, const std::string& file, made_of& to) {
  if (const std::string hash = hash_of_file(folder, file); !hash.empty()) put(hash, file, to);
}

// Reads make rules. A rule is a line such as "transpose.o : transpose.cu \", with more names on later lines. In a name,
// each blank is written with a \ before it. There may be several rules.
void add_names_of_rules(std::string_view text, std::set<std::string>& to) {
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (end < text.size() && (text[end] != '\n' || (end > begin && text[end - 1] == '\\'))) ++end;
    const std::string_view rule = text.substr(begin, end - begin);
    begin = end + 1;
    std::size_t colon = rule.find(": ");
    if (colon == std::string_view::npos) continue;
    std::string name;
    for (std::size_t i = colon + 2; i <= rule.size(); ++i) {
      const char c = i < rule.size() ? rule[i] : '\n';
      if (c == '\\' && i + 1 < rule.size() && (rule[i + 1] == ' ' || rule[i + 1] == '#')) {
        name += rule[++i];
      } else if (c == '$' && i + 1 < rule.size() && rule[i + 1] == '$') {
        name += rule[++i];
      } else if (c == ' ' || c == '\n' || (c == '\\' && i + 1 < rule.size() && rule[i + 1] == '\n')) {
        if (!name.empty()) to.insert(name);
        name.clear();
      } else {
        name += c;
      }
    }
  }
}

// Adds the libraries from nvcc's arguments `-L folder` and `-l name`.
void add_linked(const fs::path& folder, const std::vector<std::string>& flags, made_of& to) {
  std::vector<std::string> folders, names;
  for (std::size_t i = 0; i < flags.size(); ++i)
    for (const auto& [flag, list] : {std::pair("-L", &folders), std::pair("-l", &names)}) {
      const std::string& word = flags[i];
      if (word == flag && i + 1 < flags.size()) list->push_back(flags[i + 1]);
      if (word.size() > 2 && word.starts_with(flag) && !word.starts_with("-lineinfo")) list->push_back(word.substr(2));
    }
  for (const std::string& at : folders)
    for (const std::string& name : names)
      for (const char* ending : {".so", ".a"}) {
        const std::string file = (fs::path(at) / formatted("lib{}{}", name, ending)).string();
        if (const std::string hash = hash_of_file(folder, file); !hash.empty())
          put(hash, file, to);
        else
          put(std::string(absent), file, to);
      }
}

std::vector<std::string> nvcc_words(const program_words& parts) {
  std::vector<std::string> flags;
  constexpr std::string_view nvcc_flag = "--nvcc=";
  for (const std::string& w : parts.ours)
    if (w.starts_with(nvcc_flag)) flags.push_back(w.substr(nvcc_flag.size()));
  return flags;
}

// Adds the files that nvcc reads for a .cu file, and the files that it would read if they existed.
void add_headers(const project& p, const program_words& parts, const read_log& log, file_time begun,
                 const std::string& scratch, made_of& to) {
  const std::string nvcc = find_tool("nvcc"), heard = formatted("{}/headers", scratch);
  add_tool("nvcc", nvcc, to);
  const std::vector<std::string> flags = nvcc_words(parts);
  std::vector<std::string> asked{nvcc, "-M"};
  asked.insert(asked.end(), flags.begin(), flags.end());
  asked.insert(asked.end(), {"-Xcompiler", "-v", parts.input});
  std::set<std::string> names;
  header_search search;
  const auto& stop = p.stop != nullptr ? *p.stop : stop_signal();
  if (const auto status = run_and_hear(asked, heard, &stop, p.folder); status && *status == 0)
    if (const auto said = read_file(heard)) {
      // With -v, the output has more text before and after the make rule of -M.
      if (const std::size_t rule = said->find(" : "); rule != std::string::npos)
        add_names_of_rules(std::string_view(*said).substr(said->rfind('\n', rule) + 1), names);
      search = read_header_search(*said);
    }
  // nvcc compiles the file for the GPU and for the host, and both compilations may read different files.
  std::error_code ec;
  if (fs::is_regular_file(log.compilers, ec))
    if (const auto rules = read_file(log.compilers)) add_names_of_rules(*rules, names);
  std::vector<std::string> sources{parts.input};
  for (const std::string& name : names) {
    if (!fs::is_regular_file(fs::path(p.folder) / name, ec)) continue;
    if (name != parts.input) sources.push_back(name);
    if (is_new_since(fs::path(p.folder) / name, begun))
      put(std::string(changed_meanwhile), name, to);
    else
      add_file(p.folder, name, to);
  }
  const asked_headers headers = find_asked_headers(sources, search, p.folder);
  for (const std::string& file : headers.missing) put(std::string(absent), file, to);
  for (const std::string& file : headers.found) put(std::string(found_there), file, to);
  add_linked(p.folder, flags, to);
}

// Adds the files that the loader mapped into the processes of the run.
void add_libraries(const read_log& log, file_time begun, made_of& to) {
  std::error_code ec;
  if (!fs::is_regular_file(log.loader, ec)) return;
  const auto text = read_file(log.loader);
  if (!text) return;
  std::set<std::string> lines;
  for (const std::string_view line : split(*text, '\n'))
    if (line.starts_with('/') || line.starts_with("-/")) lines.insert(std::string(line));
  for (const std::string& line : lines) {
    const bool was_there = line[0] != '-';
    const std::string path = was_there ? line : line.substr(1);
    const bool is_there = fs::is_regular_file(path, ec);
    if (!was_there && !is_there && !is_of_system(path)) put(std::string(absent), path, to);
    // A file may no longer exist. For example, a program that bankwise compiles is deleted after the run.
    if (!was_there || !is_there) continue;
    if (is_new_since(path, begun))
      put(std::string(changed_meanwhile), path, to);
    else
      add_file("/", path, to);
  }
}

}  // namespace

file_time file_time_now() {
  // A file that was written just before this call must not count as new. The times of files come from the exact clock
  // or from the coarse clock. The coarse clock is late by a few milliseconds, or by more on a busy machine. So this
  // loop waits until the coarse clock has passed the current exact time. The loop has a limit, because the clock may be
  // set back.
  constexpr int most_turns = 200;  // limits the loop to 100 ms
  timespec first{}, now{};
  ::clock_gettime(CLOCK_REALTIME, &first);
  for (int turn = 0; turn < most_turns; ++turn) {
    const timespec soon{0, 500'000};
    ::nanosleep(&soon, nullptr);
    ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec > first.tv_sec || (now.tv_sec == first.tv_sec && now.tv_nsec > first.tv_nsec)) break;
  }
  return {now.tv_sec, now.tv_nsec};
}

bool is_new_since(const fs::path& path, file_time begun) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return false;
  return s.st_ctim.tv_sec > begun.seconds ||
         (s.st_ctim.tv_sec == begun.seconds && s.st_ctim.tv_nsec >= begun.nanoseconds);
}

std::vector<std::pair<std::string, std::string>> variables_of(const read_log& log) {
  std::vector<std::pair<std::string, std::string>> all{{"BANKWISE_LOADED", log.loader}};
  // gcc splits the value of this variable at blanks, so the path must not contain a blank.
  if (log.compilers.find(' ') == std::string::npos)
    all.emplace_back("SUNPRO_DEPENDENCIES", formatted("{} read", log.compilers));
  return all;
}

result<made_of> known_inputs(const project& p, const check::run_entry& r, const std::vector<std::string>& words) {
  made_of of;
  std::string joined, environment;
  for (const std::string& w : words) joined += formatted("{}\n", w);
  of.push_back(formatted("{} the command", hash_of(joined)));
  for (const char* name : read_variables)
    if (const char* value = std::getenv(name)) environment += formatted("{}={}\n", name, value);
  of.push_back(formatted("{} the environment", hash_of(environment)));
  add_tool("bankwise", "/proc/self/exe", of);
  for (const std::string& w : words) {
    add_file(p.folder, w, of);
    // Adds the files that arguments name, as in --arg f32[]=file:input.npy, and in a struct: {f32[]=file:input.npy,
    // i32=64}.
    constexpr std::string_view flag = "--arg=";
    if (const auto a = parse_argument(w.starts_with(flag) ? w.substr(flag.size()) : w, 1))
      for (const std::string& file : files_of(*a)) add_file(p.folder, file, of);
    if (const std::size_t at = w.find('='); w.starts_with("-") && at != std::string::npos)
      add_file(p.folder, w.substr(at + 1), of);
  }
  if (const program_words parts = part_words(words, *find_verb("run")); !parts.input.empty())
    if (const std::string program = find_program(parts.input); program.starts_with("/")) add_file("/", program, of);
  for (const std::string& pattern : r.inputs) {
    glob_t found{};
    const std::string whole = (fs::path(p.folder) / pattern).string();
    const int failed = ::glob(whole.c_str(), 0, nullptr, &found);
    std::vector<std::string> files;
    if (failed == 0) files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (files.empty()) {
      location where{.file = p.asked->name};
      if (!where.file.empty()) where.line = r.config_line;
      return diagnostic{
          formatted("the run {}: `inputs` contains the pattern {}, which matches no file", r.name, pattern), where};
    }
    for (const std::string& file : files) add_file("/", fs::absolute(file).string(), of);
  }
  return of;
}

void add_read_files(const project& p, const std::vector<std::string>& words, const read_log& log, file_time begun,
                    const std::string& scratch, made_of& to) {
  const program_words parts = part_words(words, *find_verb("run"));
  if (kind_of_input(parts.input) == input_kind::source) add_headers(p, parts, log, begun, scratch, to);
  add_libraries(log, begun, to);
}

std::string as_text(const made_of& of) {
  std::string s;
  std::set<std::string_view> seen;
  for (const std::string& line : of)
    if (seen.insert(line).second) s += formatted("{}\n", line);
  return s;
}

bool is_as_before(const project& p, const std::string& file, const made_of& known) {
  std::error_code ec;
  if (!fs::is_regular_file(file, ec)) return false;
  const auto text = read_file(file);
  const std::string first = as_text(known);
  if (!text || !text->starts_with(first)) return false;
  for (const std::string_view line : split(std::string_view(*text).substr(first.size()), '\n')) {
    if (line.empty()) continue;
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos) return false;
    const std::string_view hash = line.substr(0, blank);
    const std::string name(line.substr(blank + 1));
    const fs::path path = fs::path(p.folder) / name;
    bool same = false;
    if (hash == absent)
      same = !fs::exists(path, ec);
    else if (hash == found_there)
      same = fs::exists(path, ec);
    else if (name == "nvcc")
      same = stamp_of(find_tool(name)) == hash;
    else
      same = hash_of_file(p.folder, name) == hash;
    if (!same) return false;
  }
  return true;
}

}  // namespace bankwise::cli
