#include "readers/mjcf_drive.hpp"

#include <algorithm>
#include <numbers>

namespace daedalus::mjcf {
namespace {

class DriveReader {
 public:
  explicit DriveReader(FileReader& reader) : reader_(reader) {}

  // What an element, of a default class or the actuator itself, says.
  void apply(const xml::Element& element) {
    element_ = &element;
    common();
    const std::string& tag = element.name;
    if (tag == "general") general();
    if (tag == "motor") motor();
    if (tag == "position") position();
    if (tag == "intvelocity") {
      position();
      drive.activation.limited = true;
    }
    if (tag == "velocity") velocity();
    if (tag == "damper") damper();
    if (tag == "cylinder") cylinder();
    if (tag == "muscle") drive.dynamics = drive.gain_type = drive.bias_type = "muscle";
  }

  Drive drive;

 private:
  void number(const char* name, double& value) {
    if (const xml::Attribute* given = xml::find(*element_, name))
      value = reader_.number(*given).value_or(value);
  }
  template <class List>
  void list(const char* name, List& values) {
    const xml::Attribute* given = xml::find(*element_, name);
    if (given == nullptr) return;
    const auto read = reader_.numbers(*given, 1, 20);
    std::copy_n(read.begin(), std::min(read.size(), values.size()), values.begin());
  }
  void text(const char* name, std::string& value) {
    if (const xml::Attribute* given = xml::find(*element_, name)) value = given->value;
  }
  void range(const char* name, const char* limited, Range& range) {
    if (const xml::Attribute* given = xml::find(*element_, name)) {
      const auto values = reader_.numbers(*given, 2, 2);
      if (!values.empty()) {
        range.low = values[0];
        range.high = values[1];
        range.given = true;
      }
    }
    if (const xml::Attribute* given = xml::find(*element_, limited)) {
      if (given->value == "true") range.limited = true;
      if (given->value == "false") range.limited = false;
    }
  }

  void common() {
    range("ctrlrange", "ctrllimited", drive.control);
    range("forcerange", "forcelimited", drive.force);
    range("actrange", "actlimited", drive.activation);
    if (const xml::Attribute* given = xml::find(*element_, "gear")) {
      auto values = reader_.numbers(*given, 1, 6);
      values.resize(6, 0);
      drive.gear = values;
    }
    list("damping", drive.damping);
    number("armature", drive.armature);
  }

  // A shortcut goes on from what the same shortcut or <general> said of gain and bias, not from others.
  void begin(const std::string& tag, const std::string& gain_type) {
    if ((!drive.shortcut.empty() && drive.shortcut != tag) || drive.gain_type != gain_type) {
      drive.gain = {1, 0, 0};
      drive.bias = {0, 0, 0};
      drive.time_constant = 1;
      drive.dynamics = "none";
    }
    drive.shortcut = tag;
    drive.gain_type = gain_type;
  }

  void general() {
    number("inheritrange", drive.inherit_range);
    text("dyntype", drive.dynamics);
    text("gaintype", drive.gain_type);
    text("biastype", drive.bias_type);
    list("gainprm", drive.gain);
    list("biasprm", drive.bias);
    if (const xml::Attribute* given = xml::find(*element_, "dynprm")) {
      const auto values = reader_.numbers(*given, 1, 20);
      if (!values.empty()) drive.time_constant = values[0];
    }
  }

  void motor() {
    begin("motor", "fixed");
    drive.gain = {1, 0, 0};
    drive.bias = {0, 0, 0};
    drive.dynamics = "none";
    drive.bias_type = "none";
  }

  // bias2 above zero is a damping ratio, until the inertia is known.
  void position() {
    const bool filtered = drive.shortcut == "position" && drive.dynamics == "filterexact";
    begin(element_->name, "fixed");
    double kv = 0;
    double ratio = 0;
    double time = 0;
    number("kp", drive.gain[0]);
    number("kv", kv);
    number("dampratio", ratio);
    number("timeconst", time);
    number("inheritrange", drive.inherit_range);
    drive.gain = {drive.gain[0], 0, 0};
    drive.bias = {0, -drive.gain[0], kv != 0 ? -kv : ratio != 0 ? ratio : drive.bias[2]};
    drive.dynamics = element_->name == "intvelocity" ? "integrator"
                     : time > 0 || filtered          ? "filterexact"
                                                     : "none";
    if (time > 0) drive.time_constant = time;
    drive.bias_type = "affine";
  }

  void velocity() {
    begin("velocity", "fixed");
    number("kv", drive.gain[0]);
    drive.gain = {drive.gain[0], 0, 0};
    drive.bias = {0, 0, -drive.gain[0]};
    drive.dynamics = "none";
    drive.bias_type = "affine";
  }

  void damper() {
    begin("damper", "affine");
    double kv = -drive.gain[2];
    number("kv", kv);
    drive.gain = {0, 0, -kv};
    drive.bias = {0, 0, 0};
    drive.control.limited = true;
    drive.dynamics = "none";
    drive.bias_type = "none";
  }

  void cylinder() {
    begin("cylinder", "fixed");
    double area = drive.gain[0];
    double diameter = -1;
    number("timeconst", drive.time_constant);
    number("area", area);
    number("diameter", diameter);
    list("bias", drive.bias);
    drive.gain = {diameter >= 0 ? std::numbers::pi / 4 * diameter * diameter : area, 0, 0};
    drive.dynamics = "filter";
    drive.bias_type = "affine";
  }

  FileReader& reader_;
  const xml::Element* element_ = nullptr;
};

}  // namespace

Drive drive_of(const MjcfFile& file, int node) {
  DriveReader reader(file.reader());
  for (const xml::Element* element : file.default_actuators(node)) reader.apply(*element);
  reader.apply(file.element(node));
  return reader.drive;
}

bool is_limited(const Range& range, bool automatic) {
  return range.limited.value_or(automatic && range.given) && range.given;
}

}  // namespace daedalus::mjcf
