// One table: the name and a definition of our own, in Modelica, after the library's documentation. They go
// the same way as functions of the model file.
#include "model/flatten/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "model/flatten/classes.hpp"

namespace daedalus::flatten {
namespace {

// Functions of scalars that are one formula: y = f(u).
struct Formula {
  std::string_view name;
  std::string_view formula;
};

constexpr Formula formulas[] = {
    {"Modelica.Math.asinh", "log(u + sqrt(u*u + 1))"},
    {"Modelica.Math.acosh", "log(u + sqrt(u*u - 1))"},
    {"Modelica.Units.Conversions.to_degC", "u - 273.15"},
    {"Modelica.Units.Conversions.from_degC", "u + 273.15"},
    {"Modelica.Units.Conversions.to_degF", "(u - 273.15)*1.8 + 32"},
    {"Modelica.Units.Conversions.from_degF", "(u - 32)/1.8 + 273.15"},
    {"Modelica.Units.Conversions.to_deg", "u*180/3.141592653589793"},
    {"Modelica.Units.Conversions.from_deg", "u*3.141592653589793/180"},
    {"Modelica.Units.Conversions.to_rpm", "u*30/3.141592653589793"},
    {"Modelica.Units.Conversions.from_rpm", "u*3.141592653589793/30"},
    {"Modelica.Units.Conversions.to_kmh", "u*3.6"},
    {"Modelica.Units.Conversions.from_kmh", "u/3.6"},
    {"Modelica.Units.Conversions.to_day", "u/86400"},
    {"Modelica.Units.Conversions.from_day", "u*86400"},
    {"Modelica.Units.Conversions.to_hour", "u/3600"},
    {"Modelica.Units.Conversions.from_hour", "u*3600"},
    {"Modelica.Units.Conversions.to_minute", "u/60"},
    {"Modelica.Units.Conversions.from_minute", "u*60"},
    {"Modelica.Units.Conversions.to_litre", "u*1000"},
    {"Modelica.Units.Conversions.from_litre", "u/1000"},
    {"Modelica.Units.Conversions.to_kWh", "u/3.6e6"},
    {"Modelica.Units.Conversions.from_kWh", "u*3.6e6"},
    {"Modelica.Units.Conversions.to_bar", "u/1e5"},
    {"Modelica.Units.Conversions.from_bar", "u*1e5"},
    {"Modelica.Units.Conversions.to_gps", "u*1000"},
    {"Modelica.Units.Conversions.from_gps", "u/1000"},
    {"Modelica.Units.Conversions.from_Hz", "u*2*3.141592653589793"},
    {"Modelica.Units.Conversions.to_Hz", "u/(2*3.141592653589793)"},
};

constexpr LibraryFunction rows[] = {
    // The angle of (u2, u1) nearest to the given one (Modelica.Math.atan3).
    {"Modelica.Math.atan3", R"(
  input Real u1; input Real u2; input Real y0 = 0; output Real y;
protected
  Real w = atan2(u1, u2);
algorithm
  y := if y0 == 0 then w else w + 2*3.141592653589793*integer((y0 - w + 3.141592653589793)/(2*3.141592653589793));
)"},
    {"Modelica.Math.Vectors.length", R"(
  input Real v[:]; output Real y;
algorithm
  y := sqrt(sum(v[i]*v[i] for i in 1:size(v, 1)));
)"},
    // The p-norm; p given as a number above 1e60 stands for the largest absolute value.
    {"Modelica.Math.Vectors.norm", R"(
  input Real v[:]; input Real p = 2; output Real y;
algorithm
  if p == 2 then
    y := sqrt(sum(v[i]*v[i] for i in 1:size(v, 1)));
  elseif p >= 1e60 then
    y := max(abs(v[i]) for i in 1:size(v, 1));
  elseif p == 1 then
    y := sum(abs(v[i]) for i in 1:size(v, 1));
  else
    y := (sum(abs(v[i])^p for i in 1:size(v, 1)))^(1/p);
  end if;
)"},
    {"Modelica.Math.Vectors.normalize", R"(
  input Real v[:]; input Real eps = 2.220446049250313e-14; output Real y[size(v, 1)];
protected
  Real l = sqrt(sum(v[i]*v[i] for i in 1:size(v, 1)));
algorithm
  y := if l >= eps then v/l else v/eps;
)"},
    {"Modelica.Math.Vectors.normalizeWithAssert", R"(
  input Real v[:]; output Real y[size(v, 1)];
protected
  Real l = sqrt(sum(v[i]*v[i] for i in 1:size(v, 1)));
algorithm
  assert(l > 0, "the vector to be normalised has length zero");
  y := v/l;
)"},
    {"Modelica.Math.Vectors.reverse", R"(
  input Real v[:]; output Real y[size(v, 1)];
algorithm
  y := {v[size(v, 1) + 1 - i] for i in 1:size(v, 1)};
)"},
    {"Modelica.Math.BooleanVectors.allTrue", R"(
  input Boolean b[:]; output Boolean y;
algorithm
  y := size(b, 1) > 0;
  for i in 1:size(b, 1) loop y := y and b[i]; end for;
)"},
    {"Modelica.Math.BooleanVectors.andTrue", R"(
  input Boolean b[:]; output Boolean y;
algorithm
  y := true;
  for i in 1:size(b, 1) loop y := y and b[i]; end for;
)"},
    {"Modelica.Math.BooleanVectors.anyTrue", R"(
  input Boolean b[:]; output Boolean y;
algorithm
  y := false;
  for i in 1:size(b, 1) loop y := y or b[i]; end for;
)"},
    {"Modelica.Math.BooleanVectors.countTrue", R"(
  input Boolean b[:]; output Integer y;
algorithm
  y := 0;
  for i in 1:size(b, 1) loop y := y + (if b[i] then 1 else 0); end for;
)"},
    {"Modelica.Math.BooleanVectors.oneTrue", R"(
  input Boolean b[:]; output Boolean y;
protected
  Integer n;
algorithm
  n := 0;
  for i in 1:size(b, 1) loop n := n + (if b[i] then 1 else 0); end for;
  y := n == 1;
)"},
    {"Modelica.Math.BooleanVectors.firstTrueIndex", R"(
  input Boolean b[:]; output Integer y;
algorithm
  y := 0;
  for i in 1:size(b, 1) loop y := if y == 0 and b[i] then i else y; end for;
)"},
    {"Modelica.Math.BooleanVectors.enumerate", R"(
  input Boolean b[:]; output Integer y[size(b, 1)];
algorithm
  y := {(if b[i] then i else 0) for i in 1:size(b, 1)};
)"},
};

struct Definition {
  std::string body;
  std::string_view beside;
};

StringMap<Definition> build_table() {
  StringMap<Definition> table;
  const auto add = [&](std::string_view name, std::string body, std::string_view beside = {}) {
    table.emplace(name, Definition{std::move(body), beside});
  };
  for (const auto family :
       {std::span<const LibraryFunction>(rows), blocks_functions(), complex_functions(), fluid_functions(),
        frame_functions(), media_functions(), random_functions(), spice_functions(), water_functions()}) {
    for (const LibraryFunction& row : family) add(row.name, std::string(row.body), row.beside);
  }
  constexpr std::string_view units = "Modelica.Units.";
  for (const Formula& row : formulas) {
    std::string body = "\n  input Real u; output Real y;\nalgorithm\n  y := ";
    body.append(row.formula).append(";\n");
    // The library called the package SIunits before version 4.
    if (row.name.starts_with(units))
      add("Modelica.SIunits." + std::string(row.name.substr(units.size())), body);
    add(row.name, std::move(body));
  }
  return table;
}

const StringMap<Definition>& table() {
  static const StringMap<Definition> all = build_table();
  return all;
}

// A name between quotes, with those inside it escaped.
std::string quoted(std::string_view name) {
  std::string text = "'";
  for (const char c : name) {
    if (c == '\'' || c == '\\') text += '\\';
    text += c;
  }
  return text + "'";
}

struct Found {
  const Definition* definition = nullptr;
  std::string_view package;  // what '*' stands for
};

Found find_definition(std::string_view name) {
  if (const auto found = table().find(name); found != table().end()) return {&found->second, {}};
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1)) {
    const auto found = table().find("*" + std::string(name.substr(dot)));
    if (found != table().end()) return {&found->second, name.substr(0, dot)};
  }
  return {};
}

std::string with_package(std::string_view body, std::string_view package) {
  std::string text;
  for (const char c : body) {
    if (c == '@') {
      text.append(package);
    } else {
      text += c;
    }
  }
  return text;
}

// What a record of the table is declared as: its fields, or the literals of an enumeration.
std::string record_text(const LibraryFunction& record) {
  const std::string name = quoted(record.name);
  if (record.body.starts_with('=')) return fmt::format("type {} {};\n", name, record.body);
  return fmt::format("record {}{}end {};\n", name, record.body, name);
}

}  // namespace

std::string library_text(std::string_view name, const std::function<bool(std::string_view)>& defined) {
  const auto [definition, package] = find_definition(name);
  if (definition == nullptr) return {};
  if (!definition->beside.empty() && !defined(fmt::format("{}.{}", package, definition->beside))) return {};
  const std::string body = with_package(definition->body, package);
  std::string text;
  for (const LibraryFunction& record : library_records()) {
    if (body.find(quoted(record.name)) != std::string::npos && !defined(record.name))
      text += record_text(record);
  }
  return text + fmt::format("function {}{}end {};\n", quoted(name), body, quoted(name));
}

std::vector<std::string_view> library_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, body] : table()) names.emplace_back(name);
  std::ranges::sort(names);
  return names;
}

}  // namespace daedalus::flatten
