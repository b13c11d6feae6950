// Computes the answers of `bankwise explain` and `bankwise fix` in a program. Includes every header of the library.
#include <advise/advice.hpp>
#include <advise/kernel_question.hpp>
#include <advise/search/obstacle.hpp>
#include <advise/search/problem.hpp>
#include <advise/search/relayout.hpp>
#include <advise/tile_question.hpp>
#include <base/diagnostic.hpp>
#include <base/flag_values.hpp>
#include <base/result.hpp>
#include <cubin/occupancy.hpp>
#include <expr/names/machine_names.hpp>
#include <expr/names/operation_names.hpp>
#include <expr/parse/expression.hpp>
#include <expr/parse/scope.hpp>
#include <expr/question.hpp>
#include <model/report.hpp>
#include <report/picture/access_report.hpp>
#include <report/picture/picture.hpp>
#include <report/table/style.hpp>
#include <report/text/advice_report.hpp>

#include <iostream>

int main() {
  bankwise::flag_values flags;
  flags.values["array"] = {"float tile[32][32]"};
  const auto question = bankwise::read_question(flags, "tile[t][0]");
  if (!question) {
    std::cerr << to_text(question.error()) << "\n";
    return 1;
  }
  const bankwise::access_report answer = bankwise::report_access(*question);
  std::cout << to_text(answer, {}, false) << "\n";

  const auto tiles = bankwise::advise::read_tiles(flags, {"st tile[i][t] for i < 32", "ld tile[t][i] for i < 32"});
  if (!tiles) {
    std::cerr << to_text(tiles.error()) << "\n";
    return 1;
  }
  const bankwise::advise::tile& tile = tiles->front();
  const bankwise::advice_report fix{"tile", tile.array, tile.what, bankwise::advise::advise(tile.what), {}, {}, {}};
  std::cout << to_text(fix, {}, false);
  return answer.why.total.wavefronts == 32 && fix.found.answers.front().wavefronts == 64 ? 0 : 1;
}
