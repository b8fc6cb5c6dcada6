#include <cmath>
#include <nlohmann/json.hpp>

#include "study/report.hpp"

namespace daedalus {
namespace {

using Json = nlohmann::ordered_json;

Json count_json(const Count& count) {
  return {{"cells", count.cells},
          {"agree", count.agree},
          {"known_misprints", count.misprints},
          {"differ_for_a_known_reason", count.explained},
          {"differ", count.unexplained},
          {"not_available", count.not_available},
          {"as_expected", count.as_expected()}};
}

Json cell_json(const Cell& cell) {
  Json object{{"row", cell.row}, {"column", cell.column}, {"paper", cell.paper}, {"ours", cell.ours}};
  object["value"] = std::isfinite(cell.value) ? Json(cell.value) : Json(nullptr);
  object["verdict"] = word(cell.verdict);
  if (!cell.how.empty()) object["how"] = cell.how;
  if (!cell.reason.empty()) object["reason"] = cell.reason;
  object["expected"] = cell.expected();
  return object;
}

}  // namespace

std::string reproduction_json(const std::vector<Reproduction>& reproductions) {
  Json all = Json::array();
  for (const Reproduction& reproduction : reproductions) {
    Json cells = Json::array();
    for (const Cell& cell : reproduction.cells) cells.push_back(cell_json(cell));
    Json commands = Json::array();
    for (const RowCommand& row : reproduction.commands) {
      commands.push_back({{"row", row.row}, {"command", row.command}});
    }
    all.push_back({{"name", reproduction.name},
                   {"title", reproduction.title},
                   {"notes", reproduction.notes},
                   {"count", count_json(count(reproduction))},
                   {"cells", std::move(cells)},
                   {"commands", std::move(commands)},
                   {"seconds", reproduction.seconds}});
  }
  const Json object{{"count", count_json(count(reproductions))}, {"targets", std::move(all)}};
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace daedalus
