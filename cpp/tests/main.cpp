// The core's own tests, run under the sanitizers. A test is a function registered with TEST; it fails by
// throwing.
#include <cstdio>

#include "testing.hpp"

int main() {
  int failed = 0;
  for (const auto& [name, body] : thriftree::testing::tests()) {
    try {
      body();
    } catch (const std::exception& error) {
      std::printf("FAILED %s: %s\n", name, error.what());
      ++failed;
    }
  }
  const int passed = static_cast<int>(thriftree::testing::tests().size()) - failed;
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
