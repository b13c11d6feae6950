// Tests parameter files that users send: what an H100's probe wrote, the same with texts of a user, and manipulated files.
#include "gpu/probe/timing/timing_contribution.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "support/files.hpp"

namespace bankwise::probe {
namespace {

std::string h100() { return test::read_text(test::source_path("data/sm_90/timing.csv")); }

std::string changed(const std::string& from, const std::string& to) {
  std::string text = h100();
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::string packed(const std::string& text) {
  const auto f = pack_parameters(text, "gpu.csv");
  EXPECT_TRUE(f) << to_text(f.error());
  return f ? to_csv(*f) : "";
}

std::string error_of(const result<timing::parameter_file>& f) { return f ? "no error" : to_text(f.error()); }

TEST(TimingContribution, KeepsEveryNumberOfAProbe) {
  const auto before = timing::read_parameter_file(h100(), "gpu.csv"),
             after = read_packed_parameters(packed(h100()), "gpu.csv");
  ASSERT_TRUE(before && after) << to_text(after.error());
  EXPECT_EQ(after->gpu, "NVIDIA H100 80GB HBM3");
  for (const timing::parameter_row& r : timing::parameter_rows())
    EXPECT_EQ(after->parameters().*r.value, before->parameters().*r.value) << r.name;
  const contribution c = contribution_of(*after, "data/sm_90/x.csv");
  EXPECT_EQ(c.arch, "sm_90");
  EXPECT_GE(c.parameters, least_parameters);
  EXPECT_EQ(c.timed, 0u);
  EXPECT_EQ(packed_name(*after), "timing-nvidia-h100-80gb-hbm3.csv");
}

// The name of a person, of a computer and of a folder, a UUID, a PCI address and a variable of the environment, wherever a
// file has room for text.
TEST(TimingContribution, DoesNotKeepTextsOfItsUser) {
  for (const char* secret :
       {"alice", "box17.example.org", "/data/alice/kernels", "GPU-8f6d2c1a-0000", "0000:65:00.0", "HOME=alice"}) {
    auto mine = timing::read_parameter_file(h100(), "gpu.csv");
    ASSERT_TRUE(mine);
    for (timing::file_parameter& r : mine->rows) r.source = secret;
    const std::string text = to_csv(*mine);
    ASSERT_NE(text.find(secret), std::string::npos);
    EXPECT_EQ(packed(text).find(secret), std::string::npos) << secret;
    EXPECT_EQ(packed(text), packed(h100()));
    // In the name of the GPU, they are an error.
    const std::string named = changed("NVIDIA H100 80GB HBM3", std::string("NVIDIA ") + secret);
    EXPECT_NE(error_of(pack_parameters(named, "gpu.csv")).find("not the name of a GPU\n  --> gpu.csv:2"),
              std::string::npos)
        << secret;
  }
}

TEST(TimingContribution, TakesTheNamesOfTheDriver) {
  for (const char* name : {"NVIDIA GeForce RTX 3080 Ti", "Tesla V100-SXM2-16GB",
                           "NVIDIA GeForce GTX 1650 with Max-Q Design", "NVIDIA L40S", "NVIDIA RTX 6000 Ada Generation",
                           "NVIDIA RTX PRO 6000 Blackwell Server Edition", "NVIDIA GH200 480GB", "NVIDIA GB10",
                           "NVIDIA A100-PG509-200", "NVIDIA GeForce RTX 4070 Laptop GPU", "Quadro RTX 6000", "TITAN V"})
    EXPECT_TRUE(is_gpu_name(name)) << name;
  for (const char* name :
       {"", "NVIDIA", "H100", "NVIDIA box17", "NVIDIA H100 of alice", "NVIDIA  ", "NVIDIA H100/home", "alice H100"})
    EXPECT_FALSE(is_gpu_name(name)) << name;
}

TEST(TimingContribution, NamesTheLineOfAnError) {
  const auto said = [](const std::string& from, const std::string& to) {
    return error_of(pack_parameters(changed(from, to), "gpu.csv"));
  };
  EXPECT_NE(said("\nsm,90,", "\nsm,37,").find("bankwise does not predict times for sm_37\n  --> gpu.csv:3"),
            std::string::npos);
  EXPECT_NE(said("\nsm,90,", "\nsm,86,").find("an H100 SXM is sm_90, not sm_86\n  --> gpu.csv:3"), std::string::npos);
  EXPECT_NE(
      said("running_clock,1.9798", "running_clock,198").find("the clock must be from 0.1 to 10 GHz\n  --> gpu.csv:4"),
      std::string::npos);
  EXPECT_NE(said("multiprocessors,132", "multiprocessors,132.5").find("does not have 132.500 multiprocessors"),
            std::string::npos);
  EXPECT_NE(said("\nsm,90,,,", "\nsm,90,,,\nhost,box17,,,").find("gpu.csv:4"), std::string::npos);
  EXPECT_NE(said("\nsm,90,,,", "\nsm,90,,,\ndriver,7,,,").find("driver is 7"), std::string::npos);
  EXPECT_NE(said("\nsm,90,,,", "\nsm,90,,,\nbankwise,alice,,,").find("not a version of bankwise\n  --> gpu.csv:4:10"),
            std::string::npos);
  std::string assumed = h100();
  for (std::size_t at; (at = assumed.find(",measured,")) != std::string::npos;) assumed.replace(at, 10, ",assumed,");
  EXPECT_NE(error_of(pack_parameters(assumed, "gpu.csv")).find("0 measured parameters"), std::string::npos);
  EXPECT_FALSE(pack_parameters(std::string(2 << 20, 'x'), "gpu.csv"));
}

// A file that was sent must be exactly what contribute writes.
TEST(TimingContribution, OfAnotherProgramIsRefused) {
  std::string sent = packed(h100());
  EXPECT_TRUE(read_packed_parameters(sent, "sent.csv"));
  EXPECT_NE(error_of(read_packed_parameters(h100(), "sent.csv"))
                .find("bankwise contribute does not write this line\n  --> sent.csv:"),
            std::string::npos);
  sent.insert(sent.find("measured,\n") + 9, "by alice");
  EXPECT_NE(error_of(read_packed_parameters(sent, "sent.csv")).find("bankwise contribute does not write this line"),
            std::string::npos);
}

}  // namespace
}  // namespace bankwise::probe
