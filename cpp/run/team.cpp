#include "run/team.hpp"

namespace thriftree {

Team::Team(Control& control) : control_(control) {
  try {
    for (int worker = 1; worker < control.n_threads; ++worker) {
      threads_.emplace_back([this, worker] { work(worker); });
    }
  } catch (...) {
    close();
    throw;
  }
}

Team::~Team() { close(); }

void Team::close() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Team::take_tasks(int worker) {
  while (!control_.cancelled() && !control_.expired()) {
    const std::size_t i = next_.fetch_add(1, std::memory_order_relaxed);
    if (i >= n_tasks_) return;
    try {
      (*task_)(i, worker);
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      next_.store(n_tasks_, std::memory_order_relaxed);
      return;
    }
    if (worker == 0) control_.poll();
  }
}

void Team::work(int worker) {
  std::size_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return closing_ || generation_ != seen; });
      if (closing_) return;
      seen = generation_;
    }
    take_tasks(worker);
    std::lock_guard lock(mutex_);
    if (--busy_ == 0) done_.notify_one();
  }
}

void Team::run(std::size_t n, const std::function<void(std::size_t, int)>& task) {
  control_.poll();
  control_.throw_if_stopped();
  const bool alone = threads_.empty() || n <= 1;
  {
    std::lock_guard lock(mutex_);
    task_ = &task;
    n_tasks_ = n;
    next_.store(0, std::memory_order_relaxed);
    error_ = nullptr;
    if (!alone) {
      ++generation_;
      busy_ = static_cast<int>(threads_.size());
    }
  }
  if (!alone) wake_.notify_all();
  take_tasks(0);
  if (!alone) {
    std::unique_lock lock(mutex_);
    while (!done_.wait_for(lock, std::chrono::milliseconds(20), [&] { return busy_ == 0; })) {
      lock.unlock();
      control_.poll();
      lock.lock();
    }
  }
  if (error_) std::rethrow_exception(error_);
  control_.throw_if_stopped();
}

}  // namespace thriftree
