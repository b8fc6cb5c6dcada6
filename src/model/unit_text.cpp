#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "model/units.hpp"

namespace daedalus {
namespace {

constexpr std::array<std::string_view, 7> base_names{"m", "kg", "s", "A", "K", "mol", "cd"};

struct NamedUnit {
  std::string_view name;
  std::array<int, 7> powers;
  double factor = 1;
};

constexpr NamedUnit units[] = {
    {"1", {}},
    {"m", {1}},
    {"g", {0, 1}, 1e-3},
    {"s", {0, 0, 1}},
    {"A", {0, 0, 0, 1}},
    {"K", {0, 0, 0, 0, 1}},
    {"mol", {0, 0, 0, 0, 0, 1}},
    {"cd", {0, 0, 0, 0, 0, 0, 1}},
    {"rad", {}},
    {"sr", {}},
    {"deg", {}, std::numbers::pi / 180},
    {"Hz", {0, 0, -1}},
    {"N", {1, 1, -2}},
    {"Pa", {-1, 1, -2}},
    {"J", {2, 1, -2}},
    {"W", {2, 1, -3}},
    {"var", {2, 1, -3}},
    {"C", {0, 0, 1, 1}},
    {"V", {2, 1, -3, -1}},
    {"F", {-2, -1, 4, 2}},
    {"Ohm", {2, 1, -3, -2}},
    {"S", {-2, -1, 3, 2}},
    {"Wb", {2, 1, -2, -1}},
    {"T", {0, 1, -2, -1}},
    {"H", {2, 1, -2, -2}},
    {"lm", {0, 0, 0, 0, 0, 0, 1}},
    {"lx", {-2, 0, 0, 0, 0, 0, 1}},
    {"Bq", {0, 0, -1}},
    {"Gy", {2, 0, -2}},
    {"Sv", {2, 0, -2}},
    {"kat", {0, 0, -1, 0, 0, 1}},
    {"min", {0, 0, 1}, 60},
    {"h", {0, 0, 1}, 3600},
    {"d", {0, 0, 1}, 86400},
    {"l", {3}, 1e-3},
    {"t", {0, 1}, 1e3},
    {"bar", {-1, 1, -2}, 1e5},
    {"eV", {2, 1, -2}, 1.602176634e-19},
    {"rev", {}, 2 * std::numbers::pi},
};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix prefixes[] = {{"da", 1e1},  {"Y", 1e24},  {"Z", 1e21},  {"E", 1e18},  {"P", 1e15},
                               {"T", 1e12},  {"G", 1e9},   {"M", 1e6},   {"k", 1e3},   {"h", 1e2},
                               {"d", 1e-1},  {"c", 1e-2},  {"m", 1e-3},  {"u", 1e-6},  {"n", 1e-9},
                               {"p", 1e-12}, {"f", 1e-15}, {"a", 1e-18}, {"z", 1e-21}, {"y", 1e-24}};

const NamedUnit* find(std::string_view name) {
  const auto found = std::ranges::find(units, name, &NamedUnit::name);
  return found == std::end(units) ? nullptr : &*found;
}

std::optional<Unit> named(std::string_view name) {
  const NamedUnit* unit = find(name);
  double factor = 1;
  for (const Prefix& prefix : prefixes) {
    if (unit != nullptr) break;
    if (!name.starts_with(prefix.name) || name == prefix.name) continue;
    unit = find(name.substr(prefix.name.size()));
    factor = prefix.factor;
  }
  if (unit == nullptr) return std::nullopt;
  Unit result;
  std::ranges::copy(unit->powers, result.powers.begin());
  result.factor = factor * unit->factor;
  return result;
}

void multiply(Unit& unit, const Unit& by, double power) {
  for (std::size_t i = 0; i < unit.powers.size(); ++i) unit.powers[i] += power * by.powers[i];
  unit.factor *= std::pow(by.factor, power);
}

// unit_numerator [ "/" unit_denominator ]; factors are joined by dots, a denominator of several stands in
// parentheses.
class UnitReader {
 public:
  explicit UnitReader(std::string_view text) : rest_(text) {}

  std::optional<Unit> read() {
    Unit unit;
    if (!product(unit, 1)) return std::nullopt;
    while (!rest_.empty()) {
      if (rest_.front() != '/') return std::nullopt;
      rest_.remove_prefix(1);
      if (!factor(unit, -1)) return std::nullopt;
    }
    return unit;
  }

 private:
  bool product(Unit& unit, double sign) {
    if (!factor(unit, sign)) return false;
    while (!rest_.empty() && rest_.front() == '.') {
      rest_.remove_prefix(1);
      if (!factor(unit, sign)) return false;
    }
    return true;
  }

  bool factor(Unit& unit, double sign) {
    if (!rest_.empty() && rest_.front() == '(') {
      rest_.remove_prefix(1);
      if (!product(unit, sign) || rest_.empty() || rest_.front() != ')') return false;
      rest_.remove_prefix(1);
      return true;
    }
    const auto letters = static_cast<std::size_t>(
        std::ranges::find_if(rest_,
                             [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z'); }) -
        rest_.begin());
    if (letters == 0) {
      const bool one = rest_.starts_with('1');
      if (one) rest_.remove_prefix(1);
      return one;
    }
    const std::optional<Unit> found = named(rest_.substr(0, letters));
    if (!found) return false;
    rest_.remove_prefix(letters);
    multiply(unit, *found, sign * exponent());
    return true;
  }

  double exponent() {
    double sign = 1;
    if (!rest_.empty() && (rest_.front() == '-' || rest_.front() == '+')) {
      sign = rest_.front() == '-' ? -1 : 1;
      rest_.remove_prefix(1);
    }
    double value = 0;
    bool any = false;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9') {
      value = 10 * value + (rest_.front() - '0');
      any = true;
      rest_.remove_prefix(1);
    }
    return any ? sign * value : 1;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<Unit> parse_unit(std::string_view text) {
  return UnitReader(text).read();
}

std::string unit_text(const Unit& unit) {
  std::string above;
  std::string below;
  int count = 0;
  for (std::size_t i = 0; i < base_names.size(); ++i) {
    const double power = unit.powers[i];
    if (power == 0) continue;
    std::string& side = power > 0 ? above : below;
    if (!side.empty()) side += '.';
    side += base_names[i];
    if (std::abs(power) != 1) side += fmt::format("{}", std::abs(power));
    if (power < 0) ++count;
  }
  if (above.empty()) above.push_back('1');
  if (!below.empty()) above += count > 1 ? fmt::format("/({})", below) : fmt::format("/{}", below);
  return unit.factor == 1 ? above : fmt::format("{:g} {}", unit.factor, above);
}

}  // namespace daedalus
