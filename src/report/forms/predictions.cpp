#include "report/forms/predictions.hpp"

#include <nlohmann/json.hpp>

#include "bankwise/config.hpp"
#include "base/format.hpp"
#include "base/text.hpp"

namespace bankwise {

std::string to_csv(std::span<const prediction> rows, bool with_evidence) {
  std::string out = formatted("wavefronts,ideal,reachable,passes,cycles{},ncu_wavefronts,ncu_ideal\n",
                              with_evidence ? ",evidence" : "");
  for (const prediction& p : rows) {
    out += formatted("{},{},{},{},{}", p.what.wavefronts, p.what.ideal, p.what.reachable, p.what.passes, p.what.cycles);
    if (with_evidence) out += formatted(",{}{}", p.evidence, p.given.empty() ? "" : formatted(" with the {}", p.given));
    out += formatted(",{},{}\n", p.on_page.wavefronts, p.on_page.ideal);
  }
  return out;
}

std::string to_json(std::span<const prediction> rows, const std::string& arch) {
  using json = nlohmann::ordered_json;
  // Each row is written directly as a line of text. A table may be long, so a JSON tree of all rows would need much
  // memory.
  std::string out =
      formatted("{{\n  \"schema\": \"bankwise.predict/1\",\n  \"tool\": {},\n  \"arch\": {},\n  \"rows\": [",
                json{{"name", "bankwise"}, {"version", BANKWISE_VERSION}}.dump(), json(arch).dump());
  const char* before = "\n    ";
  for (const prediction& p : rows) {
    json row{{"op", p.op},
             {"mask", hex(p.mask, 8)},
             {"wavefronts", p.what.wavefronts},
             {"ideal", p.what.ideal},
             {"reachable", p.what.reachable},
             {"passes", p.what.passes},
             {"cycles", p.what.cycles},
             {"ncu_wavefronts", p.on_page.wavefronts},
             {"ncu_ideal", p.on_page.ideal},
             {"evidence", p.evidence}};
    if (!p.given.empty()) row["given"] = p.given;
    out += before + row.dump();
    before = ",\n    ";
  }
  return out + (rows.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace bankwise
