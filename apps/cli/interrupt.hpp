// Ctrl-C asks a run to end; the second one kills.
#pragma once

namespace daedalus::cli {

// From now on SIGINT and SIGTERM are remembered, once each.
void catch_interrupts();
[[nodiscard]] bool interrupted();

}  // namespace daedalus::cli
