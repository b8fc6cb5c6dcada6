// Syntax tree → DaeSystem, as written: no alias is removed yet.
#pragma once

#include <memory>

#include "model/ast.hpp"
#include "model/dae_system.hpp"
#include "model/load_options.hpp"

namespace daedalus::flatten {

[[nodiscard]] Result<DaeSystem> flatten(const std::shared_ptr<SourceMap>& sources, ast::Ast tree,
                                        const LoadOptions& options);

}  // namespace daedalus::flatten
