// bankwise contribute: packs a file of bankwise probe, so that it can be sent to others, and prints all of its contents.
#include <filesystem>

#include "base/format.hpp"
#include "base/system/files.hpp"
#include "base/text.hpp"
#include "cli/line/output.hpp"
#include "cli/line/verbs.hpp"
#include "gpu/probe/contribution.hpp"
#include "gpu/probe/timing/timing_contribution.hpp"

namespace bankwise::cli {

namespace {

// A packed file: its text, the name that it gets by default, and what is in it.
struct packed_file {
  std::string text, name, shown;
};

result<packed_file> packed_parameters(const std::string& text, const std::string& file) {
  const auto f = probe::pack_parameters(text, file);
  if (!f) return f.error();
  // The whole file is shown, because it is short.
  const std::string packed = to_csv(*f);
  return packed_file{packed, formatted("bankwise-{}", probe::packed_name(*f)), packed};
}

result<packed_file> packed_evidence(const std::string& text, const std::string& file) {
  const auto e = probe::pack_evidence(text, file);
  if (!e) return e.error();
  const probe::gpu_facts& on = e->on;
  std::string shown = formatted(
      "gpu           {}, sm_{}, {} multiprocessors at {} GHz\n"
      "driver        CUDA {}.{}\n"
      "bankwise      {}\n",
      on.name, on.sm, on.multiprocessors, fixed(on.clock_khz / 1e6, 2), on.driver / 1000, on.driver % 1000 / 10,
      e->version);
  return packed_file{to_json(*e), formatted("bankwise-{}.json", probe::file_stem(on)), shown + to_text(*e, {})};
}

}  // namespace

result<int> contribute(const arguments& args) {
  if (args.positional.size() != 1)
    return diagnostic{"contribute takes one file that bankwise probe wrote with -o",
                      {},
                      "bankwise probe --timing -o gpu.csv; bankwise contribute gpu.csv"};
  const std::string& input = args.positional[0];
  const bool is_json = input.ends_with(".json");
  if (!is_json && !input.ends_with(".csv"))
    return diagnostic{formatted("{} is not a file of bankwise probe", input),
                      {},
                      "pass the .csv file of bankwise probe --timing, or the .json file of bankwise probe"};
  const auto text = read_file(input);
  if (!text) return text.error();
  const auto packed = is_json ? packed_evidence(*text, input) : packed_parameters(*text, input);
  if (!packed) return packed.error();
  const std::string output(args.value("output").value_or(packed->name));
  if (!args.value("output") && std::filesystem::exists(output))
    return diagnostic{formatted("{} already exists", output), {}, "-o FILE names the new file"};
  if (output.empty() || output == "-")
    return diagnostic{
        "contribute prints the contents of the file, so the file cannot be standard output", {}, "-o FILE"};
  if (const auto written = write_file(output, packed->text); !written) return written.error();
  const auto said = write_plain(
      "", formatted("{}\nwrote {}: this is all that the file contains. Please read it, and then attach the file to an "
                    "issue of bankwise.\n",
                    packed->shown, output));
  if (!said) return said.error();
  return exit_clean;
}

}  // namespace bankwise::cli
