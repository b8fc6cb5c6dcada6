#include "readers/read_mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "readers/file_reader.hpp"
#include "readers/mjcf.hpp"
#include "readers/urdf.hpp"
#include "readers/xml.hpp"

namespace daedalus {

bool looks_like_xml(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto first =
      std::ranges::find_if_not(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  return first != text.end() && *first == '<';
}

Result<Mechanism> read_mechanism(const std::shared_ptr<SourceMap>& sources, std::int32_t file,
                                 const ReadOptions& options) {
  FileReader reader(sources, options);
  Mechanism mechanism;
  const auto document = xml::parse(*sources, file);
  if (!document) return std::unexpected(document.error());
  const std::string& root = (*document)[0].name;
  if (root == "mujoco")
    mjcf::read(reader, file, mechanism);
  else if (root == "robot")
    urdf::read(reader, *document, mechanism);
  else
    reader.complain(
        fmt::format("the root element is <{}>; mechanisms are read from MJCF (<mujoco>) and URDF (<robot>)",
                    root),
        (*document)[0].span);
  if (reader.failed()) return std::unexpected(reader.take_errors());
  mechanism.warnings = reader.take_warnings();
  mechanism.sources = sources;
  mechanism.settable = reader.settable();
  return mechanism;
}

}  // namespace daedalus
