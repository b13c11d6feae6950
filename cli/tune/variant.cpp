#include "cli/tune/variant.hpp"

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "base/format.hpp"
#include "base/printable.hpp"
#include "base/system/file_lock.hpp"
#include "base/system/files.hpp"
#include "base/system/toolkit.hpp"
#include "base/text.hpp"
#include "cli/check/run_inputs.hpp"
#include "cli/line/own_program.hpp"
#include "cli/line/program_words.hpp"
#include "cli/line/stop_signals.hpp"
#include "cli/nvcc/nvcc.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_reason = 2000;  // characters of a compiler's output that are kept

// Variables of the environment that nvcc and the host's compiler read.
constexpr const char* compiler_variables[] = {"NVCC_APPEND_FLAGS",  "NVCC_PREPEND_FLAGS", "NVCC_CCBIN", "CPATH",
                                              "CPLUS_INCLUDE_PATH", "LIBRARY_PATH",       "PATH",       "CUDA_HOME"};

std::string shortened_reason(std::string text) {
  // The result is about one source, so its name is known.
  if (const std::size_t end = text.find('\n'); end != std::string::npos && text.starts_with("nvcc could not compile "))
    text.erase(0, end + 1);
  return printable_lines(text.size() <= most_reason ? text : text.substr(0, most_reason) + "...");
}

// The key of a compilation: everything that is known before it. What nvcc reads is compared afterwards.
std::string compilation_key(const tune_request& r, const std::vector<std::string>& flags) {
  const auto& own = hash_of_own_program();
  if (!own) return "";
  const std::string nvcc = find_tool("nvcc");
  std::error_code ec;
  std::vector<std::string> parts{"compile",
                                 *own,
                                 fs::absolute(r.input, ec).string(),
                                 fs::current_path(ec).string(),
                                 r.is_program ? "program" : "cubin",
                                 r.given.value("arch").value_or("")};
  const fs::path real = fs::canonical(nvcc, ec);
  parts.push_back(real.string());
  parts.push_back(stamp_of_file(real.string()));
  for (const char* name : compiler_variables) {
    const char* value = std::getenv(name);
    parts.push_back(formatted("{}={}", name, value != nullptr ? value : ""));
  }
  parts.insert(parts.end(), flags.begin(), flags.end());
  return content_key(parts);
}

// Reads the files of a rule for make, as nvcc -MD writes it: "a.o : b.cu \" and further lines.
std::vector<std::string> files_of_rule(const std::string& text) {
  std::vector<std::string> files;
  const std::size_t colon = text.find(" : ");
  if (colon == std::string::npos) return files;
  std::string name;
  for (std::size_t at = colon + 3; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n') {
      name += text[++at];
    } else if (text[at] == ' ' || text[at] == '\n' || text[at] == '\\' || text[at] == '\t') {
      if (!name.empty()) files.push_back(std::move(name));
      name.clear();
    } else {
      name += text[at];
    }
  }
  if (!name.empty()) files.push_back(std::move(name));
  return files;
}

// Adds the files of a preprocessed text, whose lines after an #include begin with: # 1 "FILE"
void add_files_of_markers(const std::string& text, std::set<std::string>& files) {
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    if (text.compare(at, 2, "# ") != 0) continue;
    std::size_t quote = at + 2;
    while (quote < text.size() && text[quote] >= '0' && text[quote] <= '9') ++quote;
    if (quote == at + 2 || text.compare(quote, 2, " \"") != 0) continue;
    std::string name;
    for (quote += 2; quote < text.size() && text[quote] != '"' && text[quote] != '\n'; ++quote) {
      if (text[quote] == '\\' && quote + 1 < text.size()) ++quote;
      name += text[quote];
    }
    // Names such as <built-in> stand for no file, and a name that ends with // is a folder.
    if (!name.empty() && name[0] != '<' && !name.ends_with("//")) files.insert(std::move(name));
  }
}

// Returns the files that nvcc read, from the preprocessed texts that --keep left in the folder, and removes the texts.
// The rule of -MD has the same files, but nvcc preprocesses the source again for it.
std::vector<std::string> files_of_kept_texts(const std::string& folder) {
  std::set<std::string> files;
  std::error_code ec;
  std::vector<fs::path> texts;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end; at.increment(ec))
    if (at->path().extension() == ".ii") texts.push_back(at->path());
  for (const fs::path& path : texts) {
    if (const auto text = read_file(path.string())) add_files_of_markers(*text, files);
    fs::remove(path, ec);
  }
  return {files.begin(), files.end()};
}

// Returns the file that an earlier compilation made, if no file that it read has changed.
std::optional<std::string> find_compiled(const tune_cache& cache, const std::string& key) {
  const auto text = cache.find(key);
  if (!text) return std::nullopt;
  const auto entry = nlohmann::json::parse(*text, nullptr, false);
  if (!entry.is_object() || !entry.contains("made") || !entry["made"].is_string() || !entry.contains("read") ||
      !entry["read"].is_object())
    return std::nullopt;
  for (const auto& [path, hash] : entry["read"].items())
    if (!hash.is_string() || known_file_key(path) != hash.get<std::string>()) return std::nullopt;
  return cache.find_file(entry["made"].get<std::string>());
}

// Keeps what was compiled. `files` are those that the compiler read, and `begun` is the time when the compilation began.
void keep_compiled(const tune_cache& cache, const std::string& key, const std::vector<std::string>& files,
                   file_time begun, const variant& made) {
  if (key.empty() || !cache.is_on()) return;
  nlohmann::json read = nlohmann::json::object();
  for (const std::string& file : files) {
    if (is_new_since(file, begun)) return;  // the compiler may have read the file as it was before
    read[file] = known_file_key(file);
    if (read[file] == "") return;  // a generated file that is gone
  }
  if (read.empty()) return;
  cache.keep(key, nlohmann::json{{"made", made.key}, {"read", read}}.dump(-1, ' ', false,
                                                                          nlohmann::json::error_handler_t::replace));
}

variant finished(const tune_cache& cache, const std::string& path) {
  variant v{cache.keep_file(path), {}, {}};
  v.key = file_key(v.file);
  if (v.key.empty()) return {{}, {}, formatted("cannot read {}", path)};
  return v;
}

variant compile_variant(const tune_request& r, std::size_t index, const tune_cache& cache, const std::string& folder) {
  std::vector<std::string> flags = compiler_flags(r, r.all.configurations[index]);
  const std::string key = compilation_key(r, flags);
  if (const auto file = find_compiled(cache, key)) return {*file, file_key(*file), {}};
  const std::string rule = formatted("{}/rule", folder), file = formatted("{}/made", folder);
  if (r.is_program)
    flags.insert(flags.end(), {"-MD", "-MF", rule});
  else if (cache.is_on())
    flags.insert(flags.end(), {"--keep", "--keep-dir", folder});
  const file_time begun = file_time_now();
  const compilation what{r.input, r.given.value("arch"), std::move(flags), index != 0};
  if (r.is_program) {
    if (const auto compiled = compile_program(what, file); !compiled)
      return {{}, {}, shortened_reason(compiled.error().message)};
  } else {
    const auto bytes = compile_cubin(what);
    if (!bytes) return {{}, {}, shortened_reason(bytes.error().message)};
    if (const auto written = write_file(file, *bytes); !written) return {{}, {}, written.error().message};
  }
  variant v = finished(cache, file);
  const auto text = r.is_program ? read_file(rule) : result<std::string>(std::string());
  keep_compiled(cache, key, r.is_program ? files_of_rule(text ? *text : "") : files_of_kept_texts(folder), begun, v);
  return v;
}

// Runs the command of --build, which makes the program in its usual place, and copies the program from there.
variant build_variant(const tune_request& r, std::size_t index, const tune_cache& cache, const std::string& folder) {
  // Builds write to the same files, also those of other processes in this folder.
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::error_code ec;
  const std::string here = fs::current_path(ec).string();
  const auto alone = file_lock::take_folder(here, stop_signal(), [&] {
    tell(formatted("waiting for another bankwise process, which is building in {}", here));
  });
  if (!alone) return {{}, {}, alone.error().message};
  const std::string heard = formatted("{}/heard", folder);
  const auto status =
      run_and_hear({"/bin/sh", "-c", r.build}, heard, &stop_signal(), {}, variables_of(r, r.all.configurations[index]));
  if (!status) return {{}, {}, status.error().message};
  const auto said = read_file(heard);
  if (*status != 0)
    return {
        {}, {}, shortened_reason(formatted("the build ended with status {}\n{}", *status, said ? trim(*said) : ""))};
  const std::string program = find_program(r.input);
  if (program.empty()) return {{}, {}, formatted("the build did not make the program {}", r.input)};
  const std::string copy = formatted("{}/{}", folder, base_name(program));
  fs::copy_file(program, copy, ec);
  if (ec) return {{}, {}, formatted("cannot copy {}: {}", program, ec.message())};
  return finished(cache, copy);
}

}  // namespace

variant make_variant(const tune_request& r, std::size_t index, const tune_cache& cache, const std::string& folder) {
  if (!r.build.empty()) return build_variant(r, index, cache, folder);
  if (r.is_compiled) return compile_variant(r, index, cache, folder);
  const std::string file = r.is_program ? find_program(r.input) : r.input;
  if (file.empty()) return {{}, {}, formatted("there is no program {}", r.input)};
  return {r.is_program ? r.input : file, file_key(file), {}};
}

}  // namespace bankwise::cli
