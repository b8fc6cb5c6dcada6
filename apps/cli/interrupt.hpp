// Ctrl-C asks a run to end; the second one kills. So do SIGTERM and a terminal that closes (SIGHUP).
#pragma once

#include <string_view>

namespace daedalus::cli {

// From now on these signals are remembered, once each. One that is ignored, as by nohup, stays so.
void catch_interrupts();
[[nodiscard]] bool interrupted();
// "SIGHUP"; empty when none came.
[[nodiscard]] std::string_view interrupting_signal();

}  // namespace daedalus::cli
