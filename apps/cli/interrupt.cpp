#include "cli/interrupt.hpp"

#include <csignal>

namespace daedalus::cli {
namespace {

volatile std::sig_atomic_t signal_came = 0;

void remember(int /*signal*/) {
  signal_came = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = remember;
  // Back to the default after the first, so that the second ends a program that does not listen.
  action.sa_flags = SA_RESETHAND;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return signal_came != 0;
}

}  // namespace daedalus::cli
