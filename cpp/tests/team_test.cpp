#include "run/team.hpp"

#include <atomic>
#include <vector>

#include "testing.hpp"

using namespace thriftree;

TEST(a_team_runs_every_task_once) {
  Control control;
  control.n_threads = 4;
  Team team(control);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::atomic<int>> seen(37);
    team.run(seen.size(), [&](std::size_t i, int) { ++seen[i]; });
    for (const auto& s : seen) CHECK(s == 1);
  }
}

TEST(an_error_in_a_task_reaches_the_caller) {
  Control control;
  control.n_threads = 3;
  Team team(control);
  bool caught = false;
  try {
    team.run(10, [](std::size_t i, int) {
      if (i == 4) throw BadInput("four");
    });
  } catch (const BadInput&) {
    caught = true;
  }
  CHECK(caught);
}
