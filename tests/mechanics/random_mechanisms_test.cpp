// Random trees and loops: joint and body coordinates give the same motion, the same energy, the same
// reactions.
#include <random>

#include "mechanics/start_state.hpp"
#include "mechanics/support.hpp"

namespace daedalus {
namespace {

using testing::run;
using testing::signal;

constexpr double rtol = 1e-10;
// Global errors of two runs at that tolerance over a third of a second, of mechanisms whose fast parts turn a
// few times in it; and of reactions, which are as exact as accelerations.
constexpr double allowed = 1e-6;
constexpr double allowed_of_reactions = 1e-5;
constexpr double until = 0.3;

class RandomMechanism {
 public:
  explicit RandomMechanism(unsigned seed) : random_(seed), builder_("random", Dimension::Spatial) {
    builder_.gravity(vector(5));
    const int count = 2 + static_cast<int>(random_() % 6);
    for (int k = 0; k < count; ++k) add_body(k);
  }

  // Joints between bodies that the tree has already: each takes one freedom.
  void close(int count) {
    constexpr std::array<JointKind, 2> kinds{JointKind::Distance, JointKind::PointOnPlane};
    for (int k = 0; k < count; ++k) {
      const std::string name = "loop" + std::to_string(k);
      const BodyId last = bodies_.back();
      const BodyId other =
          bodies_.size() > 2 && random_() % 2 == 0 ? bodies_[random_() % (bodies_.size() - 2)] : ground;
      if (kinds[random_() % 2] == JointKind::Distance)
        builder_.distance(name, other, last, place_ + vector(1) + Vec3{1, 1, 0}, place_);
      else
        builder_.joint(name, JointKind::PointOnPlane, other, last, at(place_, turn()));
    }
  }

  Mechanism finish() {
    Mechanism mechanism = builder_.finish();
    for (const JointForce& force : forces_) mechanism.forces.emplace_back(force);
    return mechanism;
  }

  // Every joint moves at the start.
  Mechanism finish_moving() {
    Mechanism mechanism = finish();
    std::unordered_map<std::int32_t, JointValues> by_joint;
    for (std::size_t k = 0; k < mechanism.joints.size(); ++k) {
      std::vector<double>& rates = by_joint[static_cast<std::int32_t>(k)].rates;
      for (const JointStep& step : steps_of(mechanism.joints[k].kind, Dimension::Spatial))
        for (int j = 0; j < (step.kind == StepKind::Ball ? 3 : 1); ++j) rates.push_back(number());
    }
    move_joints(mechanism, by_joint);
    return mechanism;
  }

 private:
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  Vec3 vector(double size) { return {size * number(), size * number(), size * number()}; }
  Mat3 turn() { return rotation((1 / 1.5) * (vector(1) + Vec3{0.1, 0.2, 1.2}), 2 * number()); }

  void add_body(int k) {
    constexpr std::array<JointKind, 8> kinds{
        JointKind::Revolute,  JointKind::Revolute,    JointKind::Prismatic, JointKind::Spherical,
        JointKind::Universal, JointKind::Cylindrical, JointKind::Planar,    JointKind::Translational};
    const std::string number_text = std::to_string(k);
    const Vec3 hinge = place_ + vector(0.3);
    place_ = hinge + vector(0.4);
    const double a = 0.15 + 0.05 * number(), b = 0.15, c = 0.12;
    const BodyId body = builder_.body({.name = "b" + number_text,
                                       .mass = 1 + 0.5 * number(),
                                       .centre = vector(0.1),
                                       .inertia = diagonal(a, b, c),
                                       .pose = {.origin = place_, .axes = turn()}});
    const BodyId parent =
        bodies_.empty() || random_() % 5 == 0 ? ground : bodies_[random_() % bodies_.size()];
    const JointKind kind = kinds[random_() % kinds.size()];
    // One in three the other way round.
    const bool reversed = random_() % 3 == 0;
    builder_.joint("J" + number_text, kind, reversed ? body : parent, reversed ? parent : body,
                   at(hinge, turn()));
    if (kind == JointKind::Revolute || kind == JointKind::Prismatic) {
      forces_.push_back({.name = "F" + number_text,
                         .coordinate = {.joint = JointId(k),
                                        .motion = kind == JointKind::Revolute ? JointMotion::Angle
                                                                              : JointMotion::Displacement},
                         .stiffness = 5,
                         .damping = 0.3,
                         .reference = 0.4,
                         .armature = random_() % 2 == 0 ? 0.2 : 0});
    }
    bodies_.push_back(body);
  }

  std::mt19937 random_;
  MechanismBuilder builder_;
  std::vector<BodyId> bodies_;
  std::vector<JointForce> forces_;
  Vec3 place_;
};

RunResult run_in(const Mechanism& mechanism, Coordinates coordinates) {
  return testing::run_auto(mechanism, until, rtol, 4, coordinates);
}

void expect_same(const Mechanism& mechanism, unsigned seed) {
  const RunResult joint = run_in(mechanism, Coordinates::Joint);
  const RunResult body = run_in(mechanism, Coordinates::Body);
  ASSERT_TRUE(joint.ok()) << "seed " << seed << ": " << joint.summary.reason;
  ASSERT_TRUE(body.ok()) << "seed " << seed << ": " << body.summary.reason;
  int compared = 0;
  for (const Signal& one : joint.trajectory.signals) {
    const bool reaction = one.name.starts_with("joint ");
    const bool shared = reaction || one.name.starts_with("b") || one.name.ends_with("energy") ||
                        one.name.find("momentum") != std::string::npos;
    const auto there = std::ranges::find(body.trajectory.signals, one.name, &Signal::name);
    if (!shared || there == body.trajectory.signals.end()) continue;
    if (one.name.find(".q") != std::string::npos) continue;  // q and -q are the same turn
    const auto a = signal(joint, one.name);
    const auto b = signal(body, one.name);
    ++compared;
    for (std::size_t k = 0; k < a.size(); ++k)
      EXPECT_NEAR(a[k], b[k], (reaction ? allowed_of_reactions : allowed) * (1 + std::abs(b[k])))
          << "seed " << seed << ": " << one.name << " at " << k;
  }
  EXPECT_GE(compared, 12 * static_cast<int>(mechanism.bodies.size())) << seed;
}

TEST(RandomMechanisms, TreesMoveAlikeInBothCoordinates) {
  for (unsigned seed = 1; seed <= 20; ++seed) expect_same(RandomMechanism(seed).finish_moving(), seed);
}

TEST(RandomMechanisms, LoopsMoveAlikeInBothCoordinates) {
  for (unsigned seed = 101; seed <= 115; ++seed) {
    RandomMechanism mechanism(seed);
    mechanism.close(1 + static_cast<int>(seed % 2));
    expect_same(mechanism.finish(), seed);
  }
}

}  // namespace
}  // namespace daedalus
