// The door of the model stage: text in, DaeSystem out.
#pragma once

#include "model/dae_system.hpp"
#include "model/load_options.hpp"

namespace daedalus {

// Errors come back with places in `sources`, which the caller owns so that it can print them.
[[nodiscard]] Result<DaeSystem> load_model(const std::shared_ptr<SourceMap>& sources, std::int32_t file,
                                           const LoadOptions& options = {});

// The same system without alias variables (a = b, a = -b, a + b = 0) and without variables that
// equations set to a number; they stay in `reported`. Attributes of aliases are merged into the variable
// that remains; two different fixed start values of one alias set are an error that names both.
// `keep_constraints`: as in LoadOptions.
[[nodiscard]] Result<DaeSystem> remove_aliases(const DaeSystem& system, bool keep_constraints = false);

}  // namespace daedalus
