// What an integrator must know of one unknown, whatever the equations look like.
#pragma once

namespace daedalus {

struct Component {
  bool differential = true;  // y' of this component occurs in F
  bool error_tested = true;  // takes part in the local error test
  bool counts = true;        // false: follows explicitly from the others, and has no part in any norm
  int index = 1;             // an index-k unknown is weighted by h^(k-1) in Newton's norm and error test
  double nominal = 1;        // scales the absolute tolerance
  // Its weight in Newton's norm is no less than this, however short the step is: what no error test sees must
  // be solved, or steps that shrink where its solution ends would be accepted without one.
  double least_weight = 0;
};

}  // namespace daedalus
