// Compiles atomic functions with this machine's nvcc. nvcc must choose the instructions that `bankwise explain`
// assumes.
#include "expr/atomic_choice.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <fstream>
#include <set>

#include "cubin/load.hpp"
#include "expr/question.hpp"
#include "sass/fields/shared_operation.hpp"
#include "sass/print/print.hpp"
#include "support/files.hpp"

namespace bankwise {
namespace {

// An atomic function and the element type of its array.
struct function {
  const char* name;
  const char* type;
};
constexpr function functions[] = {
    {"atomicAdd", "int"},
    {"atomicAdd", "unsigned"},
    {"atomicAdd", "unsigned long long"},
    {"atomicAdd", "float"},
    {"atomicAdd", "double"},
    {"atomicAdd", "half2"},
    {"atomicSub", "int"},
    {"atomicSub", "unsigned"},
    {"atomicMin", "int"},
    {"atomicMin", "unsigned"},
    {"atomicMin", "long long"},
    {"atomicMin", "unsigned long long"},
    {"atomicMax", "int"},
    {"atomicMax", "unsigned"},
    {"atomicMax", "unsigned long long"},
    {"atomicAnd", "int"},
    {"atomicAnd", "unsigned long long"},
    {"atomicOr", "unsigned"},
    {"atomicOr", "unsigned long long"},
    {"atomicXor", "int"},
    {"atomicXor", "unsigned long long"},
    {"atomicExch", "int"},
    {"atomicExch", "float"},
    {"atomicExch", "unsigned long long"},
    {"atomicAdd", "nv_bfloat162"},
    {"atomicCAS", "int"},
    {"atomicCAS", "unsigned long long"},
    {"atomicInc", "unsigned"},
    {"atomicDec", "unsigned"},
};

struct statement {
  function of;
  std::string text;  // "atomicAdd(&s[threadIdx.x % 4], 1);"
};

std::vector<statement> all_statements() {
  std::vector<statement> all;
  for (const function& f : functions) {
    const std::string type = f.type;
    const bool has_constants = type != "half2" && type != "nv_bfloat162";
    for (const char* operand : {"1", "-1", "0", "v"})
      for (const bool used : {false, true})
        if (has_constants || operand[0] == 'v')
          all.push_back({f, std::string(used ? "old = " : "") + f.name + "(&s[threadIdx.x % 4], " +
                                (std::string(f.name) == "atomicCAS" ? "old, " : "") + operand + ");"});
  }
  return all;
}

// Writes a source with a kernel for each statement: k0, k1 and so on. Each kernel uses the final contents of the array.
std::string source_of(const std::vector<statement>& all) {
  std::string text = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string type = all[i].of.type;
    text += "extern \"C\" __global__ void k" + std::to_string(i) + "(" + type + "* out, const " + type +
            "* in) {\n  __shared__ " + type + " s[32];\n  const " + type + " v = in[threadIdx.x];\n  " + type +
            " old = in[0];\n  s[threadIdx.x] = out[threadIdx.x];\n  __syncthreads();\n  " + all[i].text +
            "\n  __syncthreads();\n  out[threadIdx.x] = s[threadIdx.x];\n" +
            (all[i].text.starts_with("old") ? "  out[32 + threadIdx.x] = old;\n" : "") + "}\n";
  }
  return text;
}

// Returns the names of all atomics in a kernel, such as "ATOMS.ADD".
std::set<std::string> atomics_of(const cubin::program& p, const std::string& kernel) {
  std::set<std::string> found;
  for (const cubin::kernel& k : p.kernels) {
    if (k.mangled != kernel) continue;
    const cubin::code_section& code = p.sections[k.section];
    for (std::size_t at = 0; at + sass::instruction_bytes <= code.bytes.size(); at += sass::instruction_bytes) {
      const sass::instruction i = sass::load_instruction(code.bytes.data() + at, sass::isa_of(p.sm));
      const std::string text = sass::to_text(i, at);
      const std::size_t begin = text.starts_with('@') ? text.find(' ') + 1 : 0;
      if (text.compare(begin, 5, "ATOMS") == 0) found.insert(text.substr(begin, text.find(' ', begin) - begin));
    }
  }
  return found;
}

// Returns whether explain's name, such as "atom.cas.spin.b64", means this instruction, such as ATOMS.CAST.SPIN.64. If
// an atomic changes nothing, nvcc may use OR instead. OR costs the same.
bool is_named(std::string said, const std::string& found, bool changes_nothing) {
  const bool wide = said.ends_with(".b64");
  said.resize(said.rfind(".b"));
  std::string name = said == "atom.cas.spin" ? "ATOMS.CAST.SPIN" : said == "popc.inc" ? "ATOMS.POPC.INC.32" : "ATOMS";
  if (name == "ATOMS")
    for (const char c : said.substr(4)) name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (wide) name += ".64";
  return found == name || found == name + ".S32" || (changes_nothing && found == "ATOMS.OR");
}
bool has_no_effect(const statement& s) {
  const std::string name = s.of.name;
  const bool of_zero = s.text.ends_with(" 0);"), of_ones = s.text.ends_with(" -1);");
  const bool is_unsigned = s.of.type[0] == 'u';
  return ((name == "atomicAdd" || name == "atomicSub" || name == "atomicOr" || name == "atomicXor") && of_zero) ||
         (name == "atomicAnd" && of_ones) || (name == "atomicMin" && is_unsigned && of_ones) ||
         (name == "atomicMax" && is_unsigned && of_zero);
}

class AtomicChoice : public testing::TestWithParam<const char*> {};

TEST_P(AtomicChoice, IsThatOfNvcc) {
  const std::string nvcc = BANKWISE_NVCC, arch = GetParam();
  if (nvcc.empty()) GTEST_SKIP() << "nvcc is not installed on this machine";
  if (std::system(("'" + nvcc + "' --list-gpu-code | grep -qx " + arch).c_str()) != 0)
    GTEST_SKIP() << "this nvcc does not compile for " << arch;
  const std::vector<statement> all = all_statements();
  const std::string stem = testing::TempDir() + "atomic_choice_" + arch;
  std::ofstream(stem + ".cu") << source_of(all);
  ASSERT_EQ(
      std::system(("'" + nvcc + "' -arch=" + arch + " -w -cubin -o '" + stem + ".cubin' '" + stem + ".cu'").c_str()),
      0);
  const auto p = cubin::load(test::read_bytes(stem + ".cubin"), stem + ".cubin", 0);
  ASSERT_TRUE(p);
  for (std::size_t i = 0; i < all.size(); ++i) {
    SCOPED_TRACE(arch + ": " + all[i].of.type + " s[32]; " + all[i].text);
    const std::set<std::string> found = atomics_of(*p, "k" + std::to_string(i));
    ASSERT_EQ(found.size(), 1u);
    const flag_values flags{{{"arch", {arch}}, {"array", {std::string(all[i].of.type) + " s[32]"}}}};
    const auto q = read_question(flags, all[i].text);
    ASSERT_TRUE(q) << to_text(q.error());
    EXPECT_TRUE(is_named(q->op.spelling, *found.begin(), has_no_effect(all[i])))
        << q->op.spelling << ", " << *found.begin();
    EXPECT_EQ(q->loop.has_value(), found.begin()->find("SPIN") != std::string::npos ||
                                       (*found.begin() == "ATOMS.CAS" && all[i].of.name != std::string("atomicCAS")));
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, AtomicChoice, testing::Values("sm_75", "sm_80", "sm_90", "sm_100", "sm_120"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace bankwise
