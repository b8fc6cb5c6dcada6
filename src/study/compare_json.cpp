#include <cmath>
#include <nlohmann/json.hpp>

#include "study/compare.hpp"

namespace daedalus {
namespace {

using Json = nlohmann::ordered_json;

// JSON has neither NaN nor infinity.
Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json number(const std::optional<double>& value) {
  return value ? number(*value) : Json(nullptr);
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json row_json(const CompareRow& row) {
  return {{"formulation", row.formulation},
          {"integrator", row.integrator},
          {"resolved", text_or_null(row.resolved)},
          {"rtol", number(row.rtol)},
          {"step", number(row.step)},
          {"status", word(row.status)},
          {"reason", row.reason},
          {"t_end", number(row.t_end)},
          {"error", number(row.error)},
          {"worst_signal", text_or_null(row.worst)},
          {"worst_t", number(row.worst_time)},
          {"multiplier_error", number(row.multiplier_error)},
          {"drift", {{"position", number(row.position_drift)}, {"velocity", number(row.velocity_drift)}}},
          {"energy_drift", number(row.energy_drift)},
          {"steps", row.counters.steps},
          {"rejected", row.counters.rejected},
          {"residual_evals", row.counters.residual_evals},
          {"jacobian_evals", row.counters.jacobian_evals},
          {"factorizations", row.counters.factorizations},
          {"newton_iterations", row.counters.newton_iterations},
          {"rank_changes", row.rank_changes},
          {"pivots", row.pivots},
          {"seconds", number(row.seconds)}};
}

}  // namespace

std::string comparison_json(const Comparison& comparison) {
  const ReferenceInfo& reference = comparison.reference;
  Json object;
  object["model"] = comparison.model;
  object["t_start"] = number(comparison.t_start);
  object["t_end"] = number(comparison.t_end);
  object["points"] = comparison.points;
  object["atol"] = number(comparison.atol);
  object["reference"] = {{"source", reference.source},
                         {"name", text_or_null(reference.name)},
                         {"points", reference.points},
                         {"control", text_or_null(reference.control)},
                         {"uncertainty", number(reference.uncertainty)},
                         {"uncertain_at", number(reference.uncertain_at)},
                         {"typical", number(reference.typical)}};
  object["signals"] = {{"motion", comparison.motion},
                       {"multipliers", comparison.multipliers},
                       {"energy", text_or_null(comparison.energy)}};
  object["rows"] = Json::array();
  for (const CompareRow& row : comparison.rows) object["rows"].push_back(row_json(row));
  object["notes"] = comparison.notes;
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace daedalus
