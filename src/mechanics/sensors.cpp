#include "mechanics/sensors.hpp"

#include <fmt/format.h>

#include <array>

#include "mechanics/assembly.hpp"

namespace daedalus {
namespace {

class Sensors {
 public:
  Sensors(const Mechanism& mechanism, Assembly& assembly) : mechanism_(mechanism), assembly_(assembly) {}

  void run() {
    for (const Sensor& sensor : mechanism_.sensors) add(sensor);
  }

 private:
  void add(const Sensor& sensor) {
    const BodyId body = sensor.body;
    const auto axes = [&] { return assembly_.axes(body) * symbolic(sensor.place.axes); };
    switch (sensor.kind) {
      case SensorKind::Place:
        return add_vector(sensor, "m", assembly_.position(body, sensor.place.origin));
      case SensorKind::Orientation:
        return add_quaternion(sensor);
      case SensorKind::XAxis:
        return add_vector(sensor, "", axes().x);
      case SensorKind::YAxis:
        return add_vector(sensor, "", axes().y);
      case SensorKind::ZAxis:
        return add_vector(sensor, "", axes().z);
      case SensorKind::Velocity:
        return add_vector(sensor, "m/s", velocity(sensor));
      case SensorKind::AngularVelocity:
        return add_vector(sensor, "rad/s", assembly_.angular_velocity(body));
      case SensorKind::Acceleration:
        return add_vector(sensor, "m/s2", acceleration(sensor));
      case SensorKind::AngularAcceleration:
        return add_vector(sensor, "rad/s2", der(assembly_.angular_velocity(body)));
      case SensorKind::Velocimeter:
        return add_vector(sensor, "m/s", along(axes(), velocity(sensor)));
      case SensorKind::Gyroscope:
        return add_vector(sensor, "rad/s", along(axes(), assembly_.angular_velocity(body)));
      case SensorKind::Accelerometer:
        return add_vector(sensor, "m/s2", along(axes(), acceleration(sensor)));
      case SensorKind::ByLaw:
        return add(sensor.name, sensor.unit, sensor.law(assembly_));
    }
  }

  [[nodiscard]] ExprVec3 velocity(const Sensor& sensor) const {
    return assembly_.velocity(sensor.body, sensor.place.origin);
  }
  [[nodiscard]] ExprVec3 acceleration(const Sensor& sensor) const {
    return der(velocity(sensor)) - symbolic(mechanism_.gravity);
  }

  void add(std::string name, std::string unit, const Expr& value) {
    assembly_.outputs.push_back({.name = std::move(name), .unit = std::move(unit), .value = value});
  }
  void add_vector(const Sensor& sensor, const std::string& unit, const ExprVec3& v) {
    add(sensor.name + ".x", unit, v.x);
    add(sensor.name + ".y", unit, v.y);
    add(sensor.name + ".z", unit, v.z);
  }

  void add_quaternion(const Sensor& sensor) {
    const BodyMotion& motion = assembly_.motion(sensor.body);
    std::vector<Expr> a = motion.orientation.empty() ? motion.quaternion : motion.orientation;
    if (a.empty()) a = {1, 0, 0, 0};
    const Quaternion b = quaternion(sensor.place.axes);
    const std::array<Expr, 4> q{
        a[0] * b.w - a[1] * b.x - a[2] * b.y - a[3] * b.z, a[0] * b.x + a[1] * b.w + a[2] * b.z - a[3] * b.y,
        a[0] * b.y - a[1] * b.z + a[2] * b.w + a[3] * b.x, a[0] * b.z + a[1] * b.y - a[2] * b.x + a[3] * b.w};
    for (std::size_t k = 0; k < q.size(); ++k) add(fmt::format("{}.q{}", sensor.name, k), "", q[k]);
  }

  const Mechanism& mechanism_;
  Assembly& assembly_;
};

}  // namespace

void collect_sensors(const Mechanism& mechanism, Assembly& assembly) {
  if (mechanism.dimension == Dimension::Spatial) Sensors(mechanism, assembly).run();
}

}  // namespace daedalus
