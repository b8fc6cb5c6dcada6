#include "results/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mechanics/joint_rows.hpp"
#include "mechanics/joint_tree.hpp"
#include "results/page_assets.hpp"
#include "results/page_scene.hpp"
#include "results/page_series.hpp"
#include "results/page_structure.hpp"
#include "results/plot_columns.hpp"
#include "results/summary.hpp"
#include "results/xml_text.hpp"

namespace daedalus {
namespace {

// Bytes; base64 makes a third more of them, and a page has 5 MB with its names.
constexpr std::size_t most_bytes = 3'000'000;
constexpr std::size_t most_scene_bytes = 1'100'000;
constexpr std::size_t reserved_bytes = 350'000;  // for drift, steps and structure
constexpr std::size_t most_final_values = 400;

// Inside <script> only "</script" and "<!--" would be mistaken.
std::string script_safe(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char ch : json) {
    if (ch == '<')
      out += "\\u003c";
    else
      out += ch;
  }
  return out;
}

PageJson summary_data(const Summary& summary) {
  PageJson data = PageJson::parse(summary_json(summary));
  if (data["final"].size() > most_final_values) data.erase("final");
  return data;
}

// Replaces @name@ by what stands for it; what is put in is not looked at again.
std::string filled(std::string_view frame,
                   const std::vector<std::pair<std::string_view, std::string_view>>& fields) {
  std::string out;
  while (!frame.empty()) {
    const std::size_t at = frame.find('@');
    out += frame.substr(0, at);
    if (at == std::string_view::npos) break;
    frame.remove_prefix(at);
    bool found = false;
    for (const auto& [name, text] : fields) {
      if (!frame.starts_with(name)) continue;
      out += text;
      frame.remove_prefix(name.size());
      found = true;
      break;
    }
    if (!found) {
      out += '@';
      frame.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> telling_signals(const Mechanism& mechanism) {
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  const auto add = [&names](const std::string& what) {
    for (const char* axis : {"x", "y", "z"}) names.push_back(fmt::format("{}.{}", what, axis));
  };
  const auto add_markers = [&] {
    for (std::size_t k = 0; k < std::min(most, mechanism.markers.size()); ++k) add(mechanism.markers[k].name);
  };
  // A linkage is made for the path of a point; a robot is a tree of joints.
  const JointTree tree = tree_of(mechanism);
  if (std::ranges::find(tree.carries, false) != tree.carries.end()) add_markers();
  if (!names.empty()) return names;
  for (const Joint& joint : mechanism.joints) {
    // Coordinates by their own names, and others by that of the result.
    const auto add_joint = [&](const char* what) {
      names.push_back(fmt::format("{}.{}", joint.name, what));
      names.push_back(fmt::format("joint {}: {}", joint.name, what));
    };
    if (joint_row(joint.kind).has_angle) add_joint("angle");
    if (joint_row(joint.kind).slides_along != 0) add_joint("displacement");
  }
  if (names.empty()) add_markers();
  if (!names.empty()) return names;
  for (std::size_t k = 0; k < std::min(most, mechanism.bodies.size()); ++k) add(mechanism.bodies[k].name);
  return names;
}

Result<std::string> run_page(const PageInput& input) {
  const Trajectory& trajectory = input.result->trajectory;
  const auto columns = plotted_columns(trajectory, input.variables, input.preferred);
  if (!columns) return std::unexpected(columns.error());
  PageBlob blob;
  const std::string name = input.system != nullptr ? valid_utf8(input.system->name) : valid_utf8(input.title);
  PageJson data = {{"model", name}, {"command", valid_utf8(input.command)}};
  if (input.mechanism != nullptr)
    data["scene"] = scene_data(*input.mechanism, trajectory, most_scene_bytes, blob);
  data["tables"] = signal_tables(trajectory, *columns, most_bytes - reserved_bytes - blob.size(), blob);
  data["signal_count"] = trajectory.signals.size();
  data["plotted"] = PageJson::array();
  for (const std::size_t column : *columns)
    data["plotted"].push_back(valid_utf8(trajectory.signals[column].name));
  if (!trajectory.drift.empty()) data["drift"] = drift_series(trajectory, blob);
  if (input.steps != nullptr && !input.steps->times.empty()) data["steps"] = step_series(*input.steps, blob);
  if (input.system != nullptr) data["structure"] = structure_data(*input.system, blob);
  data["summary"] = summary_data(input.result->summary);
  data["summary_text"] = valid_utf8(summary_text(input.result->summary));
  const std::string json = script_safe(data.dump(-1, ' ', false, PageJson::error_handler_t::replace));
  const std::string title = escape_html(name);
  const std::string numbers = blob.base64();
  return filled(page_html(), {{"@title@", title},
                              {"@style@", page_style()},
                              {"@script@", page_script()},
                              {"@data@", json},
                              {"@numbers@", numbers}});
}

}  // namespace daedalus
