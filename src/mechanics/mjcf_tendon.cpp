#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "mechanics/mjcf_joints.hpp"
#include "mechanics/mjcf_names.hpp"

namespace daedalus::mjcf {
namespace {

// A spatial tendon between two sites, without limit or friction, is a spring and damper. Everything else
// that a tendon can be is not simulated.
class TendonAdder {
 public:
  TendonAdder(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism)
      : file_(file), reader_(file.reader()), tree_(tree), mechanism_(mechanism) {}

  void run() {
    for (const int section : file_.sections("tendon")) {
      for (const int node : file_[section].children) add(node);
    }
  }

 private:
  void add(int node) {
    const xml::Element& element = file_.element(node);
    static constexpr std::array<std::string_view, 2> known{"spatial", "fixed"};
    if (std::ranges::find(known, std::string_view(file_.tag(node))) == known.end())
      return reader_.unknown_element(element, known);
    if (file_.tag(node) == "fixed") return refuse(node, "tendons over joints (<fixed>) are");
    reader_.check_attributes(element, attributes_of("spatial"));
    const auto& path = file_[node].children;
    const bool by_sites = std::ranges::all_of(path, [this](int child) { return file_.tag(child) == "site"; });
    if (!by_sites || path.size() != 2) return refuse(node, "tendons over other things than two sites are");
    const bool ranged = file_.find(node, "range") != nullptr && file_.compiler().automatic_limits;
    if (file_.flag(node, "limited", ranged)) return refuse(node, "limits of tendons are");
    if (file_.number(node, "frictionloss", 0) != 0) return refuse(node, "dry friction of tendons is");
    if (file_.number(node, "armature", 0) != 0) return refuse(node, "the armature of tendons is");
    const auto first = site(path[0]);
    const auto second = site(path[1]);
    if (first && second) add_spring(node, *first, *second);
  }

  void refuse(int node, const std::string& what) {
    (void)reader_.refuse("tendon", what, file_.element(node).span);
  }

  std::optional<End> site(int node) {
    reader_.check_attributes(file_.element(node), "site");
    return named_site(file_, tree_, node, "site");
  }

  // springlength: one number, or -1 for the length at the start; a pair is a range without force.
  std::optional<double> natural_length(int node, double at_start) {
    const xml::Attribute* given = file_.find(node, "springlength");
    if (given == nullptr) return at_start;
    const auto values = reader_.numbers(*given, 1, 2);
    if (values.empty()) return std::nullopt;
    if (values.size() == 2 && values[0] != values[1]) {
      refuse(node, "a springlength with two values is");
      return std::nullopt;
    }
    return values[0] < 0 ? at_start : values[0];
  }

  void add_spring(int node, const End& first, const End& second) {
    const double stiffness = file_.number(node, "stiffness", 0);
    const double damping = file_.number(node, "damping", 0);
    if (stiffness == 0 && damping == 0) return refuse(node, "tendons without stiffness and damping are");
    const auto length = natural_length(node, norm(second.place.origin - first.place.origin));
    if (!length) return;
    if (first.body == second.body) {
      reader_.complain("a tendon between two sites of one body has no effect", file_.element(node).span);
      return;
    }
    mechanism_.forces.emplace_back(
        Spring{.name = reader_.unique(file_.text(node, "name", fmt::format("tendon{}", ++count_))),
               .first = first.body,
               .second = second.body,
               .on_first = relative_to(first.pose, first.place).origin,
               .on_second = relative_to(second.pose, second.place).origin,
               .stiffness = stiffness,
               .damping = damping,
               .natural_length = *length,
               .span = file_.element(node).span});
  }

  const MjcfFile& file_;
  FileReader& reader_;
  const BodyTree& tree_;
  Mechanism& mechanism_;
  int count_ = 0;
};

}  // namespace

void add_tendons(const MjcfFile& file, const BodyTree& tree, Mechanism& mechanism) {
  TendonAdder(file, tree, mechanism).run();
}

}  // namespace daedalus::mjcf
