// The values of a mechanism's sensors as results.
#pragma once

namespace daedalus {

class Assembly;
struct Mechanism;

void collect_sensors(const Mechanism& mechanism, Assembly& assembly);

}  // namespace daedalus
