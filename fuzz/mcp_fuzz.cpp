// Fuzzes the server for language models with a stream of messages, valid or not. A line that begins with > ends the
// current command: the rest of the line is the report that the command has written, and its output.
#include "cli/mcp/server.hpp"
#include "require.hpp"

using namespace bankwise;

namespace {

constexpr std::size_t most_bytes_of_answer = std::size_t{1} << 20;

// Checks that a message has an id, and either a result or an error, or is a notification.
void hold(const std::string& text) {
  BANKWISE_REQUIRE(text.size() < most_bytes_of_answer && text.find('\n') == std::string::npos);
  const lsp::json m = lsp::json::parse(text, nullptr, false);
  BANKWISE_REQUIRE(m.is_object() && m.at("jsonrpc") == "2.0");
  BANKWISE_REQUIRE(m.contains("method") || (m.contains("id") && m.contains("result") != m.contains("error")));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > (1u << 16)) return 0;
  std::string report;
  mcp::server server({"/root", "/reports", "", [&](const std::string&) { return std::optional<std::string>(report); },
                      [](const std::string&) {}});
  bool is_running = false;
  const auto end = [&](std::string_view written, int status) {
    report = written;
    if (const auto answer = server.take(mcp::outcome{status, false, report, report})) hold(*answer);
    is_running = false;
  };
  std::string_view rest = fuzz::text_of(data, size);
  while (!rest.empty()) {
    const std::size_t length = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, length);
    rest.remove_prefix(std::min(length + 1, rest.size()));
    if (line.starts_with('>')) {
      if (is_running) end(line.substr(1), static_cast<int>(line.size() % 3));
    } else if (const lsp::parsed_message m = lsp::parse_message(line); m.what) {
      const mcp::reaction r = server.take(*m.what);
      for (const std::string& text : r.send) hold(text);
      BANKWISE_REQUIRE(!r.stop || is_running);
      if (r.stop) end("", 128 + 15);
    } else {
      hold(lsp::as_text(m.answer));
    }
    if (is_running) continue;
    if (const auto call = server.next_call()) {
      BANKWISE_REQUIRE(!call->words.empty() && call->seconds != 0);
      is_running = true;
      if (const auto text = server.progress(1)) hold(*text);
    }
  }
  server.drop_waiting_calls();
  if (is_running) end("", 0);
  return 0;
}
