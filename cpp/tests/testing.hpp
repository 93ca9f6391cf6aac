// What a C++ test needs: TEST registers, CHECK fails with file and line.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace thriftree::testing {

inline std::vector<std::pair<const char*, std::function<void()>>>& tests() {
  static std::vector<std::pair<const char*, std::function<void()>>> all;
  return all;
}

struct Register {
  Register(const char* name, std::function<void()> body) { tests().emplace_back(name, std::move(body)); }
};

}  // namespace thriftree::testing

#define TEST(name)                                                          \
  static void name();                                                       \
  static const ::thriftree::testing::Register register_##name(#name, name); \
  static void name()

#define CHECK(condition)                                                                                  \
  do {                                                                                                    \
    if (!(condition))                                                                                     \
      throw std::runtime_error(std::string(__FILE__) + ":" + std::to_string(__LINE__) + ": " #condition); \
  } while (false)
