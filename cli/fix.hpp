// The layouts for the arrays of a launch: what `run --fix` and `fix report.json` share.
#pragma once

#include <string>
#include <vector>

#include "arguments.hpp"
#include "profile/profile.hpp"
#include "report/advice_report.hpp"
#include "source_files.hpp"

namespace bankwise::cli {

// The declarations of --array.
result<std::vector<expr::array_decl>> read_shapes(const arguments& args);
// The same launch with other input.
struct tried_launch {
  std::string name;
  launch_report launch;
};
// An answer for each array of a launch whose accesses were recorded: what wins most comes first. Arrays without a shape get
// that of their declaration, where the source is found; `tried` are other launches of the kernel. Shows progress.
result<std::vector<advice_report>> advise_launch(const launch_report& l, const machine& on,
                                                 std::vector<expr::array_decl> shapes, const source_files& sources,
                                                 const std::vector<tried_launch>& tried = {});
void forget_accesses(launch_report& l);

}  // namespace bankwise::cli
