// Which kernel a task takes, and how wide its lanes are.
//
// No include guard: this is a body, not a header, and nothing where no CPU is named.

#ifdef THRIFTREE_KERNEL

THRIFTREE_KERNEL void run_kernel(KernelTask& task) {
  if (task.rough != nullptr) return RoughKernel3(task).run();
  if (task.prices != nullptr) return PricedKernel3(task).run();
  // Without limits a gain is only bad where there is no such tree, and a simpler one is better.
  if (task.most <= (task.limits.min_leaf > 1 || task.limits.min_leaf_weight > 0 ? 16383 : 32767)) {
    Kernel3<std::int16_t>(task).run();
  } else if (task.most < 1 << 30) {
    Kernel3<std::int32_t>(task).run();
  } else {
    Kernel3<std::int64_t>(task).run();
  }
}

#endif
