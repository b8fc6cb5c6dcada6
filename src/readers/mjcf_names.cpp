#include "readers/mjcf_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace daedalus::mjcf {
namespace {

#define DAEDALUS_ORIENTATION "pos quat axisangle euler xyaxes zaxis "
#define DAEDALUS_ACTUATOR                                                                                    \
  "name class group nsample interp delay ctrllimited forcelimited actlimited ctrlrange forcerange actrange " \
  "lengthrange gear cranklength joint jointinparent site refsite body tendon cranksite slidersite actdim "   \
  "actearly user damping armature "

constexpr std::array<std::pair<std::string_view, std::string_view>, 32> attributes{{
    {"compiler",
     "angle eulerseq autolimits inertiafromgeom boundmass boundinertia settotalmass inertiagrouprange "
     "coordinate balanceinertia strippath meshdir texturedir assetdir discardvisual usethread fusestatic "
     "exactmeshinertia alignfree saveinertial savecompiled savecanonical passthrough fitaabb conflict"},
    {"option",
     "timestep apirate impratio gravity wind magnetic density viscosity o_margin o_solref o_solimp "
     "o_friction "
     "integrator cone jacobian solver iterations tolerance ls_iterations ls_tolerance noslip_iterations "
     "noslip_tolerance ccd_iterations ccd_tolerance mpr_iterations mpr_tolerance sdf_iterations "
     "sdf_initpoints "
     "actuatorgroupdisable sleep_tolerance"},
    {"flag",
     "actuation autoreset clampctrl constraint contact damper diagexact energy equality eulerdamp "
     "filterparent frictionloss fwdinv gravity invdiscrete ipc island limit midphase multiccd nativeccd "
     "override passive refsafe sensor sensornoise sleep speculative spring warmstart"},
    {"texture",
     "class type colorspace content_type embed file gridsize gridlayout fileright fileleft fileup filedown "
     "filefront fileback builtin rgb1 rgb2 mark markrgb random width height hflip vflip nchannel name"},
    {"body", DAEDALUS_ORIENTATION "name childclass mocap gravcomp user sleep simple fuse"},
    {"frame", DAEDALUS_ORIENTATION "name childclass"},
    {"inertial", DAEDALUS_ORIENTATION "mass diaginertia fullinertia"},
    {"joint",
     "name class type group pos axis springdamper limited actuatorfrclimited solreflimit solimplimit "
     "solreffriction solimpfriction stiffness range actuatorfrcrange actuatorgravcomp margin ref springref "
     "springyield armature damping frictionloss user"},
    {"freejoint", "name group align"},
    {"geom", DAEDALUS_ORIENTATION
     "name class type contype conaffinity condim group priority size material rgba friction mass density "
     "shellinertia solmix solref solimp margin gap fromto hfield mesh fitscale fluidshape fluidcoef user "
     "adhesion castshadow surfacevel"},
    {"site", DAEDALUS_ORIENTATION "name class type group material size fromto mesh rgba user"},
    {"connect", "name class active solref solimp body1 body2 anchor site1 site2"},
    {"weld", "name class active solref solimp body1 body2 relpose anchor site1 site2 torquescale"},
    {"distance", "name class active solref solimp site1 site2 body1 body2 geom1 geom2 distance"},
    {"motor", DAEDALUS_ACTUATOR},
    {"intvelocity", DAEDALUS_ACTUATOR "kp kv dampratio inheritrange"},
    {"cylinder", DAEDALUS_ACTUATOR "timeconst area diameter bias"},
    {"muscle", DAEDALUS_ACTUATOR "timeconst tausmooth range force scale lmin lmax vmax fpmax fvmax"},
    {"adhesion", DAEDALUS_ACTUATOR "gain"},
    {"replicate", "count sep offset euler childclass"},
    {"position", DAEDALUS_ACTUATOR "kp kv dampratio timeconst inheritrange"},
    {"velocity", DAEDALUS_ACTUATOR "kv"},
    {"damper", DAEDALUS_ACTUATOR "kv"},
    {"general", DAEDALUS_ACTUATOR
     "dyntype gaintype biastype dynprm gainprm biasprm inheritrange input velrange ffrange"},
    {"camera",
     "class fovy ipd resolution pos quat axisangle euler xyaxes zaxis name mode target user orthographic "
     "focal focalpixel principal principalpixel sensorsize output projection"},
    {"light",
     "class pos dir directional castshadow active attenuation cutoff exponent ambient diffuse specular "
     "name mode target bulbradius softness texture intensity range type"},
    {"equality", "class active solref solimp"},
    {"mesh", "class scale maxhullvert inertia"},
    {"material",
     "class texture emission specular shininess reflectance metallic roughness rgba texrepeat texuniform"},
    {"tendon",
     "class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit solreffriction "
     "solimpfriction frictionloss springlength springyield width material margin stiffness damping armature "
     "rgba user"},
    {"spatial",
     "name class group limited actuatorfrclimited range actuatorfrcrange solreflimit solimplimit "
     "solreffriction solimpfriction frictionloss springlength springyield width material margin stiffness "
     "damping "
     "armature "
     "rgba user"},
    {"pair", "class adhesion condim friction solref solreffriction solimp gap margin"},
}};
#undef DAEDALUS_ORIENTATION
#undef DAEDALUS_ACTUATOR

constexpr std::array<std::string_view, 21> in_default{
    "intvelocity", "texture", "cylinder", "adhesion", "mesh",   "material", "joint",
    "geom",        "site",    "camera",   "light",    "pair",   "equality", "tendon",
    "general",     "motor",   "position", "velocity", "damper", "default",  "muscle"};

constexpr std::array<Section, 20> all_sections{{
    {"compiler", "", ""},
    {"option", "", ""},
    {"size", "", ""},
    {"visual", "", ""},
    {"statistic", "", ""},
    {"default", "", ""},
    {"custom", "", ""},
    {"asset", "", ""},
    {"worldbody", "", ""},
    {"body", "", ""},
    {"equality", "", ""},
    {"actuator", "", ""},
    {"keyframe", "", ""},
    {"contact", "", ""},
    {"tendon", "", ""},
    {"sensor", "", ""},
    {"deformable", "flex", "deformable bodies are"},
    {"skin", "", ""},
    {"extension", "plugin", "plugins are"},
    {"include", "", ""},
}};

constexpr std::array<Refused, 5> not_in_body{{
    {"composite", "flex", "composite bodies are"},
    {"flexcomp", "flex", "deformable bodies are"},
    {"skin", "flex", "skins are"},
    {"plugin", "plugin", "plugins are"},
    {"attach", "plugin", "attached models are"},
}};

}  // namespace

std::string_view attributes_of(std::string_view element) {
  const auto* found =
      std::ranges::find(attributes, element, &std::pair<std::string_view, std::string_view>::first);
  return found == attributes.end() ? std::string_view{} : found->second;
}

std::span<const std::string_view> default_elements() {
  return in_default;
}

std::span<const Section> sections() {
  return all_sections;
}

std::span<const Refused> refused_in_body() {
  return not_in_body;
}

}  // namespace daedalus::mjcf
