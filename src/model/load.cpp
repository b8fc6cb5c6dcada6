#include "model/load.hpp"

#include "model/flatten/flatten.hpp"
#include "model/parser.hpp"

namespace daedalus {

Result<DaeSystem> load_model(const std::shared_ptr<SourceMap>& sources, std::int32_t file,
                             const LoadOptions& options) {
  Result<ast::Ast> tree = parse(*sources, file);
  if (!tree) return std::unexpected(std::move(tree.error()));
  Result<DaeSystem> system = flatten::flatten(sources, std::move(*tree), options);
  if (!system || !options.remove_aliases) return system;
  return remove_aliases(*system, options.keep_constraints);
}

}  // namespace daedalus
