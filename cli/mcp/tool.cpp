#include "cli/mcp/tool.hpp"

#include <algorithm>
#include <limits>

#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise::mcp {

namespace {

using enum field_kind;

constexpr field gpu_field = {"gpu", text, "gpu",
                             "predict times for this GPU, such as 'H200' or 'RTX 4090' (default: H100 SXM)"};
constexpr field seconds_field = {"seconds", own, "", "stop after this many seconds (default 600)"};

constexpr field explain_fields[] = {
    {"access", word, "", "the access of lane t, such as 'tile[t][0]' for an array, or a byte offset such as 't * 8'",
     true},
    {"array", texts, "array", "declarations of arrays, such as 'float tile[32][33]'"},
    {"space", text, "space", "shared (default) or global"},
    {"op", text, "op", "the operation, such as ld, st, ldmatrix.x4, cp.async.cg"},
    {"type", text, "type", "the type of an element, such as float4. The access is then in elements"},
    {"block", text, "block", "threads of the block, such as '32,8', if the access uses threadIdx"},
    {"where", text, "where", "the active lanes as a condition, such as 't < 16'"},
    {"let", texts, "let", "constants, such as 'n=32'"},
    {"pad", text, "pad", "a gap after each piece: '128:4' is 4 bytes after every 128"},
    {"swizzle", text, "swizzle", "CuTe's Swizzle<B,M,S> as 'B,M,S'"},
    {"arch", text, "arch", "the architecture (default sm_90): sm_80, A100, MI300X, 32x4, ..."},
};
constexpr field run_fields[] = {
    {"file", word, "", "a .cu, .ptx, .cubin or .fatbin file, an executable or a script, relative to the root", true},
    {"arguments", words, "", "arguments of the program"},
    {"kernel", text, "kernel", "the kernel to run or to report"},
    {"grid", text, "grid", "blocks, such as '32,32': runs one kernel instead of the program"},
    {"block", text, "block", "threads of a block, such as '32,8'"},
    {"args", texts, "arg",
     "with grid: the kernel's arguments in order, such as 'out:f32[1M]', 'f32[1M]=iota', 'i32=1024'"},
    {"shared", integer, "shared", "with grid: bytes of dynamic shared memory"},
    {"nvcc", texts, "nvcc", "flags for nvcc"},
    {"check", text, "check", "look for faults: all, or some of memory, race, init, sync"},
    {"caches", text, "caches", "cold or warm"},
    {"arch", text, "arch", "compile a .cu file for this architecture"},
    gpu_field,
    seconds_field,
};
constexpr field fix_fields[] = {
    {"file", word, "", "a .cu file, a program or a kernel file. Without it, pass array and accesses"},
    {"arguments", words, "", "arguments of the program"},
    {"accesses", words, "", "all accesses of an array, such as 'st tile[threadIdx.y][threadIdx.x]'"},
    {"array", texts, "array", "with accesses: the declaration of the array"},
    {"block", text, "block", "with accesses: threads of the block, such as '32,8'"},
    {"kernel", text, "kernel", "fix only this kernel"},
    {"patch", yes, "patch", "print the edits as a patch, and change nothing"},
    {"apply", yes, "apply", "make the edits, compile and run again, and restore the files if an edit does not help"},
    {"build", text, "check", "with apply and an executable: the shell command that builds it"},
    seconds_field,
};
constexpr field tune_fields[] = {
    {"file", word, "", "a .cu file, a cubin or a program", true},
    {"arguments", words, "", "arguments of the program; an expression in braces is replaced by its value"},
    {"values", texts, "define", "macros with their values, such as 'TILE=16,32' or 'STAGES=2..4'", true},
    {"where", texts, "where", "conditions on the values, such as 'TILE*STAGES<=128'"},
    {"kernel", text, "kernel", "the kernel"},
    {"grid", text, "grid", "blocks as expressions of the values, such as 'N/TILE,N/TILE'"},
    {"block", text, "block", "threads of a block"},
    {"args", texts, "arg", "the kernel's arguments in order"},
    {"let", texts, "let", "constants, such as 'N=1024'"},
    {"build", text, "build",
     "for an executable: the shell command that builds a configuration, such as 'make -B TILE=$TILE'"},
    gpu_field,
    seconds_field,
};
constexpr field diff_fields[] = {
    {"before", report, "", "the handle of a run, or a report's file", true},
    {"after", report, "", "the handle of a later run, or a report's file", true},
    seconds_field,
};
constexpr field check_fields[] = {
    {"report", report, "", "the handle of a run, or a report's file. Without it, the runs of bankwise.toml"},
    {"run", texts, "run", "only these runs of bankwise.toml"},
    seconds_field,
};
constexpr field arch_fields[] = {
    {"name", word, "", "an architecture or GPU, such as sm_90, A100, MI300X", true},
};
constexpr field rule_fields[] = {
    {"id", word, "", "the id of a finding, such as BW101", true},
};
constexpr field more_fields[] = {
    {"handle", own, "", "the handle of an earlier result", true},
    {"at", own, "", "the place in the result: the value of a key \"more\" (default: the whole result)"},
    {"from", own, "",
     "the first item of a list, member of an object or byte of a text, from 0, as \"from\" or the text's end says"},
};

const std::vector<tool>& tool_table() {
  static const std::vector<tool> table = {
      {"explain",
       "Explain one access",
       "What one shared or global memory access of a warp costs, which lanes and banks collide, and why.",
       {"explain", "--format", "json"},
       explain_fields,
       result_kind::value},
      {"run",
       "Run a kernel or program",
       "Executes a CUDA program or one kernel on the CPU, without a GPU. Returns the predicted time of each kernel, and what to change "
       "next, first what saves the most time. The whole report has a handle for diff, check and more.",
       {"run", "--format", "json", "--fix"},
       run_fields,
       result_kind::report,
       true},
      {"fix",
       "Find or make an edit",
       "Finds the padding or swizzle that removes the conflicts of an array. With apply, edits the sources and keeps an edit only if the "
       "program still computes the same and costs less.",
       {"fix"},
       fix_fields,
       result_kind::text,
       true,
       {"--format", "json"}},
      {"tune",
       "Choose among configurations",
       "Predicts the time of each configuration of a kernel or program, and ranks those that give the same results.",
       {"tune", "--format", "json"},
       tune_fields,
       result_kind::value,
       true},
      {"diff",
       "Compare two runs",
       "What changed between two reports, line by line.",
       {"diff", "--format", "json"},
       diff_fields,
       result_kind::value},
      {"check",
       "Check budgets",
       "Checks a report, or the runs of bankwise.toml, against budgets and a baseline.",
       {"check", "--format", "json"},
       check_fields,
       result_kind::value,
       true},
      {"arch",
       "Describe a GPU",
       "The banks of an architecture, and the evidence for its rule.",
       {"arch"},
       arch_fields,
       result_kind::text},
      {"rule",
       "Explain a finding",
       "What a finding means, with an example and its remedy.",
       {"rule", "--format", "markdown"},
       rule_fields,
       result_kind::text},
      {"more",
       "Read more of a result",
       "A part of an earlier result that did not fit.",
       {},
       more_fields,
       result_kind::stored},
  };
  return table;
}

diagnostic wrong(const field& f, std::string_view expected) {
  return diagnostic{formatted("argument {} must be {}", f.name, expected)};
}

// Whether a value holds text without zero bytes, which no command line can pass on.
const std::string* word_in(const json& value) {
  const auto* s = value.get_ptr<const std::string*>();
  return s != nullptr && s->find('\0') == std::string::npos ? s : nullptr;
}

result<std::vector<std::string>> texts_in(const field& f, const json& value) {
  constexpr std::size_t most = 1000;
  if (const std::string* one = word_in(value)) return std::vector{*one};  // one text instead of a list of one
  if (!value.is_array() || value.size() > most) return wrong(f, formatted("a list of at most {} texts", grouped(most)));
  std::vector<std::string> all;
  for (const json& item : value) {
    const std::string* s = word_in(item);
    if (s == nullptr) return wrong(f, "a list of texts");
    all.push_back(*s);
  }
  return all;
}

}  // namespace

std::span<const tool> tools() { return tool_table(); }

const tool* find_tool(std::string_view name) {
  const auto all = tools();
  const auto t = std::find_if(all.begin(), all.end(), [&](const tool& each) { return each.name == name; });
  return t == all.end() ? nullptr : &*t;
}

json schema_of(const tool& t) {
  json properties = json::object(), required = json::array();
  for (const field& f : t.fields) {
    json p;
    const bool is_number = f.kind == integer || f.name == "seconds" || f.name == "from";
    if (f.kind == texts || f.kind == words)
      p = {{"type", "array"}, {"items", {{"type", "string"}}}};
    else
      p = {{"type", is_number ? "integer" : f.kind == yes ? "boolean" : "string"}};
    if (is_number) p["minimum"] = f.name == "seconds" ? 1 : 0;
    p["description"] = f.about;
    properties[std::string(f.name)] = std::move(p);
    if (f.is_required) required.push_back(f.name);
  }
  json schema = {{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  schema["additionalProperties"] = false;
  return schema;
}

result<std::vector<std::string>> words_of(const tool& t, const json& arguments,
                                          const std::function<std::string(const std::string&)>& file_of) {
  std::vector<std::string> flags(t.verb.begin(), t.verb.end()), words_after;
  if (!arguments.is_null() && !arguments.is_object()) return diagnostic{"arguments must be an object"};
  for (const auto& [name, value] : arguments.items())
    if (std::none_of(t.fields.begin(), t.fields.end(), [&](const field& f) { return f.name == name; })) {
      std::vector<std::string> known;
      for (const field& f : t.fields) known.emplace_back(f.name);
      return diagnostic{formatted("tool {} has no argument {}", t.name, shortened(name)),
                        {},
                        formatted("its arguments: {}", enumerated(known))};
    }
  bool is_yes = false;
  for (const field& f : t.fields) {
    const auto at = arguments.is_object() ? arguments.find(f.name) : arguments.end();
    if (!arguments.is_object() || at == arguments.end() || at->is_null()) {
      if (f.is_required)
        return diagnostic{formatted("tool {} needs the argument {}", t.name, f.name), {}, std::string(f.about)};
      continue;
    }
    const json& value = *at;
    is_yes |= f.kind == yes && value == true;
    switch (f.kind) {
      case text:
      case word:
      case report: {
        const std::string* s = word_in(value);
        if (s == nullptr) return wrong(f, "a text");
        if (f.kind == text) {
          flags.push_back(formatted("--{}={}", f.flag, *s));
        } else {
          const std::string file = f.kind == report ? file_of(*s) : std::string();
          words_after.push_back(file.empty() ? *s : file);
        }
        break;
      }
      case texts:
      case words: {
        const auto all = texts_in(f, value);
        if (!all) return all.error();
        for (const std::string& s : *all)
          if (f.kind == texts)
            flags.push_back(formatted("--{}={}", f.flag, s));
          else
            words_after.push_back(s);
        break;
      }
      case integer: {
        const auto* n = value.get_ptr<const json::number_unsigned_t*>();
        if (n == nullptr) return wrong(f, "an integer from 0");
        flags.push_back(formatted("--{}={}", f.flag, *n));
        break;
      }
      case yes:
        if (!value.is_boolean()) return wrong(f, "true or false");
        if (value.get<bool>()) flags.push_back(formatted("--{}", f.flag));
        break;
      case own: break;
    }
  }
  if (!is_yes) flags.insert(flags.end(), t.unless_yes.begin(), t.unless_yes.end());
  if (!words_after.empty()) {
    flags.emplace_back("--");
    flags.insert(flags.end(), words_after.begin(), words_after.end());
  }
  return flags;
}

}  // namespace bankwise::mcp
