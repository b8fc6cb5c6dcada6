// One run of Simbody on a problem of the benchmark, as a JSON object on standard output:
//   simbody_bench chain|bricard NUMBER INTEGRATOR ACCURACY UNTIL SAMPLES
// NUMBER is the number of rods (the Bricard mechanism ignores it). Time is processor time of this thread
// during the integration. Simbody describes trees in joint coordinates, so the open chain has no constraints
// here.
#include <Simbody.h>

#include <array>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

namespace {

using SimTK::Body;
using SimTK::Inertia;
using SimTK::MassProperties;
using SimTK::MobilizedBody;
using SimTK::MultibodySystem;
using SimTK::Rotation;
using SimTK::State;
using SimTK::Transform;
using SimTK::UnitVec3;
using SimTK::Vec3;

struct Problem {
  MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity gravity{forces, matter, UnitVec3(0, -1, 0), 9.81};
  std::vector<MobilizedBody> bodies;
};

double processor_time() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Body::Rigid rod(double mass, const Vec3& centre, const Vec3& inertia) {
  return Body::Rigid(MassProperties(mass, centre, Inertia(inertia).shiftFromMassCenter(-centre, mass)));
}

// A hinge whose frames are parallel at angle 0: Simbody turns about the z axis of the joint's frames.
MobilizedBody hinge(MobilizedBody& parent, const Vec3& at, const UnitVec3& axis, const Body::Rigid& body) {
  const Rotation turned(axis, SimTK::ZAxis);
  return MobilizedBody::Pin(parent, Transform(turned, at), body, Transform(turned, Vec3(0)));
}

void build_chain(Problem& problem, int count) {
  const Body::Rigid link = rod(1, Vec3(0.5, 0, 0), Vec3(1e-8, 1.0 / 12, 1.0 / 12));
  MobilizedBody parent = problem.matter.Ground();
  for (int i = 0; i < count; ++i) {
    parent = hinge(parent, Vec3(i == 0 ? 0 : 1, 0, 0), UnitVec3(0, 0, 1), link);
    problem.bodies.push_back(parent);
  }
}

// The mechanism of problems/mechanisms/bricard.xml: the sixth hinge carries a small frame welded to the last
// rod.
void build_bricard(Problem& problem) {
  struct Rod {
    Vec3 at, axis, along;
    double mass;
  };
  const std::array<Rod, 5> rods{{{Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(1, 0, 0), 1},
                                 {Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0, -1, 0), 1},
                                 {Vec3(0, -1, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), 1},
                                 {Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(-1, 0, 0), 1},
                                 {Vec3(-1, 0, 0), Vec3(0, 0, 1), Vec3(0, 1, 0), 0.999999}}};
  const double across = 0.083333333333;
  MobilizedBody parent = problem.matter.Ground();
  for (const Rod& r : rods) {
    Vec3 inertia(across);
    for (int k = 0; k < 3; ++k) {
      inertia[k] = r.along[k] != 0 ? 1e-8 : across;
    }
    parent = hinge(parent, r.at, UnitVec3(r.axis), rod(r.mass, 0.5 * r.along, inertia));
    problem.bodies.push_back(parent);
  }
  MobilizedBody ground = problem.matter.Ground();
  MobilizedBody bearing = hinge(ground, Vec3(0, 0, 1), UnitVec3(1, 0, 0), rod(1e-6, Vec3(0), Vec3(1e-8)));
  SimTK::Constraint::Weld(bearing, Transform(Vec3(0)), parent, Transform(Vec3(0, 1, 0)));
}

std::unique_ptr<SimTK::Integrator> make_integrator(const std::string& name, const MultibodySystem& system) {
  if (name == "rk-merson") {
    return std::make_unique<SimTK::RungeKuttaMersonIntegrator>(system);
  }
  if (name == "rk-fehlberg") {
    return std::make_unique<SimTK::RungeKuttaFeldbergIntegrator>(system);
  }
  if (name == "rk3") {
    return std::make_unique<SimTK::RungeKutta3Integrator>(system);
  }
  if (name == "cpodes") {
    return std::make_unique<SimTK::CPodesIntegrator>(system, SimTK::CPodes::Adams, SimTK::CPodes::Functional);
  }
  return nullptr;
}

// Chain: the rods' angles. Bricard: the end of the second rod.
std::vector<double> sample(const Problem& problem, const State& state, bool chain) {
  std::vector<double> values;
  if (chain) {
    double angle = 0;
    for (const MobilizedBody& body : problem.bodies) {
      angle += body.getOneQ(state, 0);
      values.push_back(angle);
    }
    return values;
  }
  const Vec3 end = problem.bodies[1].findStationLocationInGround(state, Vec3(0, -1, 0));
  return {end[0], end[1], end[2]};
}

void print_rows(const std::vector<std::vector<double>>& rows) {
  std::printf("\"rows\": [");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::printf("%s[", i == 0 ? "" : ", ");
    for (std::size_t k = 0; k < rows[i].size(); ++k) {
      std::printf("%s%.17g", k == 0 ? "" : ", ", rows[i][k]);
    }
    std::printf("]");
  }
  std::printf("]}\n");
}

int run(const std::vector<std::string>& words) {
  Problem problem;
  const bool chain = words[0] == "chain";
  if (chain) {
    build_chain(problem, std::stoi(words[1]));
  } else {
    build_bricard(problem);
  }
  problem.system.realizeTopology();
  const State start = problem.system.getDefaultState();
  const std::unique_ptr<SimTK::Integrator> integrator = make_integrator(words[2], problem.system);
  if (!integrator) {
    return 2;
  }
  integrator->setAccuracy(std::stod(words[3]));
  const double until = std::stod(words[4]);
  const int samples = std::stoi(words[5]);
  const double begin = processor_time();
  SimTK::TimeStepper stepper(problem.system, *integrator);
  stepper.initialize(start);
  std::vector<std::vector<double>> rows;
  for (int i = 1; i <= samples; ++i) {
    stepper.stepTo(until * i / samples);
    rows.push_back(sample(problem, integrator->getState(), chain));
  }
  const double seconds = processor_time() - begin;
  std::printf("{\"seconds\": %.9g, \"steps\": %d, \"evaluations\": %d, ", seconds,
              integrator->getNumStepsTaken(), integrator->getNumRealizations());
  print_rows(rows);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "simbody_bench chain|bricard NUMBER INTEGRATOR ACCURACY UNTIL SAMPLES\n");
    return 2;
  }
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
