// Records and enumerations of the Modelica Standard Library that functions of the table take and give.
#include "model/flatten/library.hpp"

namespace daedalus::flatten {
namespace {

constexpr LibraryFunction rows[] = {
    {"Complex", "\n  Real re; Real im = 0;\n"},
    {"Modelica.Media.Common.GibbsDerivs",
     "\n  Real p; Real T; Real R_s; Real pi; Real tau; Real g; Real gpi; Real gpipi; Real gtau; Real "
     "gtautau; "
     "Real gtaupi;\n"},
    {"Modelica.Media.Common.HelmholtzDerivs",
     "\n  Real d; Real T; Real R_s; Real delta; Real tau; Real f; Real fdelta; Real fdeltadelta; Real ftau; "
     "Real ftautau; Real fdeltatau;\n"},
    {"Modelica.Media.Common.PhaseBoundaryProperties",
     "\n  Real d; Real h; Real u; Real s; Real cp; Real cv; Real pt; Real pd;\n"},
    {"Modelica.Media.IdealGases.Common.DataRecord",
     "\n  String name; Real MM; Real Hf; Real H0; Real Tlimit; Real alow[7]; Real blow[2]; Real ahigh[7]; "
     "Real bhigh[2]; Real R_s;\n"},
    {"Modelica.Media.Interfaces.Choices.ReferenceEnthalpy",
     "= enumeration(ZeroAt0K, ZeroAt25C, UserDefined)"},
    {"Modelica.Mechanics.MultiBody.Frames.Orientation", "\n  Real T[3, 3]; Real w[3];\n"},
};

}  // namespace

std::span<const LibraryFunction> library_records() {
  return rows;
}

}  // namespace daedalus::flatten
