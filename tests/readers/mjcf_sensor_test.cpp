// Sensors of MJCF as results, on an arm that turns evenly about the vertical: every value is known.
#include <cmath>

#include "mechanics/support.hpp"
#include "readers/read_mechanism.hpp"

namespace daedalus {
namespace {

using testing::run;
using testing::signal;

constexpr double speed = 2;
constexpr double arm = 0.3;
constexpr double end = 0.7;

class Sensors : public ::testing::TestWithParam<Coordinates> {
 protected:
  void SetUp() override {
    auto sources = std::make_shared<SourceMap>();
    const std::int32_t file = sources->add("m.xml", R"(
      <mujoco><worldbody>
        <body name='b'><joint name='j' axis='0 0 1'/><geom size='0.1' contype='0' conaffinity='0'/>
          <site name='s' pos='0.3 0 0' euler='0 0 90'/></body>
        <site name='still' pos='1 2 3'/>
      </worldbody>
      <tendon><fixed name='t'><joint joint='j' coef='3'/></fixed></tendon>
      <sensor>
        <gyro name='gyro' site='s'/> <velocimeter name='velo' site='s'/> <accelerometer name='acc' site='s'/>
        <framepos name='place' objtype='site' objname='s'/> <framequat name='turn' objtype='site' objname='s'/>
        <framexaxis name='ahead' objtype='xbody' objname='b'/>
        <framelinvel name='v' objtype='site' objname='s'/> <frameangvel name='w' objtype='site' objname='s'/>
        <framelinacc name='a' objtype='site' objname='s'/> <framepos name='rest' objtype='site' objname='still'/>
        <jointpos name='q' joint='j'/> <jointvel name='dq' joint='j'/> <jointpos joint='j'/>
        <tendonpos name='l' tendon='t'/> <tendonvel name='dl' tendon='t'/> <clock name='now'/>
        <touch name='touch' site='s'/> <framepos name='b' objtype='site' objname='s'/>
      </sensor></mujoco>)");
    ReadOptions options;
    options.settings = {{.name = "j.velocity", .value = "2"}};
    const auto mechanism = read_mechanism(sources, file, options);
    ASSERT_TRUE(mechanism.has_value()) << mechanism.error().front().message;
    auto system = equations_of(*mechanism, {.coordinates = GetParam()});
    ASSERT_TRUE(system.has_value());
    result_ = run(*system, "auto", {.integrator = "auto", .until = end, .tolerance = 1e-10, .points = 11});
    ASSERT_TRUE(result_.ok());
  }
  void expect(const std::string& name, double x, double y, double z) {
    EXPECT_NEAR(signal(result_, name + ".x").back(), x, tolerance) << name;
    EXPECT_NEAR(signal(result_, name + ".y").back(), y, tolerance) << name;
    EXPECT_NEAR(signal(result_, name + ".z").back(), z, tolerance) << name;
  }
  void expect(const std::string& name, double value) {
    EXPECT_NEAR(signal(result_, name).back(), value, tolerance) << name;
  }

  static constexpr double tolerance = 1e-8;  // a hundred times that of the run
  RunResult result_;
};

TEST_P(Sensors, AreWhatTheyMeasure) {
  const double angle = speed * end;
  const double c = std::cos(angle), s = std::sin(angle);
  const double inwards = arm * speed * speed;
  expect("gyro", 0, 0, speed);
  // The site's x axis points along the body's y axis.
  expect("velo", arm * speed, 0, 0);
  expect("acc", 0, inwards, 9.81);
  expect("place", arm * c, arm * s, 0);
  expect("ahead", c, s, 0);
  expect("v", -arm * speed * s, arm * speed * c, 0);
  expect("w", 0, 0, speed);
  expect("a", -inwards * c, -inwards * s, 9.81);
  expect("rest", 1, 2, 3);
  const double half = (angle + std::acos(0.0)) / 2;
  const double sign = signal(result_, "turn.q0").back() < 0 ? -1 : 1;
  expect("turn.q0", sign * std::abs(std::cos(half)));
  expect("turn.q3", sign * std::sin(half) * (std::cos(half) < 0 ? -1 : 1));
  expect("turn.q1", 0);
  expect("q", angle);
  expect("jointpos j", angle);
  expect("dq", speed);
  expect("l", 3 * angle);
  expect("dl", 3 * speed);
  expect("now", end);
}

// One that is called as a body must not hide its place.
TEST_P(Sensors, DoNotHideOthers) {
  expect("b.x", 0);
  expect("sensor b.x", arm * std::cos(speed * end));
}

INSTANTIATE_TEST_SUITE_P(Coordinates, Sensors, ::testing::Values(Coordinates::Body, Coordinates::Joint),
                         [](const auto& row) { return row.param == Coordinates::Body ? "Body" : "Joint"; });

}  // namespace
}  // namespace daedalus
