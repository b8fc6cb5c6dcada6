#include "saddle/make_saddle_system.hpp"

#include "saddle/condensed_system.hpp"
#include "saddle/straight_line_system.hpp"

namespace daedalus {

std::unique_ptr<RegularisedSystem> make_saddle_system(const SaddleEquations& equations,
                                                      const ProgramSetting& setting,
                                                      const Sequel::Given& sequel) {
  PanelSystem whole(equations, setting);
  std::unique_ptr<SaddleSystem> made = StraightLineSystem::make(equations, setting, whole, sequel);
  if (made == nullptr) made = CondensedSystem::make(equations, setting, whole);
  if (made == nullptr) {
    whole.compile();
    made = std::make_unique<PanelSystem>(std::move(whole));
  }
  return std::make_unique<RegularisedSystem>(std::move(made));
}

}  // namespace daedalus
