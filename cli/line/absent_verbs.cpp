// The verbs that scripts/demo does not build, because it does not show them. Each names the command that builds it.
#include "base/format.hpp"
#include "cli/line/verbs.hpp"

namespace bankwise::cli {

namespace {

diagnostic absent_verb(std::string_view name) {
  return {formatted("this program has only the verbs that scripts/demo shows, and {} is not one of them", name),
          {},
          "scripts/setup builds all verbs"};
}

}  // namespace

result<int> arch(const arguments&) { return absent_verb("arch"); }
result<int> probe(const arguments&) { return absent_verb("probe"); }
result<int> contribute(const arguments&) { return absent_verb("contribute"); }
result<int> record(const arguments&) { return absent_verb("record"); }

}  // namespace bankwise::cli
