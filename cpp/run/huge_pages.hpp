// Memory that is read in random order lies in huge pages, where the system has them: fewer of its addresses
// have to be looked up.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace thriftree {

template <typename T>
struct HugePages {
  using value_type = T;
  static constexpr std::size_t page = std::size_t{2} << 20;

  HugePages() = default;
  template <typename Other>
  HugePages(const HugePages<Other>&) {}  // NOLINT: all are alike

  // Of an array that begins with a page, how much is asked for; 0: small arrays lie anywhere. Two pages may
  // end a quarter later than the array, so that it lies in huge pages to its end.
  static std::size_t bytes_for(std::size_t n) {
    const std::size_t bytes = n * sizeof(T), whole = (bytes + page - 1) / page * page;
    if (bytes < page) return 0;
    return whole <= 2 * page && whole - bytes <= bytes / 4 ? whole : bytes;
  }

  T* allocate(std::size_t n) {
#if defined(__linux__)
    if (const std::size_t bytes = bytes_for(n)) {
      void* memory = nullptr;
      if (posix_memalign(&memory, page, bytes) != 0) throw std::bad_alloc();
      madvise(memory, bytes, MADV_HUGEPAGE);  // a wish: without it the pages are small
      return static_cast<T*>(memory);
    }
#endif
    return static_cast<T*>(::operator new(n * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t n) {
#if defined(__linux__)
    if (bytes_for(n) != 0) return std::free(memory);
#endif
    ::operator delete(memory);
    (void)n;
  }

  template <typename Other>
  bool operator==(const HugePages<Other>&) const {
    return true;
  }
};

}  // namespace thriftree
