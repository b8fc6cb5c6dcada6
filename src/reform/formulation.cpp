#include "reform/formulation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "reform/descriptor.hpp"

namespace daedalus {
namespace {

// Limits of options: a number that must not be zero; a threshold that no determinant exceeds.
constexpr double least_positive = 1e-300;
constexpr double never_exchanged = 1e12;

OptionSpec direction_option() {
  return {.name = "D",
          .kind = OptionKind::Text,
          .default_value = "GT",
          .doc = "the projection: GT (Gᵀ), B (M⁻¹Gᵀ), or a matrix such as [0;1]"};
}

OptionSpec gamma_spec(std::string_view value, std::string_view doc) {
  return {.name = "gamma", .kind = OptionKind::Text, .default_value = value, .doc = doc};
}

OptionSpec number(std::string_view name, std::string_view doc, double min = 0) {
  return {.name = name, .kind = OptionKind::Number, .default_value = "", .doc = doc, .min = min};
}

OptionSpec basis_option(std::string_view value) {
  return {.name = "A",
          .kind = OptionKind::Text,
          .default_value = value,
          .doc = "the parametrisation: chosen and changed by its condition, or a matrix such as [1;0]"};
}

OptionSpec error_test_option() {
  return {.name = "errortest",
          .kind = OptionKind::Text,
          .default_value = "velocities",
          .doc =
              "test positions and velocities, or, as in the index-3 runs of Petzold, Ren and Maly (1997), "
              "positions only",
          .choices = {"velocities", "positions"}};
}

OptionSpec form_option() {
  return {.name = "form",
          .kind = OptionKind::Text,
          .default_value = "coupled",
          .doc =
              "of implicit methods: the constraint coupled to the rates that the method forms, or "
              "multipliers eliminated as in (2.8)",
          .choices = {"coupled", "eliminated"}};
}

std::vector<OptionSpec> regularisation_options(bool radius) {
  std::vector<OptionSpec> options{
      {.name = "eps",
       .kind = OptionKind::Number,
       .default_value = "",
       .doc = "the regularisation ε > 0; without it, by tolerance and the size of the multipliers"},
      gamma_spec("100", "γ of the Taylor polynomial: γ₁ = 2γ, γ₀ = 2γ² for m = 2; a number or 1/h"),
      number("gamma0", "γ₀, instead of gamma"),
      number("gamma1", "γ₁, instead of gamma"),
      {.name = "curvature",
       .kind = OptionKind::Text,
       .default_value = "yes",
       .doc = "the second derivatives of the constraints: kept, or left out as in the paper (4.6)",
       .choices = {"yes", "no"}},
      {.name = "convert",
       .kind = OptionKind::Text,
       .default_value = "none",
       .doc = "ggl: convert stably to index 2 first, with a multiplier for each level, then regularise (§4)",
       .choices = {"none", "ggl"}},
      error_test_option()};
  if (radius) {
    options.push_back({.name = "delta",
                       .kind = OptionKind::Number,
                       .default_value = "",
                       .doc = "the radius δ: (h^2m/2) yᵀy ≤ δ, active only when needed; instead of eps"});
  }
  return options;
}

bool defined_for(const FormulationRow& row, int order) {
  return order >= row.min_order && order <= row.max_order;
}

Result<ReformulatedSystem> rewrite_underlying(const ConstrainedForm& form, const Selection&) {
  ReformBuilder b(form);
  add_underlying_ode(b);
  for (int k = 0; k < form.order; ++k) b.kinematics(k);
  return b.take();
}

// NOLINTNEXTLINE(readability-function-size): a table, one row a formulation
std::vector<FormulationRow> make_table() {
  return {
      {.name = "dummy-derivatives",
       .summary = "any DAE: Pantelides, dummy derivatives selected block by block, pivoting without restart",
       .reference = "Mattsson, Söderlind 1991, §3 and §4; Pöll, Hafner 2015, §5.3",
       .options = {{.name = "pivot",
                    .kind = OptionKind::Number,
                    .default_value = "2",
                    .doc = "exchange dummies when that raises |det M| by more than this factor",
                    .min = 1.01,
                    .max = never_exchanged},
                   {.name = "superfluous",
                    .kind = OptionKind::Text,
                    .default_value = "keep",
                    .doc = "differentiations that only index-0 blocks need: keep them, or remove them for "
                           "fewer unknowns (§3)",
                    .choices = {"keep", "remove"}},
                   {.name = "explicit",
                    .kind = OptionKind::Text,
                    .default_value = "compute",
                    .doc =
                        "algebraic unknowns that an equation gives explicitly: compute them, or iterate on "
                        "them as on all others",
                    .choices = {"compute", "iterate"}}},
       .any_dae = true},
      {.name = "index3",
       .summary = "the constraint of position, as it is written",
       .reference = "the original equations",
       .min_order = 2,
       .rewrite = rewrite_index3},
      {.name = "index2",
       .summary = "the constraint differentiated until index 2: positions drift linearly",
       .reference = "Ascher, Petzold 1993, §3.2, (3.11); d-2",
       .options = {gamma_spec("0", "(d/dt + γ)^(m-1) g = 0; 0 (d-2), a number, or 1/h")},
       .rewrite = rewrite_index2},
      {.name = "index1",
       .summary = "differentiate and substitute: velocities drift linearly, positions quadratically",
       .reference = "Pöll, Hafner 2015, §5.1",
       .ode = true,
       .rewrite = rewrite_index1},
      {.name = "baumgarte",
       .summary = "g̈ + 2α ġ + β² g = 0: the violation of constraints decays",
       .reference =
           "Pöll, Hafner 2015, §5.2; Ascher, Petzold 1993, §3.1; Petzold, Ren, Maly 1997, (1.3), (2.8)",
       .options = {gamma_spec("10", "(d/dt + γ)^m g = 0; a number or 1/h, which couples it to the step"),
                   number("alpha", "α of g̈ + 2α ġ + β² g, with beta instead of gamma"),
                   number("beta", "β of g̈ + 2α ġ + β² g, with alpha instead of gamma"),
                   {.name = "polynomial",
                    .kind = OptionKind::Text,
                    .default_value = "",
                    .doc = "c_k of Σ c_k d^k g/dt^k, k < m, c_m = 1, such as [8,4] for g̈ + 4ġ + 8g"},
                   form_option(),
                   error_test_option()},
       .ode = true,
       .rewrite = rewrite_baumgarte},
      {.name = "baumgarte-h",
       .summary = "the constraint linearised over a step: first derivatives only",
       .reference = "Petzold, Ren, Maly 1997, (4.5), (4.15)",
       .options = {gamma_spec("1/h", "γ₁ = m γ, γ₀ = m! γ^m; by default γ = 1/h of the step"),
                   number("h", "h of γ = 1/h, as a number", least_positive),
                   number("gamma0", "γ₀, instead of gamma"), number("gamma1", "γ₁, instead of gamma"),
                   form_option(), error_test_option()},
       .ode = true,
       .rewrite = rewrite_baumgarte_h},
      {.name = "trust-region",
       .summary = "least squares of the constraint with bounded multipliers: passes singular and redundant "
                  "constraints",
       .reference = "Petzold, Ren, Maly 1997, §2.2, §4.1, §4.4",
       .options = regularisation_options(true),
       .ode = true,
       .rewrite = rewrite_trust_region,
       .redundant = true},
      {.name = "direct-regularization",
       .summary = "G M⁻¹ B + εI in place of G M⁻¹ B",
       .reference = "Petzold, Ren, Maly 1997, §2.3, §4.2",
       .options = regularisation_options(false),
       .ode = true,
       .rewrite = rewrite_direct_regularization,
       .redundant = true},
      {.name = "ggl",
       .summary = "stabilised index 2: p' = v - Dμ, position and velocity constraints kept",
       .reference = "Pöll, Hafner 2015, §8; Ascher, Petzold 1993, (4.15), (2.18)",
       .min_order = 2,
       .options = {direction_option()},
       .rewrite = rewrite_ggl},
      {.name = "projected-invariants",
       .summary = "the underlying ODE with a multiplier for each invariant that is kept",
       .reference =
           "Ascher, Petzold 1993, (3.27), (4.7), (4.14), (4.16), (4.17); Petzold, Potra 1992, (3.32)",
       .options =
           {{.name = "variant",
             .kind = OptionKind::Text,
             .default_value = "pb",
             .doc = "pa: position kept; pb: position and velocity; pc: pb with Lᵀτ in p'",
             .choices = {"pa", "pb", "pc"}},
            direction_option(),
            {.name = "velocity",
             .kind = OptionKind::Text,
             .default_value = "free",
             .doc = "projected: the end of each step is moved onto the constraints of velocity, by the least "
                    "change of v, as Ascher and Petzold (1993) recommend for pa (not with ida)",
             .choices = {"free", "projected"}}},
       .rewrite = rewrite_projected_invariants},
      {.name = "extended",
       .summary = "the overdetermined DAE with multipliers for its constraints; to be studied",
       .reference = "Petzold, Potra 1992, (3.16), (3.17)",
       .min_order = 2,
       .max_order = 2,
       .options = {{.name = "variant",
                    .kind = OptionKind::Text,
                    .default_value = "algebraic",
                    .doc = "λ from the algebraic form (3.17), or the differentiated constraint (3.16)",
                    .choices = {"algebraic", "differentiated"}}},
       .rewrite = rewrite_extended},
      {.name = "odae",
       .summary =
           "all constraints at once; each Newton step is the ssf-solution of the overdetermined system",
       .reference = "Petzold, Potra 1992, §3, (3.10)-(3.14), (5.5)-(5.8)",
       .min_order = 2,
       .max_order = 2,
       .options =
           {{.name = "A",
             .kind = OptionKind::Text,
             .default_value = "identity",
             .doc = "identity: the ssf-solution; tangent: the A-ssf solution with A = ker G; or a matrix"}},
       .rewrite = rewrite_odae},
      {.name = "coordinate-partitioning",
       .summary = "the independent coordinates are integrated, the others follow from the constraints",
       .reference = "Petzold, Potra 1992, (5.4); Ascher, Petzold 1993, §3.3",
       .options = {basis_option("auto"),
                   {.name = "threshold",
                    .kind = OptionKind::Number,
                    .default_value = "2",
                    .doc = "change a coordinate when that raises |det [G; Aᵀ]| by more than this factor",
                    .min = 1.01,
                    .max = 5}},
       .rewrite = rewrite_coordinate_partitioning,
       .state_space = rewrite_coordinate_state_space},
      {.name = "tangent-plane",
       .summary = "the motion along a basis of ker G at the last point is integrated",
       .reference = "Petzold, Potra 1992, (5.4), (5.9)",
       .options = {basis_option("auto"),
                   {.name = "update",
                    .kind = OptionKind::Text,
                    .default_value = "step",
                    .doc =
                        "renew the basis before each step, or only when [G; Aᵀ] has become badly conditioned",
                    .choices = {"step", "condition"}}},
       .rewrite = rewrite_tangent_plane,
       .state_space = rewrite_tangent_state_space},
      {.name = "orthogonal-projection",
       .summary = "the underlying ODE by any method, then projection onto all constraints",
       .reference = "Pöll, Hafner 2015, §6.1; Ascher, Petzold 1993, (4.18)-(4.22)",
       .options =
           {{.name = "W",
             .kind = OptionKind::Text,
             .default_value = "I",
             .doc = "the norm of the projection: I, M, or a positive definite matrix such as [2,0;0,1]"},
            {.name = "levels",
             .kind = OptionKind::Text,
             .default_value = "all",
             .doc = "project onto the constraints and their derivatives, level by level or jointly (Pöll, "
                    "Hafner 2015, §6.1); or, as in (4.19), onto the constraints alone",
             .choices = {"all", "jointly", "position"}},
            {.name = "invariants",
             .kind = OptionKind::Text,
             .default_value = "",
             .doc = "variables whose values at the start are kept, too, such as [energy,momentum]"}},
       .ode = true,
       .rewrite = rewrite_underlying,
       .projects = true},
      {.name = "symmetric-projection",
       .summary = "perturbed, stepped by a symmetric method and projected with the same multiplier",
       .reference = "Pöll, Hafner 2015, §6.2; Hairer, Lubich, Wanner, Geometric Numerical Integration, V.4",
       .options = {{.name = "direction",
                    .kind = OptionKind::Text,
                    .default_value = "G",
                    .doc = "of the moves: (Gᵀμ, Gᵀτ), or full: (Gᵀμ + Lᵀτ, Gᵀτ)",
                    .choices = {"G", "full"}}},
       .rewrite = rewrite_underlying,
       .projects = true,
       .symmetric = true},
      {.name = "singular-mass",
       .summary =
           "a wrapper: (MᵀM + γI) x'' = Mᵀf - MᵀB y for singular mass matrices, then another formulation",
       .reference = "Petzold, Ren, Maly 1997, §4.3",
       .options = {{.name = "gamma",
                    .kind = OptionKind::Number,
                    .default_value = "",
                    .doc = "γ > 0; if not given, 1e-10 times the mean of the diagonal of MᵀM",
                    .min = least_positive},
                   {.name = "then",
                    .kind = OptionKind::Text,
                    .default_value = "ggl",
                    .doc = "the formulation for the regularised equations; with options: then=[ggl:D=B]"}},
       .wrapper = true},
  };
}

}  // namespace

std::span<const FormulationRow> formulations() {
  static const std::vector<FormulationRow> table = make_table();
  return table;
}

const FormulationRow* find_formulation(std::string_view name) {
  const auto rows = formulations();
  const auto found = std::ranges::find(rows, name, &FormulationRow::name);
  return found == rows.end() ? nullptr : &*found;
}

Result<ReformulatedSystem> reformulate(const FormulationRow& row, const ConstrainedForm& form,
                                       const Selection& options, bool explicit_method) {
  if (!defined_for(row, form.order)) {
    std::vector<std::string_view> others;
    for (const FormulationRow& other : formulations()) {
      if (other.rewrite != nullptr && defined_for(other, form.order)) others.push_back(other.name);
    }
    const std::string orders = row.max_order == row.min_order ? fmt::format("{}", row.min_order)
                               : row.max_order >= any_order
                                   ? fmt::format("{} and higher", row.min_order)
                                   : fmt::format("{} to {}", row.min_order, row.max_order);
    return fail(
        fmt::format("formulation {} is defined for systems of order {}, but the model has order {} (m of M "
                    "x^(m) = f - B y); "
                    "defined for it are dummy-derivatives, {}",
                    row.name, orders, form.order, fmt::join(others, ", ")));
  }
  const bool parametrised = explicit_method && row.state_space != nullptr;
  return parametrised ? row.state_space(form, options) : row.rewrite(form, options);
}

}  // namespace daedalus
