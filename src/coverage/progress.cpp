#include "coverage/progress.hpp"

#include <algorithm>
#include <numeric>

namespace cag {

namespace {

constexpr std::uint64_t worth_telling = std::uint64_t{32} << 20; // a batch of fewer bytes is read before anybody looks

// Tells of every read.
class ToldSource final : public ByteSource {
  public:
    ToldSource(std::shared_ptr<const ByteSource> source, ProgressOfScan& progress) : source_(std::move(source)), progress_(progress) {}
    [[nodiscard]] std::uint64_t size() const override { return source_->size(); }
    [[nodiscard]] Result<void> read(std::uint64_t offset, std::span<std::byte> out) const override {
        auto done = source_->read(offset, out);
        progress_.opened(out.size());
        return done;
    }
    [[nodiscard]] std::span<const std::byte> in_memory() const override { return source_->in_memory(); }

  private:
    std::shared_ptr<const ByteSource> source_;
    ProgressOfScan& progress_;
};

} // namespace

void ProgressOfScan::begin(std::vector<InputItem>& batch) {
    if (!report_) {
        return;
    }
    begin_ = done_.bytes;
    batch_end_ = std::max(walk_.position().passed, begin_);
    done_.total = walk_.position().total;
    worked_ = 0;
    to_do_ = 0;
    bool any_expanded = false;
    const std::uint64_t whole = std::accumulate(batch.begin(), batch.end(), std::uint64_t{0},
                                                [](std::uint64_t sum, const InputItem& item) { return sum + item.size; });
    for (InputItem& item : batch) {
        if (whole < worth_telling || !item.open) {
            continue;
        }
        const bool is_expanded = item.member && item.memory == 0; // into a temporary file, and read from there
        to_do_ += item.size * (is_expanded ? 2 : 1);
        any_expanded = any_expanded || is_expanded;
        item.open = [open = std::move(item.open), this]() -> Result<std::shared_ptr<const ByteSource>> {
            return open().map(
                [&](auto source) -> std::shared_ptr<const ByteSource> { return std::make_shared<ToldSource>(std::move(source), *this); });
        };
    }
    // Opening takes one in so many of the seconds, where payloads are read as well: as measured on large libraries and wheels.
    const std::uint64_t part = !payloads_ ? 1 : any_expanded ? 2 : 5;
    end_ = begin_ + (batch_end_ - begin_) / part;
    in_batch_ = true;
}

void ProgressOfScan::begin_images(std::uint64_t bytes) {
    if (in_batch_ && payloads_) {
        begin_ = end_;
        end_ = batch_end_;
        worked_ = 0;
        to_do_ = bytes;
        in_images_ = true;
    }
}

void ProgressOfScan::end(std::size_t files, std::size_t inputs) {
    if (!report_) {
        return;
    }
    in_batch_ = in_images_ = false;
    done_.files = files;
    done_.inputs = inputs;
    done_.bytes = batch_end_;
    report_(done_);
}

void ProgressOfScan::opened(std::uint64_t bytes) {
    if (!in_images_) {
        work(bytes);
    }
}

void ProgressOfScan::work(std::uint64_t bytes) {
    worked_ += bytes;
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (report_ && lock) {
        tell();
    }
}

void ProgressOfScan::tell() {
    if (in_batch_) {
        const double share = to_do_ == 0 ? 0 : std::min(1.0, static_cast<double>(worked_) / static_cast<double>(to_do_));
        done_.bytes = begin_ + static_cast<std::uint64_t>(static_cast<double>(end_ - begin_) * share);
    } else {
        const auto position = walk_.position();
        done_.bytes = batch_end_ + (std::max(position.passed, batch_end_) - batch_end_) / 2; // what the walk passes is still to be read
        done_.total = position.total;
    }
    report_(done_);
}

} // namespace cag
