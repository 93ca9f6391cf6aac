#include "run/cpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace thriftree {

namespace {

CpuLevel level_of_cpu() {
#if defined(THRIFTREE_X86)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return CpuLevel::avx512;
  if (__builtin_cpu_supports("x86-64-v3")) return CpuLevel::avx2;
#endif
  return CpuLevel::plain;
}

const char* asked_for() { return std::getenv("THRIFTREE_CPU"); }

// The place of the level asked for among the names; behind them where it is none of them.
std::size_t place_of_level() {
  const auto is_asked_for = [](const char* name) { return std::string_view(name) == asked_for(); };
  const auto at = std::find_if(cpu_level_names.begin(), cpu_level_names.end(), is_asked_for);
  return static_cast<std::size_t>(at - cpu_level_names.begin());
}

bool is_unknown() { return asked_for() && place_of_level() == cpu_level_names.size(); }

CpuLevel level_allowed() {
  return asked_for() && !is_unknown() ? static_cast<CpuLevel>(place_of_level()) : CpuLevel::avx512;
}

}  // namespace

const CpuLevel cpu_level = std::min(level_of_cpu(), level_allowed());
const char* const unknown_cpu_level = is_unknown() ? asked_for() : nullptr;

}  // namespace thriftree
