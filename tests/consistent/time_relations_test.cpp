#include "consistent/time_relations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "consistent/relation_courses.hpp"
#include "consistent/support.hpp"

namespace daedalus {
namespace {

using testing::Started;

TEST(RelationCourses, KnowWhatARelationReads) {
  Started m(
      "Real x(start=0,fixed=true), y, z; Boolean a, b, c; equation der(x) = 1; y = 2*x; z^3 + z = x; "
      "a = time > 0.5; b = y > 0.5; c = z > 0.5;");
  ASSERT_TRUE(m.ok());
  const RelationCourses courses(*m.model);
  ASSERT_EQ(courses.count(), 3);
  EXPECT_EQ(courses.kind(0), RelationCourses::Kind::Time);
  EXPECT_EQ(courses.kind(1), RelationCourses::Kind::States);  // through the definition of y
  EXPECT_EQ(courses.kind(2), RelationCourses::Kind::Solved);
  EXPECT_TRUE(courses.any(RelationCourses::Kind::Solved));
}

TEST(TimeRelations, ChangesAreKnownBeforehand) {
  Started m("Real m; Boolean a, b; equation m = 3*time - 1; a = m > 0.5; b = sin(time) >= 0.5;");
  ASSERT_TRUE(m.ok());
  TimeRelations relations(*m.model, std::make_shared<const RelationCourses>(*m.model));
  EXPECT_TRUE(relations.contains(0) && relations.contains(1));
  EXPECT_NEAR(relations.next_change(0, 10, m.environment), 0.5, 1e-15);
  EXPECT_TRUE(relations.searched());  // the sine
  // From 0.51 on it is the sine's turn: the truths that are held are those of the environment.
  const int slot = m.model->layout().relations;
  m.environment[static_cast<std::size_t>(slot)] = 1;
  EXPECT_NEAR(relations.next_change(0.51, 10, m.environment), std::asin(0.5), 1e-14);
  EXPECT_TRUE(relations.truth_from(0, 0.5, m.environment));
  EXPECT_FALSE(relations.truth_from(0, 0.499, m.environment));
  EXPECT_EQ(relations.next_change(0.51, 0.52, m.environment), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace daedalus
