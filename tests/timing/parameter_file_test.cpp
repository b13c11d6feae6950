// Tests files with the parameters of a GPU. The files are written and read back. A file is refused if the model cannot
// use it.
#include "timing/parameter_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string_view>

#include "base/system/scratch_folder.hpp"
#include "support/files.hpp"
#include "timing/timed_gpu.hpp"

namespace bankwise::timing {
namespace {

constexpr const char* head = "parameter,value,unit,evidence,source\ngpu,NVIDIA A100-SXM4-80GB,,,\nsm,80,,,\n";

std::string error_of(const std::string& rows) {
  const auto f = read_parameter_file(head + rows, "a100.csv");
  return f ? "" : to_text(f.error());
}

TEST(ParameterFile, ComesBackAsItWasWritten) {
  parameter_file f;
  f.gpu = "NVIDIA H100, \"80GB\"";
  f.sm = 90;
  f.running_clock = 1.98;
  for (const parameter_row& r : parameter_rows())
    f.rows.push_back(
        {&r, gpu_parameters{}.*r.value + 0.25, parameter_evidence::measured, "reads of 512 MB: 3,010 GB/s"});
  const auto back = read_parameter_file(to_csv(f), "h100.csv");
  ASSERT_TRUE(back) << to_text(back.error());
  EXPECT_EQ(back->gpu, f.gpu);
  EXPECT_EQ(back->sm, 90u);
  EXPECT_DOUBLE_EQ(back->running_clock, 1.98);
  ASSERT_EQ(back->rows.size(), f.rows.size());
  for (std::size_t i = 0; i < f.rows.size(); ++i) {
    EXPECT_EQ(back->rows[i].row, f.rows[i].row);
    EXPECT_NEAR(back->rows[i].value, f.rows[i].value, 1e-4 * f.rows[i].value + 1);
    EXPECT_EQ(back->rows[i].evidence, parameter_evidence::measured);
    EXPECT_EQ(back->rows[i].source, f.rows[i].source);
  }
  EXPECT_EQ(to_csv(*back), to_csv(f));
}

TEST(ParameterFile, LeavesOtherParametersAsOnTheH100) {
  const auto f =
      read_parameter_file(std::string(head) + "l2_latency,201.5,clocks,measured,a chain of loads\n", "a100.csv");
  ASSERT_TRUE(f);
  gpu_parameters expected;
  expected.l2_latency = 201.5;
  for (const parameter_row& r : parameter_rows()) EXPECT_EQ(f->parameters().*r.value, expected.*r.value) << r.name;
}

TEST(ParameterFile, NamesThePlaceOfAnError) {
  EXPECT_EQ(error_of("l2_latncy,200,clocks,measured,\n"),
            "error: unknown parameter\n  --> a100.csv:4:1\n   | l2_latncy,200,clocks,measured,\n   | ^^^^^^^^^\n"
            "help: did you mean l2_latency?");
  EXPECT_NE(error_of("l2_latency,fast,clocks,measured,\n").find("a100.csv:4:12"), std::string::npos);
  for (const char* value : {"nan", "inf", "-1", "0", "1e99", "", "1x"})
    EXPECT_NE(error_of(std::string("dram_total,") + value + ",,measured,\n"), "") << value;
  for (const char* lists : {"multiprocessors,0.5", "memory_queue,1e9", "update_slices,0", "code_lines_l0,-3"})
    EXPECT_NE(error_of(std::string(lists) + ",,measured,\n"), "") << lists;
  EXPECT_NE(error_of("l2_latency,200,clocks,sure,\n").find("the evidence of this parameter is not valid"),
            std::string::npos);
  EXPECT_NE(error_of("l2_latency,200,clocks,measured,\nl2_latency,201,clocks,measured,\n").find("twice"),
            std::string::npos);
  EXPECT_NE(error_of("l2_latency,200\n").find("2 columns instead of 5"), std::string::npos);
  EXPECT_NE(error_of("").find("has no parameters"), std::string::npos);
  EXPECT_NE(error_of("gpu,\033[31mH100,,,\n").find("not the name of a GPU"), std::string::npos);
  EXPECT_NE(error_of("gpu," + std::string(300, 'x') + ",,,\n").find("not the name of a GPU"), std::string::npos);
  EXPECT_FALSE(read_parameter_file("not,a,table\n", "a.csv"));
  EXPECT_FALSE(read_parameter_file("", "a.csv"));
  EXPECT_FALSE(read_parameter_file(std::string(1 << 21, 'x'), "a.csv"));
}

// The probe's measurements on an H100 equal the built-in parameters, with the exceptions in docs/explanation/time.md.
TEST(ParameterFile, OfAnH100AgreesWithWhatIsBuiltIn) {
  const std::string path = test::source_path("data/sm_90/timing.csv");
  const auto f = read_parameter_file(test::read_text(path), path);
  ASSERT_TRUE(f) << to_text(f.error());
  const gpu_parameters built_in;
  // match_wavefronts was measured with 16 distinct values in a warp. With fewer values, match_wavefronts is smaller.
  const std::map<std::string_view, double> differences{{"dram_latency", 0.51},
                                                       {"l2_port", 0.51},
                                                       {"l2_own_bytes", 0.25},
                                                       {"swap_turn", 0.15},
                                                       {"match_wavefronts", 0.61}};
  std::size_t measured = 0;
  for (const file_parameter& r : f->rows) {
    if (r.evidence != parameter_evidence::measured) continue;
    ++measured;
    const double expected = built_in.*r.row->value;
    const auto differs = differences.find(r.row->name);
    EXPECT_NEAR(r.value, expected, (differs == differences.end() ? 0.1 : differs->second) * expected) << r.row->name;
  }
  EXPECT_GT(measured, 30u);
}

TEST(TimedGpu, IsANameOrAFile) {
  EXPECT_FALSE(is_parameter_file("H100 PCIe"));
  EXPECT_TRUE(is_parameter_file("./a100"));
  EXPECT_TRUE(is_parameter_file("a100.csv"));
  const auto known = read_timed_gpu("a100");
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->is_assumed);
  EXPECT_FALSE(known->is_probed);
  EXPECT_FALSE(read_timed_gpu("a1000"));
  EXPECT_FALSE(read_timed_gpu("/nonexistent/a100.csv"));
  EXPECT_EQ(find_timed_gpu("/nonexistent/a100.csv"), nullptr);

  const scratch_folder scratch;
  const std::string path = scratch.path() + "/mine.csv";
  std::ofstream(path) << head << "multiprocessors,108,,measured,the driver\n";
  const timed_gpu* const mine = find_timed_gpu(path);
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(mine->title, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(mine->parameters.multiprocessors, 108);
  EXPECT_TRUE(mine->is_probed);
  EXPECT_TRUE(mine->is_assumed);  // a parameter that is not in the file has its value for an H100
}

}  // namespace
}  // namespace bankwise::timing
