#include "cli/interrupt.hpp"

#include <array>
#include <csignal>

namespace daedalus::cli {
namespace {

struct SignalRow {
  int number = 0;
  std::string_view name;
};
constexpr std::array<SignalRow, 3> caught{{{SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}}};

volatile std::sig_atomic_t signal_came = 0;

void remember(int signal) {
  signal_came = signal;
}

}  // namespace

void catch_interrupts() {
  for (const SignalRow& row : caught) {
    struct sigaction action {};
    if (sigaction(row.number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = remember;
    // Back to the default after the first, so that the second ends a program that does not listen.
    action.sa_flags = SA_RESETHAND;
    sigaction(row.number, &action, nullptr);
  }
}

bool interrupted() {
  return signal_came != 0;
}

std::string_view interrupting_signal() {
  const int came = signal_came;
  for (const SignalRow& row : caught) {
    if (row.number == came) return row.name;
  }
  return {};
}

}  // namespace daedalus::cli
