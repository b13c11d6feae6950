#include "report/site_table.hpp"

#include "base/csv.hpp"
#include "base/text.hpp"

namespace bankwise {

namespace {

std::string source_of(const site& s) {
  return s.file.empty() ? "" : s.file.substr(s.file.find_last_of('/') + 1) + ":" + std::to_string(s.line);
}
std::string by(const std::array<std::uint32_t, 3>& t) {
  return std::to_string(t[0]) + "x" + std::to_string(t[1]) + "x" + std::to_string(t[2]);
}

}  // namespace

std::string to_csv(const report& r) {
  std::string text =
      "kernel,pc,sass,source,executed,lanes,wavefronts,ideal,excess,reachable,removable,cycles,launch,grid,block,"
      "count,executed_at_least,partial,queued,shared_executed,shared_lanes,ncu_wavefronts,ncu_ideal\n";
  std::size_t launch = 0;
  for (const launch_report& l : r.launches) {
    for (const site& s : l.sites) {
      text += csv_quote(l.kernel) + ",0x" + hex(s.pc) + "," + csv_quote(s.sass) + "," + csv_quote(source_of(s));
      for (const std::uint64_t n :
           {s.executed, s.lanes, s.wavefronts, s.ideal, excess(s), s.reachable, removable(s), s.cycles})
        text += "," + std::to_string(n);
      text += "," + std::to_string(launch) + "," + by(l.grid) + "," + by(l.block) + "," + std::to_string(l.count) +
              "," + (s.executed_at_least ? "1" : "0") + "," + (l.partial ? "1" : "0") + "," + std::to_string(queued(s)) +
              "," + (s.generic ? std::to_string(s.shared_executed) + "," + std::to_string(s.shared_lanes) : ",") + "," +
              std::to_string(s.ncu_wavefronts) + "," + std::to_string(s.ncu_ideal) + "\n";
    }
    ++launch;
  }
  return text;
}

}  // namespace bankwise
