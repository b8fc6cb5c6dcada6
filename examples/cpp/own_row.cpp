// Whether a row that was added inside of the library, as docs/own-method.md says, is found there.
#include <cstdio>

#include "integrate/integrator.hpp"

int main() {
  const daedalus::IntegratorRow* row = daedalus::find_integrator("bogacki-shampine");
  if (row == nullptr || &daedalus::integrators().back() != row) return 1;
  std::printf("%s: %s\n", row->name.data(), row->summary.data());
  return 0;
}
