// Tests the server without the program: the actions that the server requests, and the order of its answers.
#include "lsp/server.hpp"

#include <gtest/gtest.h>

namespace bankwise::lsp {
namespace {

struct played {
  std::vector<std::string> made;
  unsigned stops = 0;
  loaded_folder has;
  server it;

  played()
      : it({[this](const std::string&) { return has; },
            [](const std::string&) { return std::optional<std::string>("x\n"); },
            [this](const std::string& folder, std::uint32_t seconds) {
              made.push_back(folder + " " + std::to_string(seconds));
            },
            [this] { ++stops; }, [](const std::string& path) { return path; },
            [](const std::string&, std::string_view) { return std::string(); }}) {
    has.has_config = has.has_runs = true;
  }

  std::vector<json> ask(int id, const std::string& method, json params = nullptr) {
    return it.take({id, method, std::move(params)}, false);
  }
  std::vector<json> tell(const std::string& method, json params = nullptr) {
    return it.take({nullptr, method, std::move(params)}, false);
  }
  void begin(json options = json::object()) {
    ask(1, "initialize",
        {{"rootUri", "file:///p/"}, {"initializationOptions", std::move(options)}, {"capabilities", json::object()}});
    tell("initialized", json::object());
  }
};

TEST(Server, MakesReportsAtTheBeginningAndAtASave) {
  played p;
  p.begin();
  EXPECT_EQ(p.made, std::vector<std::string>{"/p 5"});
  p.tell("textDocument/didSave", {{"textDocument", {{"uri", "file:///p/a.cu"}}}});
  p.tell("textDocument/didSave", {{"textDocument", {{"uri", "file:///elsewhere/a.cu"}}}});
  EXPECT_EQ(p.made, (std::vector<std::string>{"/p 5", "/p 5"}));
  played slow;
  slow.begin({{"seconds", 60}});
  EXPECT_EQ(slow.made, std::vector<std::string>{"/p 60"});
  played never;
  never.begin({{"run", "never"}});
  EXPECT_TRUE(never.made.empty());
}

TEST(Server, ARunThatWasAskedForIsAnsweredWhenItHasEnded) {
  played p;
  p.begin({{"run", "never"}});
  EXPECT_TRUE(p.ask(2, "workspace/executeCommand", {{"command", run_command}}).empty());
  EXPECT_EQ(p.made, std::vector<std::string>{"/p 0"});
  const std::vector<json> said = p.it.made({"/p", {}});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], answer_to(2, nullptr));
  // If the request is cancelled, the run is stopped.
  p.ask(3, "workspace/executeCommand", {{"command", run_command}});
  EXPECT_EQ(p.tell("$/cancelRequest", {{"id", 3}})[0]["error"]["code"], -32800);
  EXPECT_EQ(p.stops, 1u);
  EXPECT_TRUE(p.it.made({"/p", {}, true}).empty());
  // A shutdown also answers a waiting request.
  p.ask(4, "workspace/executeCommand", {{"command", run_command}});
  EXPECT_EQ(p.ask(5, "shutdown").size(), 2u);
  EXPECT_EQ(p.stops, 2u);
}

TEST(Server, ProblemsStandInTheirFileUntilTheyAreGone) {
  played p;
  p.has.problems = {{"/p/bankwise.toml", 3, "no", true}};
  p.ask(1, "initialize", {{"rootUri", "file:///p"}, {"capabilities", json::object()}});
  const std::vector<json> said = p.tell("initialized");
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0]["params"]["uri"], "file:///p/bankwise.toml");
  EXPECT_EQ(said[0]["params"]["diagnostics"][0]["range"]["start"]["line"], 2);
  p.has.problems.clear();
  EXPECT_EQ(p.it.made({"/p", {{"/p/bankwise.toml", 1, "slow", false}}})[0]["params"]["diagnostics"][0]["severity"], 3);
  const std::vector<json> after = p.it.made({"/p", {}});
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0]["params"]["diagnostics"], json::array());
  EXPECT_TRUE(p.it.made({"/p", {}}).empty());
}

TEST(Server, FoldersComeAndGo) {
  played p;
  p.has.problems = {{"/q/bankwise.toml", 1, "no", true}};
  p.ask(1, "initialize", {{"workspaceFolders", nullptr}, {"capabilities", json::object()}});
  EXPECT_TRUE(p.tell("initialized").empty());
  const json q = {{{"uri", "file:///q"}, {"name", "q"}}};
  const auto change = [&](const json& added, const json& removed) {
    return p.tell("workspace/didChangeWorkspaceFolders", {{"event", {{"added", added}, {"removed", removed}}}});
  };
  EXPECT_EQ(change(q, json::array()).size(), 1u);
  EXPECT_TRUE(change(q, json::array()).empty());  // it exists
  EXPECT_EQ(change(json::array(), q)[0]["params"]["diagnostics"], json::array());
  EXPECT_TRUE(p.it.made({"/q", {}}).empty());  // these reports belong to a removed folder
}

TEST(Server, EndsAsTheProtocolHasIt) {
  played p;
  p.begin();
  p.tell("exit");
  EXPECT_TRUE(p.it.ended());
  EXPECT_EQ(p.it.exit_status(), 1);
  played q;
  q.begin();
  EXPECT_EQ(q.ask(2, "shutdown")[0], answer_to(2, nullptr));
  EXPECT_EQ(q.ask(3, "textDocument/hover")[0]["error"]["code"], -32600);
  q.tell("exit");
  EXPECT_EQ(q.it.exit_status(), 0);
}

}  // namespace
}  // namespace bankwise::lsp
