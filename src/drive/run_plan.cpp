#include "drive/run_plan.hpp"

namespace daedalus {

Selection stiff_integrator(const IntegratorRow& row, double rtol) {
  constexpr double loose = 0.03;
  return Selection(std::string(row.name), {{"order", rtol >= loose ? "5" : "variable"}});
}

}  // namespace daedalus
