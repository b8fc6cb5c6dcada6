// The other process of checkpoint_test.cpp: makes an engine of its own, loads what was saved, goes on, and
// prints the end to the bit.
//
//   checkpoint_process MODEL FORMULATION INTEGRATOR CHECKPOINT UNTIL
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/load.hpp"
#include "simulate/engine.hpp"

namespace {

std::string content(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

int fail(const daedalus::Diagnostics& errors) {
  std::fprintf(stderr, "%s\n", errors.front().message.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  auto sources = std::make_shared<daedalus::SourceMap>();
  const auto model = daedalus::load_model(sources, sources->add(argv[1], content(argv[1])));
  if (!model) return fail(model.error());
  auto planned = daedalus::plan(
      *model, {.formulation = daedalus::Selection(argv[2]), .integrator = daedalus::Selection(argv[3])});
  if (!planned) return fail(planned.error());
  const auto engine = daedalus::compile(*std::move(planned));
  if (!engine) return fail(engine.error());
  const std::string saved = content(argv[4]);
  auto simulation = (*engine)->load(std::as_bytes(std::span(saved)));
  if (!simulation) return fail(simulation.error());
  const double until = std::atof(argv[5]);
  while (simulation->time() < until && simulation->step()) {
  }
  if (simulation->failed()) return fail({{.message = simulation->reason()}});
  std::printf("%a %ld", simulation->time(), simulation->steps());
  for (const double value : simulation->values()) std::printf(" %a", value);
  std::printf("\n");
  return 0;
}
