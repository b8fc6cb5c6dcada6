// The four cases of paper 003 §4.2 and the recommendations of its §5, and those of paper 000 where
// constraints lose rank.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "advise/advice.hpp"

namespace daedalus {
namespace {

// "Much faster than the solution": a step that follows the solution is a thirtieth to a third of its time
// scale, and beyond a few steps an explicit treatment is unstable (paper 003 §4.1: h |F C'| must be small).
constexpr double much = 30;
constexpr double at_rest = 1e-3;          // of itself a solution changes less in the length of a run
constexpr double nearly_singular = 1e-4;  // of σ_min: below, nothing is risked
// Slender bodies make σ_min small everywhere. Explicit runs are monitored, and another formulation takes over
// where rank is lost.
constexpr double singular_for_explicit = 1e-8;
constexpr double round_off = 1e-7;     // of the largest rate: differences have no more digits
constexpr double at_the_start = 1e-6;  // of the run: how well a change at the start is located

// At most two by name; the report has all.
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 2;  // the summary is one line
  if (names.empty()) return "";
  const std::size_t shown = std::min(names.size(), most);
  const std::string more =
      names.size() > most ? fmt::format(" and {} more", names.size() - most) : std::string();
  return fmt::format(
      " ({}{})", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "), more);
}

// reinit() gives some of the velocities new values; which others follow is clearest where only states count.
bool has_reinit(const DaeSystem& system) {
  return std::ranges::any_of(system.discrete_steps, [](const DiscreteStep& step) {
    const auto* when = std::get_if<WhenClause>(&step);
    return when != nullptr && std::ranges::any_of(when->branches, [](const WhenBranch& branch) {
             return !branch.reinits.empty();
           });
  });
}

std::string where(const RankChange& change, double length) {
  const double t = std::abs(change.t) < at_the_start * length ? 0 : change.t;
  return fmt::format("the constraints lose rank near t = {:.4g}, from {} to {}{}", t, change.from, change.to,
                     some_of(change.constraints));
}

class Recommender {
 public:
  Recommender(const ConstrainedForm& form, Advice& advice)
      : form_(form), advice_(advice), seen_(advice.measures) {
    rate_ = std::max(seen_.solution_rate, 1 / seen_.length);
    // At rest nothing changes; once it is disturbed the motion changes as fast as its slowest part.
    if (seen_.solution_rate <= at_rest / seen_.length) rate_ = std::max(rate_, seen_.slowest);
  }

  void run() {
    advice_.motion = motion();
    if (rank_matters()) return;
    if (!std::isfinite(seen_.mass_condition))
      return keep("the mass matrix is singular, and it needs no inverse of it");
    if (seen_.rank >= form_.n()) return keep("the constraints leave nothing free to move");
    if (form_.order > 2)
      return keep(fmt::format("it takes any order, and the model has order {}", form_.order));
    by_case();
  }

 private:
  [[nodiscard]] MotionCase motion() const {
    // If an explicit method was held up by stability, it was by the largest of the three.
    const double largest = std::max({seen_.stiffness, seen_.coupling, seen_.constraint_speed});
    const auto much_faster = [&](double rate) {
      return rate > much * rate_ || (seen_.stiff_ahead && rate == largest);
    };
    const bool fast = seen_.constraint_speed > much * rate_;
    const bool frozen = much_faster(seen_.stiffness);
    if (much_faster(seen_.coupling) || (frozen && fast)) return MotionCase::StiffCoupling;
    if (frozen) return MotionCase::StiffMotion;
    return fast ? MotionCase::FastConstraints : MotionCase::Slow;
  }

  void choose(Selection formulation, const std::string& reason) {
    advice_.why = fmt::format("{}: {}", formulation.to_text(), reason);
    advice_.formulation = std::move(formulation);
  }
  void keep(const std::string& reason) { choose(Selection("dummy-derivatives"), reason); }

  // Without a run ahead the rate of the solution is that of its first instant, which makes many motions look
  // stiff that are not; an explicit method finds out within a few steps, and an implicit one then goes on.
  [[nodiscard]] bool may_be_slow() const {
    return advice_.motion == MotionCase::Slow ||
           (advice_.motion == MotionCase::StiffMotion && seen_.looked_ahead == 0);
  }

  // Nothing stands against an explicit method of high order. Where the motion is left to reinit(), the states
  // of dummy derivatives say what is kept.
  [[nodiscard]] bool suits_explicit() const {
    return may_be_slow() && form_.order == 2 && std::isfinite(seen_.mass_condition) &&
           seen_.rank < form_.n() && (seen_.sigma_min >= singular_for_explicit || seen_.singular) &&
           !has_reinit(form_.system());
  }

  // Paper 000: redundant constraints and singular points.
  bool rank_matters() {
    advice_.suits_explicit = suits_explicit();
    if (!seen_.redundant.empty()) {
      const std::size_t count = seen_.redundant.size();
      choose(Selection(suits_explicit() && form_.symmetric ? "orthogonal-projection" : "trust-region"),
             fmt::format("{} of {} constraints {} redundant, and it takes them as they are", count,
                         form_.ny(), count == 1 ? "is" : "are"));
      return true;
    }
    if (seen_.uncontrolled) {
      keep("the multipliers do not act on all constraints, so that the index is higher than the form says");
      return true;
    }
    if (!seen_.singular) return false;
    if (suits_explicit() && passes_singular_points(form_)) {
      choose(Selection("orthogonal-projection"),
             where(*seen_.singular, seen_.length) +
                 ", and nothing is stiff: an explicit method steps over such points");
    } else if (passes_singular_points(form_)) {
      choose(Selection("trust-region"),
             where(*seen_.singular, seen_.length) + ", and it passes singular points");
    } else if (form_.order == 1) {
      keep(where(*seen_.singular, seen_.length) +
           ", where multipliers have a pole; it holds the constraints on both sides, and a regularisation "
           "would not be as accurate");
    } else {
      keep(where(*seen_.singular, seen_.length) +
           "; motion constraints do not say how the motion goes on from there, whatever the formulation: "
           "write them as constraints of position if they are");
    }
    return true;
  }

  // What is only round-off beside the others is nothing.
  [[nodiscard]] double rounded(double value) const {
    const double largest = std::max({seen_.stiffness, seen_.coupling, seen_.constraint_speed, rate_});
    return value < round_off * largest ? 0 : value;
  }

  [[nodiscard]] std::string numbers() const {
    return fmt::format(
        "case {} of Ascher and Petzold: the constraints turn at {:.3g} rad, the frozen motion has |λ| ≤ "
        "{:.3g}, their coupling is {:.3g}, "
        "the "
        "solution changes at {:.3g} a unit of time",
        static_cast<int>(advice_.motion), rounded(seen_.constraint_speed), rounded(seen_.stiffness),
        rounded(seen_.coupling), rate_);
  }

  // Paper 003 §4.2 and §5.
  void by_case() {
    const std::string measured = numbers();
    const bool risky = seen_.sigma_min < nearly_singular;
    switch (advice_.motion) {
      case MotionCase::Unknown:
      case MotionCase::Slow:
        if (suits_explicit())
          return choose(
              Selection("orthogonal-projection"),
              fmt::format("nothing is stiff and the constraints turn slowly ({}), so that an explicit method "
                          "of high order costs least, and the projection keeps every constraint",
                          measured));
        return keep(
            fmt::format("nothing is stiff and the constraints turn slowly ({}), so that every stable "
                        "formulation does well; this one has the fewest states and keeps every constraint",
                        measured));
      case MotionCase::StiffMotion:
        if (suits_explicit())
          return choose(
              Selection("orthogonal-projection"),
              fmt::format(
                  "an explicit method of high order costs least as long as nothing is stiff, which the "
                  "first steps will show ({}), and the projection keeps every constraint",
                  measured));
        return keep(fmt::format(
            "the motion itself is stiff, not the coupling with the constraints ({}), so that any stable "
            "formulation with an implicit integrator does well; this one keeps every constraint",
            measured));
      case MotionCase::FastConstraints:
      case MotionCase::StiffCoupling:
        break;
    }
    if (risky)
      return keep(fmt::format(
          "the constraints are nearly singular (σ = {:.2g}), and it exchanges its states there; {}",
          seen_.sigma_min, measured));
    if (has_reinit(form_.system()))
      return keep(
          fmt::format("the model has reinit(), after which its states say what is kept; {}", measured));
    const bool fast = advice_.motion == MotionCase::FastConstraints;
    // Of mechanisms paper 003 §5 recommends Pa, or Pc where velocities shall be exact, too. In its Table 4.9
    // Pb fails where the constraints turn within a step.
    choose(Selection("projected-invariants", {{.name = "variant", .text = form_.order == 2 ? "pc" : "pb"}}),
           fmt::format("{} ({}); projections along Gᵀ keep implicit integrators stable there, while index2, "
                       "ggl:D=B and baumgarte would act like explicit ones",
                       fast ? "the constraints turn much faster than the solution changes"
                            : "the turning of the constraints makes the motion stiff",
                       measured));
  }

  const ConstrainedForm& form_;
  Advice& advice_;
  const Measures& seen_;
  double rate_ = 1;
};

}  // namespace

bool passes_singular_points(const ConstrainedForm& form) {
  return form.order > 1 &&
         std::ranges::all_of(form.constraints, [](const FormConstraint& c) { return c.level == 0; });
}

void recommend(const ConstrainedForm& form, Advice& advice) {
  Recommender(form, advice).run();
}

}  // namespace daedalus
