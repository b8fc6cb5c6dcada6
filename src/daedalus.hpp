// Everything that a program using the library needs: #include <daedalus/daedalus.hpp>.
#pragma once

#include "core/diagnostic.hpp"
#include "core/options.hpp"
#include "core/source.hpp"
#include "integrate/integrator.hpp"
#include "model/builder.hpp"
#include "model/dae_system.hpp"
#include "model/load.hpp"
#include "reform/formulation.hpp"
#include "results/check_report.hpp"
#include "results/plot.hpp"
#include "results/summary.hpp"
#include "results/writers.hpp"
#include "simulate/check.hpp"
#include "simulate/run.hpp"
#include "simulate/trajectory.hpp"
