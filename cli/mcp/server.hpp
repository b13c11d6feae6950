// The server of the Model Context Protocol, without streams and processes. The owner passes messages to the server, sends
// the messages that the server returns, and makes the calls: it starts bankwise, one call at a time.
//
//     client                            server                       owner
//     initialize                 ->     capabilities
//     tools/call run             ->     call: bankwise run ...   ->  starts the command
//                                       take(outcome)            <-  the command has ended
//                                <-     the result
//     notifications/cancelled    ->     stop                     ->  ends the command
//
// https://modelcontextprotocol.io/specification/2025-11-25
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/mcp/tool.hpp"
#include "lsp/message.hpp"
#include "mcp/result_store.hpp"

namespace bankwise::mcp {

inline constexpr std::uint32_t usual_seconds = 600;
inline constexpr std::size_t most_waiting_calls = 100;

// A command that the owner starts.
struct call {
  std::vector<std::string> words;  // the verb and its flags; the program's own name is not one of them
  std::string report;              // the file that the command writes; empty if it has none
  std::uint32_t seconds = usual_seconds;
};

struct outcome {
  int status = 0;          // exit status, or 128 and a signal
  bool is_late = false;    // whether the owner ended the command after its seconds
  std::string said, told;  // texts on standard output and standard error
};

struct reaction {
  std::vector<std::string> send;  // messages
  bool stop = false;              // whether the owner must end the current command
};

struct surroundings {
  std::string root;    // the folder in which commands run
  std::string folder;  // the folder of the reports
  std::string limits;  // what the client should know about this machine, such as that writes are not confined
  std::function<std::optional<std::string>(const std::string& file)> read;
  std::function<void(const std::string& file)> remove;
};

class server {
 public:
  explicit server(surroundings around);

  reaction take(const lsp::message& m);
  // The command to start, if none runs. After this, the owner must pass its outcome.
  std::optional<call> next_call();
  // The answer of the command that has ended; nothing if its client has cancelled it.
  std::optional<std::string> take(const outcome& o);
  // Forgets calls that have not been started, because the client has closed its end.
  void drop_waiting_calls();
  // A message about the current command, if its client asked for progress: how many seconds it has taken.
  std::optional<std::string> progress(double seconds);

 private:
  struct waiting_call {
    lsp::json id, progress_token;
    const tool* asked = nullptr;
    std::string handle;
    call what;
  };
  json initialize(const lsp::json& params) const;
  void call_tool(const lsp::message& m, reaction& r);
  reaction cancel(const lsp::json& params);
  json stored_part(const json& arguments) const;
  json result_of(const waiting_call& c, const outcome& o);
  json bounded(json value);

  surroundings around_;
  result_store results_;
  std::deque<waiting_call> waiting_;  // the first one runs, if is_busy_
  bool is_busy_ = false, is_cancelled_ = false;
};

}  // namespace bankwise::mcp
