#include "cli/version.hpp"

namespace daedalus::cli {

std::string_view version_text() {
  return "daedalus " DAEDALUS_VERSION;
}

}  // namespace daedalus::cli
