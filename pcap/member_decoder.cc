#include "pcap/member_decoder.h"

#include <lz4frame.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>

namespace rdmawire::pcap {
namespace {

class GzipDecoder : public MemberDecoder {
 public:
  GzipDecoder() {
    constexpr int gzip_only = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, gzip_only) != Z_OK) throw std::bad_alloc();
  }
  GzipDecoder(const GzipDecoder&) = delete;
  GzipDecoder& operator=(const GzipDecoder&) = delete;
  ~GzipDecoder() override { inflateEnd(&stream_); }

  std::size_t begin() override {
    inflateReset(&stream_);
    return any;
  }

  Step step(Bytes in, MutableBytes out) override {
    const uInt in_size = clamp(in.size());
    const uInt out_size = clamp(out.size());
    stream_.next_in = const_cast<Bytef*>(in.data());  // zlib reads only
    stream_.avail_in = in_size;
    stream_.next_out = out.data();
    stream_.avail_out = out_size;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    const State state = result == Z_STREAM_END                    ? State::member_done
                        : result == Z_OK || result == Z_BUF_ERROR ? State::more
                                                                  : State::damaged;
    return {state, in_size - stream_.avail_in, out_size - stream_.avail_out, any};
  }

 private:
  static constexpr std::size_t any = std::numeric_limits<std::size_t>::max();
  static uInt clamp(std::size_t n) {
    return static_cast<uInt>(std::min<std::size_t>(n, std::numeric_limits<uInt>::max()));
  }
  z_stream stream_{};
};

// zstd and lz4 ask for the rest of a block and the header of the next one, where damage could show.
constexpr std::size_t without_next_header(std::size_t asked, std::size_t block_header) {
  return asked > block_header ? asked - block_header : asked;
}

class ZstdDecoder : public MemberDecoder {
 public:
  ZstdDecoder() : context_(ZSTD_createDCtx()) {
    if (!context_) throw std::bad_alloc();
  }

  std::size_t begin() override {
    ZSTD_DCtx_reset(context_.get(), ZSTD_reset_session_only);
    return 5;  // magic number and frame header descriptor
  }

  Step step(Bytes in, MutableBytes out) override {
    ZSTD_inBuffer from{in.data(), in.size(), 0};
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    const std::size_t result = ZSTD_decompressStream(context_.get(), &to, &from);
    if (ZSTD_isError(result) != 0) return {State::damaged, 0, 0, 0};
    constexpr std::size_t block_header = 3;
    const std::size_t wanted = without_next_header(result, block_header);
    return {result == 0 ? State::member_done : State::more, from.pos, to.pos, wanted};
  }

 private:
  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_DCtx, Free> context_;
};

class Lz4Decoder : public MemberDecoder {
 public:
  Lz4Decoder() {
    LZ4F_dctx* made = nullptr;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) != 0) throw std::bad_alloc();
    context_.reset(made);
  }

  std::size_t begin() override {
    LZ4F_resetDecompressionContext(context_.get());
    return LZ4F_HEADER_SIZE_MIN;
  }

  Step step(Bytes in, MutableBytes out) override {
    std::size_t consumed = in.size();
    std::size_t produced = out.size();
    const std::size_t result = LZ4F_decompress(context_.get(), out.data(), &produced, in.data(), &consumed, nullptr);
    if (LZ4F_isError(result) != 0) return {State::damaged, 0, 0, 0};
    constexpr std::size_t block_header = 4;
    const std::size_t wanted = without_next_header(result, block_header);
    return {result == 0 ? State::member_done : State::more, consumed, produced, wanted};
  }

 private:
  struct Free {
    void operator()(LZ4F_dctx* context) const { LZ4F_freeDecompressionContext(context); }
  };
  std::unique_ptr<LZ4F_dctx, Free> context_;
};

}  // namespace

std::unique_ptr<MemberDecoder> make_decoder(Compression compression) {
  switch (compression) {
    case Compression::gzip:
      return std::make_unique<GzipDecoder>();
    case Compression::zstd:
      return std::make_unique<ZstdDecoder>();
    case Compression::lz4:
      return std::make_unique<Lz4Decoder>();
    case Compression::none:
      break;
  }
  return nullptr;
}

}  // namespace rdmawire::pcap
