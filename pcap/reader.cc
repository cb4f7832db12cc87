#include "pcap/reader.h"

#include <cerrno>
#include <new>
#include <utility>

#include "pcap/batch.h"
#include "pcap/block_buffer.h"
#include "pcap/byte_source.h"
#include "pcap/pcap_format.h"
#include "pcap/pcapng_format.h"
#include "pcap/raw_input.h"

namespace rdmawire::pcap {

struct Reader::State {
  State(ByteSource source, std::size_t block_size) : buffer(std::move(source), block_size) {}

  FileResult<void> recognise_format();
  FileError with_layer(FileError error) const;

  BlockBuffer buffer;
  Format format = Format::pcap;
  PcapFormat pcap;
  PcapngFormat pcapng;
  Batch batch;
  bool finished = false;  // the file's end or an error was given

  static FileResult<Reader> open(RawInput input, ReaderOptions options);
};

namespace {

FileError os_failure(ErrorCode code, int os_error) {
  FileError out;
  out.error.code = code;
  out.os_error = os_error;
  return out;
}

}  // namespace

// The source of an uncompressed file does not know what it reads.
FileError Reader::State::with_layer(FileError error) const {
  if (error.error.layer == Layer::none) error.error.layer = format == Format::pcap ? Layer::pcap : Layer::pcapng;
  return error;
}

FileResult<void> Reader::State::recognise_format() {
  constexpr std::uint32_t magic_size = 4;
  const auto there = buffer.need(magic_size);
  if (!there) return tl::unexpected(there.error());
  if (!*there) {
    const auto size = static_cast<std::uint32_t>(buffer.data().size());
    return tl::unexpected(FileError{{ErrorCode::not_a_capture, Layer::none, Limit::file, magic_size, size, 0}, 0});
  }
  const auto magic = buffer.data().first<magic_size>();
  FileResult<void> begun;
  if (PcapFormat::recognises(magic)) {
    begun = pcap.begin(buffer);
  } else if (PcapngFormat::recognises(magic)) {
    format = Format::pcapng;
    begun = pcapng.begin(buffer);
  } else {
    return tl::unexpected(os_failure(ErrorCode::not_a_capture, 0));
  }
  if (!begun) return tl::unexpected(with_layer(begun.error()));
  return {};
}

FileResult<Reader> Reader::State::open(RawInput input, ReaderOptions options) {
  try {
    ByteSource source(std::move(input), options.block_size);
    if (const auto known = source.recognise(); !known) return tl::unexpected(known.error());
    auto state = std::make_unique<State>(std::move(source), options.block_size);
    if (const auto known = state->recognise_format(); !known) return tl::unexpected(known.error());
    return Reader(std::move(state));
  } catch (const std::bad_alloc&) {
    return tl::unexpected(os_failure(ErrorCode::open_failed, ENOMEM));
  }
}

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

FileResult<Reader> Reader::open(const std::string& path, ReaderOptions options) {
  auto input = RawInput::open(path);
  if (!input) return tl::unexpected(os_failure(ErrorCode::open_failed, input.error().code));
  return State::open(std::move(*input), options);
}

FileResult<Reader> Reader::from_fd(int fd, ReaderOptions options) {
  return State::open(RawInput::from_fd(fd), options);
}

FileResult<Reader> Reader::from_memory(Bytes file, ReaderOptions options) {
  return State::open(RawInput::from_memory(file), options);
}

FileResult<void> Reader::refill() {
  State& s = *state_;
  s.batch.size = 0;
  if (s.finished) return {};
  FileResult<void> filled;
  try {
    filled = s.format == Format::pcap ? s.pcap.fill(s.buffer, s.batch) : s.pcapng.fill(s.buffer, s.batch);
  } catch (const std::bad_alloc&) {
    FileError failed = os_failure(ErrorCode::read_failed, ENOMEM);
    failed.error.offset = s.buffer.offset();
    filled = tl::unexpected(failed);
  }
  next_ = s.batch.packets.data();
  end_ = next_ + s.batch.size;
  s.finished = s.batch.size == 0;
  if (!filled) return tl::unexpected(s.with_layer(filled.error()));
  return {};
}

Format Reader::format() const { return state_->format; }
Compression Reader::compression() const { return state_->buffer.source().compression(); }
std::uint64_t Reader::input_offset() const { return state_->buffer.source().input_offset(); }

}  // namespace rdmawire::pcap
