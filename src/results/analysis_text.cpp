#include "results/analysis_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

namespace daedalus {
namespace {

using Json = nlohmann::ordered_json;

constexpr int most_shown = 12;           // rows and columns of a matrix on a terminal
constexpr double at_rest = 1e-9;         // of a real part against the fastest mode: neither decays nor grows
constexpr double seen_frequency = 1e-9;  // in the same way, of a frequency

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json named(const std::vector<std::string>& names, const std::vector<double>& values) {
  Json object = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k) object.push_back({names[k], number(values[k])});
  return object;
}

Json rows_of(const DenseMatrix& matrix) {
  Json rows = Json::array();
  for (int r = 0; r < matrix.rows; ++r) {
    Json row = Json::array();
    for (int c = 0; c < matrix.columns; ++c) row.push_back(number(matrix.at(r, c)));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json modes_json(const Linearisation& linearisation) {
  Json modes = Json::array();
  for (const Mode& mode : linearisation.modes) {
    Json dominant = Json::array();
    for (const Participation& p : mode.dominant)
      dominant.push_back(
          {{"state", linearisation.states[static_cast<std::size_t>(p.state)]}, {"part", p.part}});
    modes.push_back({{"real", number(mode.eigenvalue.real())},
                     {"imag", number(mode.eigenvalue.imag())},
                     {"frequency", number(mode.frequency)},
                     {"damping", number(mode.damping)},
                     {"dominant", std::move(dominant)}});
  }
  return modes;
}

std::string matrix_text(std::string_view name, const DenseMatrix& matrix,
                        const std::vector<std::string>& rows, const std::vector<std::string>& columns) {
  if (matrix.rows == 0 || matrix.columns == 0) return "";
  if (matrix.rows > most_shown || matrix.columns > most_shown)
    return fmt::format("\n{} is {} x {}: --out FILE.json or FILE.mat writes it\n", name, matrix.rows,
                       matrix.columns);
  std::size_t width = 1;
  for (const std::string& row : rows) width = std::max(width, row.size());
  std::string text = fmt::format("\n{:<{}}", name, width + 2);
  for (const std::string& column : columns) text += fmt::format(" {:>13}", column);
  text += '\n';
  for (int r = 0; r < matrix.rows; ++r) {
    text += fmt::format("  {:<{}}", rows[static_cast<std::size_t>(r)], width);
    for (int c = 0; c < matrix.columns; ++c)
      text += fmt::format(" {:>{}.6g}", matrix.at(r, c),
                          std::max<std::size_t>(13, columns[static_cast<std::size_t>(c)].size()));
    text += '\n';
  }
  return text;
}

double fastest_of(const std::vector<Mode>& modes) {
  double fastest = 0;
  for (const Mode& mode : modes) fastest = std::max(fastest, std::abs(mode.eigenvalue));
  return fastest;
}

std::string modes_text(const Linearisation& linearisation) {
  if (linearisation.modes.empty()) return "\nNo states, so no modes.\n";
  std::string text = fmt::format("\nModes{:>25}{:>14}{:>12}{:>16}   states\n", "eigenvalue", "frequency",
                                 "damping", "time constant");
  const double fastest = fastest_of(linearisation.modes);
  for (const Mode& mode : linearisation.modes) {
    if (mode.eigenvalue.imag() < 0) continue;  // the other one of a pair
    const bool oscillates = mode.eigenvalue.imag() > seen_frequency * fastest;
    const double rate = std::abs(mode.eigenvalue.real());
    const std::string value =
        oscillates ? fmt::format("{:.6g} ± {:.6g}i", mode.eigenvalue.real(), mode.eigenvalue.imag())
                   : fmt::format("{:.6g}", mode.eigenvalue.real());
    std::vector<std::string> states;
    for (const Participation& p : mode.dominant)
      states.push_back(
          fmt::format("{} {:.0f} %", linearisation.states[static_cast<std::size_t>(p.state)], 100 * p.part));
    text += fmt::format(
        "{:>30}{:>14}{:>12}{:>16}   {}\n", value, oscillates ? fmt::format("{:.6g}", mode.frequency) : "-",
        oscillates ? fmt::format("{:.4g}", mode.damping) : "-",
        rate > at_rest * fastest ? fmt::format("{:.6g}", 1 / rate) : "-", fmt::join(states, ", "));
  }
  return text;
}

std::string stability_text(const Linearisation& linearisation) {
  const double rest = at_rest * fastest_of(linearisation.modes);
  bool marginal = false;
  for (const Mode& mode : linearisation.modes) {
    if (mode.eigenvalue.real() > rest) return "unstable: a mode grows";
    marginal = marginal || mode.eigenvalue.real() > -rest;
  }
  return marginal ? "neither stable nor unstable to first order: a mode has no damping" : "stable";
}

// --- MATLAB 4: type (0 double, 51 text), rows, columns, no imaginary part, length of the name ---

void append(std::string& bytes, std::span<const std::int32_t> values) {
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

void append_header(std::string& bytes, std::string_view name, const std::array<std::int32_t, 3>& shape) {
  append(bytes, std::array{shape[0], shape[1], shape[2], 0, static_cast<std::int32_t>(name.size() + 1)});
  bytes += name;
  bytes += '\0';
}

void append_matrix(std::string& bytes, std::string_view name, const DenseMatrix& matrix) {
  append_header(bytes, name, {0, matrix.rows, matrix.columns});
  bytes.append(reinterpret_cast<const char*>(matrix.values.data()), matrix.values.size() * sizeof(double));
}

void append_column(std::string& bytes, std::string_view name, const std::vector<double>& values) {
  DenseMatrix column(static_cast<int>(values.size()), 1);
  column.values = values;
  append_matrix(bytes, name, column);
}

// A row a text: column by column in the file.
void append_texts(std::string& bytes, std::string_view name, const std::vector<std::string>& texts) {
  std::size_t length = 0;
  for (const std::string& text : texts) length = std::max(length, text.size());
  append_header(bytes, name,
                {51, static_cast<std::int32_t>(texts.size()), static_cast<std::int32_t>(length)});
  for (std::size_t c = 0; c < length; ++c) {
    for (const std::string& text : texts) {
      const double code = c < text.size() ? static_cast<unsigned char>(text[c]) : ' ';
      bytes.append(reinterpret_cast<const char*>(&code), sizeof code);
    }
  }
}

std::string values_text(const std::vector<std::string>& names, const std::vector<double>& values) {
  std::size_t width = 1;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k)
    text += fmt::format("  {:<{}} = {:.10g}\n", names[k], width, values[k]);
  return text;
}

}  // namespace

std::string linearisation_text(const Linearisation& linearisation) {
  const auto count = [](std::size_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  std::string text = fmt::format(
      "Linearised at t = {:.10g}: {}, {}, {}\n", linearisation.t, count(linearisation.states.size(), "state"),
      count(linearisation.inputs.size(), "input"), count(linearisation.outputs.size(), "output"));
  text += values_text(linearisation.states, linearisation.state_values);
  text += values_text(linearisation.inputs, linearisation.input_values);
  text += matrix_text("A", linearisation.a, linearisation.states, linearisation.states);
  text += matrix_text("B", linearisation.b, linearisation.states, linearisation.inputs);
  if (linearisation.outputs != linearisation.states) {
    text += matrix_text("C", linearisation.c, linearisation.outputs, linearisation.states);
    text += matrix_text("D", linearisation.d, linearisation.outputs, linearisation.inputs);
  }
  text += modes_text(linearisation);
  for (const std::string& note : linearisation.notes) text += fmt::format("note: {}\n", note);
  return text;
}

std::string linearisation_json(const Linearisation& linearisation) {
  Json object = Json::object();
  object["t"] = linearisation.t;
  object["states"] = named(linearisation.states, linearisation.state_values);
  object["inputs"] = named(linearisation.inputs, linearisation.input_values);
  object["outputs"] = named(linearisation.outputs, linearisation.output_values);
  object["A"] = rows_of(linearisation.a);
  object["B"] = rows_of(linearisation.b);
  object["C"] = rows_of(linearisation.c);
  object["D"] = rows_of(linearisation.d);
  object["modes"] = modes_json(linearisation);
  object["redundant"] = linearisation.redundant;
  object["notes"] = linearisation.notes;
  return object.dump(2) + "\n";
}

std::string linearisation_mat(const Linearisation& linearisation) {
  std::string bytes;
  append_matrix(bytes, "A", linearisation.a);
  append_matrix(bytes, "B", linearisation.b);
  append_matrix(bytes, "C", linearisation.c);
  append_matrix(bytes, "D", linearisation.d);
  append_column(bytes, "x0", linearisation.state_values);
  append_column(bytes, "u0", linearisation.input_values);
  append_column(bytes, "y0", linearisation.output_values);
  append_texts(bytes, "states", linearisation.states);
  append_texts(bytes, "inputs", linearisation.inputs);
  append_texts(bytes, "outputs", linearisation.outputs);
  return bytes;
}

std::string steady_text(const SteadyState& steady, const Linearisation* modes) {
  std::string text = fmt::format("Equilibrium at t = {:.10g}", steady.t);
  if (modes != nullptr) text += ", " + stability_text(*modes);
  text += '\n' + values_text(steady.names, steady.values);
  if (steady.moved)
    text +=
        "note: found from a point near the start values, where Newton's method could not go on; --set gives "
        "others\n";
  if (steady.free_directions > 0)
    text += fmt::format(
        "note: the model rests in {} direction{} anywhere; these unknowns are as near to their start values "
        "as possible: {}\n",
        steady.free_directions, steady.free_directions == 1 ? "" : "s", fmt::join(steady.free_names, ", "));
  if (modes != nullptr) text += modes_text(*modes);
  return text;
}

std::string steady_json(const SteadyState& steady, const Linearisation* modes) {
  Json object = Json::object();
  object["t"] = steady.t;
  object["found"] = steady.found;
  object["reason"] = steady.reason;
  object["values"] = named(steady.names, steady.values);
  object["residual"] = number(steady.residual);
  object["iterations"] = steady.iterations;
  object["continuation_steps"] = steady.continuation_steps;
  object["moved"] = steady.moved;
  object["free_directions"] = steady.free_directions;
  object["free"] = steady.free_names;
  if (modes != nullptr) {
    object["stability"] = stability_text(*modes);
    object["modes"] = modes_json(*modes);
  }
  return object.dump(2) + "\n";
}

}  // namespace daedalus
