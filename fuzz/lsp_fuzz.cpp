// Fuzzes the language server with a stream of messages, valid or not. The folder of the project has a report. Each line
// is a message. A line that begins with ! is sent unchanged, without a header.
#include "lsp/framing.hpp"
#include "lsp/inbox.hpp"
#include "lsp/server.hpp"
#include "require.hpp"

using namespace bankwise;
using lsp::json;

namespace {

constexpr const char* source =
    "__global__ void k(float* out) {\n"
    "  __shared__ float tile[32][32];\n"
    "  out[threadIdx.x] = tile[threadIdx.x][0];\n"
    "}\n";

lsp::loaded_folder folder() {
  launch_report l;
  l.name = l.kernel = "k";
  site s;
  s.file = "a.cu";
  s.line = 3;
  s.text = "out[threadIdx.x] = tile[threadIdx.x][0];";
  s.op = *parse_operation("ld.b32");
  s.worst.op = s.op.op;
  for (u32 lane = 0; lane < lanes_per_warp; ++lane) s.worst.address[lane] = lane * 128;
  s.worst.mask = full_mask;
  s.worst_cost = analyze(s.worst);
  s.executed = s.reachable = s.layout_floor = 1;
  s.wavefronts = 32;
  l.sites.push_back(s);
  l.fixes.push_back({"float tile[32][32]", "rows of 132 bytes", "__shared__ float tile[32][32 + 1];\n", {{"", 0}}, {}});
  lsp::loaded_folder f;
  f.known.reports.push_back({"r.json", {}, {}});
  f.known.reports[0].what.arch = "sm_90";
  f.known.reports[0].what.on = *parse_machine("sm_90");
  f.known.reports[0].what.launches.push_back(std::move(l));
  f.known.paths["a.cu"] = "/p/a.cu";
  f.known.verdict.findings = check::findings_of(f.known.reports[0].what);
  f.has_config = f.has_runs = true;
  return f;
}

// Checks that an answer has an id, and either a result or an error.
void hold(const std::vector<json>& messages) {
  for (const json& m : messages) {
    BANKWISE_REQUIRE(m.at("jsonrpc") == "2.0");
    BANKWISE_REQUIRE(m.contains("method") || (m.contains("id") && m.contains("result") != m.contains("error")));
    BANKWISE_REQUIRE(!lsp::as_text(m).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > (1u << 16)) return 0;
  std::vector<std::string> begun;
  lsp::server server({[](const std::string&) { return folder(); },
                      [](const std::string&) { return std::optional<std::string>(source); },
                      [&](const std::string& f, std::uint32_t) { begun.push_back(f); }, [] {},
                      [](const std::string& path) { return path; },
                      [](const std::string&, std::string_view) { return std::string("file:///p/rule.md"); }});
  lsp::frame_reader reader;
  lsp::inbox in;
  std::string_view rest = fuzz::text_of(data, size);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    reader.feed(line.starts_with('!') ? std::string(line.substr(1)) : lsp::framed(line));
    while (const auto f = reader.next()) in.put(*f);
    if (line.starts_with(' ')) continue;  // this line is sent together with the line after it
    while (const auto e = in.take()) {
      if (e->what)
        hold(server.take(*e->what, e->cancelled));
      else
        hold({e->answer});
    }
    if (begun.size() > 4) {
      hold(server.made({begun.back(), {{"/p/bankwise.toml", 1, "wrong", true}}}));
      begun.clear();
    }
  }
  for (const std::string& f : begun) hold(server.made({f, {}}));
  return 0;
}
