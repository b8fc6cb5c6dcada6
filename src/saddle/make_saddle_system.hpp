// Which strategy solves a symmetric saddle system.
#pragma once

#include <memory>

#include "saddle/regularised_system.hpp"

namespace daedalus {

// Written out where it is small; else condensed where enough masses are constant; else panels.
[[nodiscard]] std::unique_ptr<RegularisedSystem> make_saddle_system(const SaddleEquations& equations,
                                                                    const ProgramSetting& setting,
                                                                    const Sequel::Given& sequel = {});

}  // namespace daedalus
