#include "cli/line/program_words.hpp"

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/format.hpp"
#include "base/text.hpp"
#include "cli/line/flags.hpp"

namespace bankwise::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kernel_endings[] = {".ptx", ".cubin", ".fatbin", ".o", ".so", ".a"};

bool is_executable(const std::string& path) {
  std::error_code ec;
  return fs::is_regular_file(path, ec) && ::access(path.c_str(), X_OK) == 0;
}

// Whether a file has machine code of a GPU, whatever its name is. The file may be a cubin, a fatbin, or the record that
// nvcc puts around a fatbin.
bool holds_kernels(const std::string& path) {
  unsigned char head[20] = {};
  std::error_code ec;
  if (!fs::is_regular_file(path, ec)) return false;
  std::FILE* in = std::fopen(path.c_str(), "rb");
  if (in == nullptr) return false;
  const std::size_t n = std::fread(head, 1, sizeof head, in);
  std::fclose(in);
  if (n < sizeof head) return false;
  std::uint32_t magic = 0;
  std::memcpy(&magic, head, sizeof magic);
  constexpr std::uint32_t fatbin = 0xba55ed50, wrapper = 0x466243b1;
  constexpr unsigned char elf_of_cuda = 190;  // e_machine of a cubin
  return magic == fatbin || magic == wrapper || (std::memcmp(head, "\177ELF", 4) == 0 && head[18] == elf_of_cuda);
}

// Finds the flag at the start of a word, as in "--grid", "--grid=4", "-k" or "-kNAME".
const flag* find_flag(std::string_view word, const verb& v) {
  for (const flag& f : flags()) {
    if (!takes(f, v.name)) continue;
    std::vector<std::string_view> names = split(f.also, ' ');
    const std::string own = formatted("--{}", long_name(f));
    names.push_back(own);
    for (const std::string_view name : names)
      if (!name.empty() && (word == name || word.starts_with(formatted("{}=", name)))) return &f;
    if (const char c = short_name(f); c != '\0' && word.size() > 1 && word[0] == '-' && word[1] == c) return &f;
  }
  return nullptr;
}

// Whether the system cannot start a Python script itself, because the script is not executable or has no interpreter in
// its first line.
bool needs_python(const std::string& file) {
  std::error_code ec;
  if (!file.ends_with(".py") || !fs::is_regular_file(file, ec)) return false;
  char head[2] = {};
  std::FILE* in = std::fopen(file.c_str(), "rb");
  if (in == nullptr) return true;
  const std::size_t n = std::fread(head, 1, sizeof head, in);
  std::fclose(in);
  return !is_executable(file) || n < sizeof head || head[0] != '#' || head[1] != '!';
}

bool is_flag(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

input_kind kind_of_input(const std::string& file) {
  if (file.ends_with(".cu")) return input_kind::source;
  if (file == "-") return input_kind::kernels;
  for (const std::string_view ending : kernel_endings)
    if (file.ends_with(ending)) return input_kind::kernels;
  if (holds_kernels(file)) return input_kind::kernels;
  return find_program(file).empty() && !needs_python(file) ? input_kind::kernels : input_kind::program;
}

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable(name) ? name : "";
  if (const char* path = std::getenv("PATH"); path != nullptr && !name.empty())
    for (const std::string_view folder : split(path, ':'))
      if (std::string at = formatted("{}/{}", folder, name); !folder.empty() && is_executable(at)) return at;
  return is_executable(name) ? formatted("./{}", name) : "";
}

namespace {

// Takes the words after --nvcc, such as "-I include -DN=4", up to the next flag of bankwise or the input file. `at` is
// the index of --nvcc, and is set to the index of the last word. The words are added to `to`.
void take_nvcc_words(const std::vector<std::string>& words, std::size_t& at, const verb& v,
                     std::vector<std::string>& to) {
  const auto is_input = [](std::string_view word) {
    return !is_flag(word) && (word.ends_with(".cu") || word.ends_with(".cubin") || word.ends_with(".fatbin"));
  };
  // The whole word is compared, because nvcc's -arch begins like bankwise's -a.
  const auto is_ours = [&](std::string_view word) {
    for (const flag& f : flags())
      for (const std::string_view name : split(f.name, ','))
        if (takes(f, v.name) && (word == name || word.starts_with(formatted("{}=", name)))) return true;
    for (const flag& f : flags())
      for (const std::string_view name : split(f.also, ' '))
        if (!name.empty() && takes(f, v.name) && (word == name || word.starts_with(formatted("{}=", name))))
          return true;
    return word == "--help" || word == "-h" || word == "--";
  };
  bool any = false;
  for (; at + 1 < words.size() && !is_ours(words[at + 1]) && !is_input(words[at + 1]); any = true)
    to.push_back(formatted("--nvcc={}", words[++at]));
  if (!any) to.emplace_back("--nvcc");  // if no word follows --nvcc, the parser reports the error
}

// If the word at index `at` is a flag of bankwise, adds the flag and its value to `to`, sets `at` to the index of the
// last added word, and returns true.
bool take_flag(const std::vector<std::string>& words, std::size_t& at, const verb& v, std::vector<std::string>& to) {
  const std::string& word = words[at];
  if (word == "--nvcc") {
    take_nvcc_words(words, at, v, to);
    return true;
  }
  to.push_back(word);
  const flag* f = find_flag(word, v);
  const bool is_whole = word.starts_with("--") ? word.find('=') == std::string::npos : word.size() == 2;
  if (f != nullptr && f->count != arity::none && is_whole && at + 1 < words.size()) to.push_back(words[++at]);
  return f != nullptr;
}

// If there are only flags of bankwise from index `at` to the word "--", adds these flags to `to` and returns the index
// of "--". Otherwise returns 0.
std::size_t take_flags_to_dashes(const std::vector<std::string>& words, std::size_t at, const verb& v,
                                 std::vector<std::string>& to) {
  std::vector<std::string> taken;
  for (; at < words.size(); ++at) {
    if (words[at] == "--") {
      to.insert(to.end(), taken.begin(), taken.end());
      return at;
    }
    if (!is_flag(words[at]) || !take_flag(words, at, v, taken)) return 0;
  }
  return 0;
}

}  // namespace

bool names_program(const std::vector<std::string>& words, const verb& v) {
  std::vector<std::string> ours;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      if (i + 1 == words.size()) return false;
      const std::string& next = words[i + 1];
      std::error_code ec;
      // A word such as 'ld a[t]' after -- is an access, unless a file has this name.
      if (next.find_first_of(" []*()") != std::string::npos && !fs::exists(next, ec)) return false;
      return words.size() != i + 2 || !next.ends_with(".json");
    }
    if (is_flag(word)) {
      take_flag(words, i, v, ours);
      continue;
    }
    if (word.ends_with(".json") || word.find_first_of(" []") != std::string::npos) return false;
    if (word.find('/') != std::string::npos || word.ends_with(".cu")) return true;
    for (const std::string_view ending : kernel_endings)
      if (word.ends_with(ending)) return true;
    std::error_code ec;
    return kind_of_input(word) == input_kind::program || fs::is_regular_file(word, ec);
  }
  return false;
}

namespace {

// Finds the words of a program that look like flags of bankwise. Short flags other than -o are not found, because many
// programs have such flags. Words after -- are the program's.
void find_mistaken(program_words& p, const verb& v) {
  for (std::size_t i = 0; i < p.its.size(); ++i) {
    const std::string& word = p.its[i];
    if (word == "--") {
      p.others.insert(p.others.end(), p.its.begin() + static_cast<std::ptrdiff_t>(i), p.its.end());
      return;
    }
    if ((word == "-o" || word.starts_with("--")) && find_flag(word, v) != nullptr)
      take_flag(p.its, i, v, p.mistaken);
    else
      p.others.push_back(word);
  }
}

program_words part_at_input(const std::vector<std::string>& words, const verb& v) {
  program_words p;
  const auto rest = [&](std::size_t from) {
    p.its.assign(words.begin() + static_cast<std::ptrdiff_t>(from), words.end());
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") {
      rest(i + 1);
      if (p.input.empty() && !p.its.empty()) {
        p.input = p.its.front();
        p.its.erase(p.its.begin());
      }
      break;
    }
    if (is_flag(word)) {
      if (!p.input.empty()) p.after.push_back(word);
      take_flag(words, i, v, p.ours);
      continue;
    }
    if (!p.input.empty()) {
      rest(i);
      find_mistaken(p, v);
      break;
    }
    p.input = word;
    const bool may_be_file = v.words_are != verb_words::program;
    if (may_be_file && kind_of_input(word) != input_kind::program) continue;
    const std::size_t dashes = may_be_file ? take_flags_to_dashes(words, i + 1, v, p.ours) : 0;
    rest((dashes != 0 ? dashes : i) + 1);
    if (dashes == 0 && !p.its.empty() && p.its.front() == "--")
      p.its.erase(p.its.begin());
    else if (dashes == 0)
      find_mistaken(p, v);
    break;
  }
  return p;
}

}  // namespace

program_words part_words(const std::vector<std::string>& words, const verb& v) {
  program_words p = part_at_input(words, v);
  if (needs_python(p.input)) {
    p.others.insert(p.others.begin(), p.input);
    p.its.insert(p.its.begin(), std::exchange(p.input, "python3"));
  }
  return p;
}

}  // namespace bankwise::cli
