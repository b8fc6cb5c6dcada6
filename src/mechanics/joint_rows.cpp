#include "mechanics/joint_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace daedalus {
namespace {

using enum RowKind;

const std::array<JointRow, 13>& table() {
  static const std::array<JointRow, 13> rows{{
      {.kind = JointKind::Fixed,
       .name = "fixed",
       .spatial = {PointX, PointY, PointZ, LockX, LockY, LockZ},
       .planar = {PointX, PointY, Turn}},
      {.kind = JointKind::Revolute,
       .name = "revolute",
       .spatial = {PointX, PointY, PointZ, TiltX, TiltY},
       .planar = {PointX, PointY},
       .has_angle = true},
      {.kind = JointKind::Prismatic,
       .name = "prismatic",
       .spatial = {PointY, PointZ, LockX, LockY, LockZ},
       .planar = {PointY, Turn},
       .slides_along = 'x'},
      {.kind = JointKind::Cylindrical,
       .name = "cylindrical",
       .spatial = {PointX, PointY, TiltX, TiltY},
       .planar = {},
       .has_angle = true,
       .slides_along = 'z'},
      {.kind = JointKind::Universal,
       .name = "universal",
       .spatial = {PointX, PointY, PointZ, LockZ},
       .planar = {}},
      {.kind = JointKind::Spherical,
       .name = "spherical",
       .spatial = {PointX, PointY, PointZ},
       .planar = {PointX, PointY},
       .needs_first_axes = false,
       .needs_second_axes = false},
      {.kind = JointKind::Planar, .name = "planar", .spatial = {PointZ, TiltX, TiltY}, .planar = {}},
      {.kind = JointKind::Translational,
       .name = "translational",
       .spatial = {LockX, LockY, LockZ},
       .planar = {Turn}},
      {.kind = JointKind::PointOnLine,
       .name = "point-on-line",
       .spatial = {PointY, PointZ},
       .planar = {PointY},
       .slides_along = 'x',
       .needs_second_axes = false},
      {.kind = JointKind::PointOnPlane,
       .name = "point-on-plane",
       .spatial = {PointZ},
       .planar = {},
       .needs_second_axes = false},
      {.kind = JointKind::Distance,
       .name = "distance",
       .spatial = {Length},
       .planar = {Length},
       .needs_first_axes = false,
       .needs_second_axes = false},
      {.kind = JointKind::RollingDisc,
       .name = "rolling-disc",
       .spatial = {RollNormal, RollX, RollY},
       .planar = {RollNormal, RollLine}},
      {.kind = JointKind::RollingSphere,
       .name = "rolling-sphere",
       .spatial = {RollNormal, RollX, RollY},
       .planar = {RollNormal, RollLine}},
  }};
  return rows;
}

struct RowText {
  RowKind kind;
  std::string_view name;      // of the constraint
  std::string_view reaction;  // of the multiplier
  std::string_view unit;
};

constexpr std::array<RowText, 14> texts{{
    {PointX, "x", "force x", "N"},
    {PointY, "y", "force y", "N"},
    {PointZ, "z", "force z", "N"},
    {TiltX, "tilt about x", "torque x", "N.m"},
    {TiltY, "tilt about y", "torque y", "N.m"},
    {LockX, "turn about x", "torque x", "N.m"},
    {LockY, "turn about y", "torque y", "N.m"},
    {LockZ, "turn about z", "torque z", "N.m"},
    {Turn, "turn about z", "torque z", "N.m"},
    {Length, "length", "tension", "N"},
    {RollNormal, "touching", "normal force", "N"},
    {RollX, "slip x", "friction x", "N"},
    {RollY, "slip y", "friction y", "N"},
    {RollLine, "slip x", "friction x", "N"},
}};

const RowText& text_of(RowKind kind) {
  const auto* found = std::ranges::find(texts, kind, &RowText::kind);
  assert(found != texts.end());
  return *found;
}

// Of what rolls: from its centre to the lowest point, along which the normal acts.
struct Contact {
  Expr height = 0;  // of the centre over the plane when it touches
  ExprVec3 lever;   // centre to contact
};

Contact contact_of(const Joint& joint, const JointEnds& ends, const ExprVec3& normal) {
  if (joint.kind == JointKind::RollingSphere || ends.second.planar)
    return {.height = joint.size, .lever = Expr(-joint.size) * normal};
  const ExprVec3& axis = ends.axes2.z;
  const Expr c = dot(normal, axis);
  const Expr s = sqrt(1 - c * c);
  return {.height = joint.size * s, .lever = (-joint.size / s) * (normal - c * axis)};
}

// Velocity of the touching point of the second body against the first body.
ExprVec3 slip_of(const JointEnds& ends, const ExprVec3& lever) {
  const ExprVec3 second = der(ends.point2) + cross(ends.second.spin, lever);
  if (!ends.first.moves) return second;
  return second - der(ends.point1) - cross(ends.first.spin, ends.point2 + lever - ends.point1);
}

Expr rolling_row(RowKind kind, const Joint& joint, const JointEnds& ends) {
  const bool planar = ends.second.planar;
  const ExprVec3& normal = planar ? ends.axes1.y : ends.axes1.z;
  const Contact contact = contact_of(joint, ends, normal);
  if (kind == RollNormal) return contact.height - dot(normal, ends.point2 - ends.point1);
  if (kind == RollLine) {
    // The way along the line and the angle turned, both from where it starts.
    const double way = dot(ends.start1.axes.x, ends.start2.origin - ends.start1.origin) +
                       joint.size * start_angle(ends.start1, ends.start2);
    return way - dot(ends.axes1.x, ends.point2 - ends.point1) - joint.size * planar_angle(ends);
  }
  return -dot(kind == RollX ? ends.axes1.x : ends.axes1.y, slip_of(ends, contact.lever));
}

Expr residual_of(RowKind kind, const Joint& joint, const JointEnds& ends, const ExprMat3& force_axes) {
  switch (kind) {
    case PointX:
      return dot(force_axes.x, ends.point1 - ends.point2);
    case PointY:
      return dot(force_axes.y, ends.point1 - ends.point2);
    case PointZ:
      return dot(force_axes.z, ends.point1 - ends.point2);
    case TiltX:
    case LockX:
      return dot(ends.axes1.y, ends.axes2.z);
    case TiltY:
      return -dot(ends.axes1.x, ends.axes2.z);
    case LockY:
      return dot(ends.axes1.z, ends.axes2.x);
    case LockZ:
      return dot(ends.axes1.x, ends.axes2.y);
    case Turn:
      return -planar_angle(ends);
    case Length: {
      const ExprVec3 d = ends.point2 - ends.point1;
      return (dot(d, d) - joint.size * joint.size) / (2 * joint.size);
    }
    case RollNormal:
    case RollX:
    case RollY:
    case RollLine:
      return rolling_row(kind, joint, ends);
  }
  return 0;
}

bool holds_point(const std::vector<RowKind>& rows, Dimension dimension) {
  const auto has = [&](RowKind kind) { return std::ranges::find(rows, kind) != rows.end(); };
  return has(PointX) && has(PointY) && (dimension == Dimension::Planar || has(PointZ));
}

}  // namespace

std::span<const JointRow> joint_table() {
  return table();
}

const JointRow& joint_row(JointKind kind) {
  return *std::ranges::find(table(), kind, &JointRow::kind);
}

const std::vector<RowKind>& rows_of(JointKind kind, Dimension dimension) {
  const JointRow& row = joint_row(kind);
  return dimension == Dimension::Planar ? row.planar : row.spatial;
}

JointEnds ends_of(const Joint& joint, const BodyMotion& first, const BodyMotion& second) {
  const Frame start1 = first.start * joint.on_first;
  const Frame start2 = second.start * joint.on_second;
  const auto start_phi = [](const BodyMotion& body) {
    return body.moves ? std::atan2(body.start.axes.x.y, body.start.axes.x.x) : 0.0;
  };
  return {.first = first,
          .second = second,
          .point1 = first.point(joint.on_first.origin),
          .point2 = second.point(joint.on_second.origin),
          .axes1 = first.axes_of(joint.on_first.axes),
          .axes2 = second.axes_of(joint.on_second.axes),
          .start1 = start1,
          .start2 = start2,
          .turn_constant = start_angle(start1, start2) - start_phi(second) + start_phi(first)};
}

bool along_world(const Joint& joint, Dimension dimension) {
  return joint.first.valid() && holds_point(rows_of(joint.kind, dimension), dimension);
}

std::vector<ConstraintEquation> constraints_of(const Joint& joint, const JointEnds& ends,
                                               Dimension dimension) {
  const bool world = along_world(joint, dimension);
  const ExprMat3 force_axes = world ? ExprMat3{} : ends.axes1;
  std::vector<ConstraintEquation> rows;
  for (const RowKind kind : rows_of(joint.kind, dimension)) {
    const RowText& text = text_of(kind);
    const bool force = kind == PointX || kind == PointY || kind == PointZ;
    rows.push_back(
        {.residual = residual_of(kind, joint, ends, force_axes),
         .level = kind == RollX || kind == RollY ? 1 : 0,
         .name = fmt::format("joint {}: {}", joint.name, text.name),
         .reaction = fmt::format("joint {}: {}{}", joint.name, force && world ? "world " : "", text.reaction),
         .unit = std::string(text.unit),
         .span = joint.span});
  }
  return rows;
}

// -∂g by the place and the turning of the second body: of a · b₂ the torque is a × b₂.
ReactionOfRow reaction_of(RowKind kind, const Joint& joint, const JointEnds& ends,
                          const ExprMat3& force_axes) {
  switch (kind) {
    case PointX:
      return {.force = force_axes.x, .torque = {}};
    case PointY:
      return {.force = force_axes.y, .torque = {}};
    case PointZ:
      return {.force = force_axes.z, .torque = {}};
    case TiltX:
    case LockX:
      return {.force = {}, .torque = cross(ends.axes1.y, ends.axes2.z)};
    case TiltY:
      return {.force = {}, .torque = cross(ends.axes2.z, ends.axes1.x)};
    case LockY:
      return {.force = {}, .torque = cross(ends.axes1.z, ends.axes2.x)};
    case LockZ:
      return {.force = {}, .torque = cross(ends.axes1.x, ends.axes2.y)};
    case Turn:
      return {.force = {}, .torque = {0, 0, 1}};
    case Length:
      return {.force = Expr(1 / joint.size) * (ends.point1 - ends.point2), .torque = {}};
    case RollNormal:
    case RollX:
    case RollY:
    case RollLine:
      return {.known = false};
  }
  return {.known = false};
}

std::vector<ReactionRow> reaction_rows(JointKind kind, Dimension dimension) {
  std::vector<ReactionRow> found;
  for (const RowKind row : rows_of(kind, dimension)) {
    const RowText& text = text_of(row);
    const char axis = text.reaction.back();
    // A universal joint's torque is about the normal of both axes, and is not one of these.
    if (kind == JointKind::Universal && row == LockZ) continue;
    if (axis < 'x' || axis > 'z') continue;
    found.push_back({.name = text.reaction, .torque = text.unit == "N.m", .axis = axis - 'x'});
  }
  return found;
}

Expr planar_angle(const JointEnds& ends) {
  return ends.second.angle - ends.first.angle + ends.turn_constant;
}

Expr sine_of_angle(const JointEnds& ends) {
  return dot(ends.axes1.y, ends.axes2.x);
}

Expr cosine_of_angle(const JointEnds& ends) {
  return dot(ends.axes1.x, ends.axes2.x);
}

Expr displacement_of(const Joint& joint, const JointEnds& ends) {
  const ExprVec3& axis = joint_row(joint.kind).slides_along == 'z' ? ends.axes1.z : ends.axes1.x;
  return dot(axis, ends.point2 - ends.point1);
}

double start_angle(const Frame& first, const Frame& second) {
  return std::atan2(dot(first.axes.y, second.axes.x), dot(first.axes.x, second.axes.x));
}

double start_displacement(const Joint& joint, const Frame& first, const Frame& second) {
  const Vec3& axis = joint_row(joint.kind).slides_along == 'z' ? first.axes.z : first.axes.x;
  return dot(axis, second.origin - first.origin);
}

}  // namespace daedalus
