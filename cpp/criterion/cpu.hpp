// Marks a function to be compiled for several kinds of CPU; the right one is chosen when the library is
// loaded.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define THRIFTREE_CPU_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define THRIFTREE_CPU_CLONES
#endif
