// The TCP conversations of a capture, found by addresses and ports; so many of them and no more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "codec/base/types.h"
#include "codec/frame.h"
#include "codec/net/tcp.h"

namespace rdmawire::reassembly {

// One end: an IPv4 address takes the first 4 octets, the others are 0.
struct Endpoint {
  std::array<std::uint8_t, 16> address{};
  std::uint16_t port = 0;

  friend bool operator==(const Endpoint&, const Endpoint&) = default;
  friend auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

// The same for both directions: the lower end first.
struct ConversationKey {
  std::array<Endpoint, 2> ends;
  bool ipv6 = false;

  friend bool operator==(const ConversationKey&, const ConversationKey&) = default;
};

// A frame's TCP header, and which direction of which conversation it is of.
struct TcpFrame {
  net::Tcp tcp;
  ConversationKey key;
  bool from_upper = false;  // sent by the second end of the key
};

// Of the frame's innermost layer, if that is TCP over IP; VLANs and tunnels around it do not count. Nothing if the
// frame is, or lies in, an IP fragment, or its lengths contradict each other: which octets it has of the stream is
// open.
std::optional<TcpFrame> tcp_of(const Frame& frame);
// True for a fragment of IP that carries TCP.
bool is_tcp_fragment(const Frame& frame);

std::uint64_t hash_of(const ConversationKey& key);

// Conversations by key, in the order of their last use. Value: default constructed for each new one; it is the owner's
// to reset before the conversation is forgotten. Never holds more than max; allocates only for new conversations.
template <class Value>
class Conversations {
 public:
  using Index = std::uint32_t;
  static constexpr Index none = 0xFFFFFFFF;

  explicit Conversations(std::size_t max) : max_(max == 0 ? 1 : max), table_(16, none) {}

  // The conversation, used now; none if there is none.
  Index find(const ConversationKey& key) {
    // Segments of one conversation often follow each other.
    if (newest_ != none && nodes_[newest_].key == key) return newest_;
    const std::size_t at = slot_of(key, hash_of(key));
    const Index found = table_[at];
    if (found != none) use(found);
    return found;
  }
  bool full() const { return num_ >= max_; }
  // The one unused for longest; none if there are none.
  Index oldest() const { return oldest_; }
  // The one used before it; none after the newest. From oldest() on it visits all.
  Index newer(Index index) const { return nodes_[index].newer; }

  // Adds a conversation that is not there, when not full.
  Index insert(const ConversationKey& key) {
    if (2 * (num_ + 1) > table_.size()) grow();
    Index index = free_;
    if (index != none) {
      free_ = nodes_[index].newer;
    } else {
      index = static_cast<Index>(nodes_.size());
      nodes_.emplace_back();
    }
    Node& node = nodes_[index];
    node.key = key;
    node.hash = hash_of(key);
    table_[slot_of(key, node.hash)] = index;
    ++num_;
    link(index);
    return index;
  }
  void erase(Index index) {
    Node& node = nodes_[index];
    std::size_t hole = slot_of(node.key, node.hash);
    // Moves up what would not be found behind an empty slot.
    for (std::size_t at = next(hole); table_[at] != none; at = next(at)) {
      const std::size_t home = nodes_[table_[at]].hash & (table_.size() - 1);
      if (((at - home) & (table_.size() - 1)) >= ((at - hole) & (table_.size() - 1))) {
        table_[hole] = table_[at];
        hole = at;
      }
    }
    table_[hole] = none;
    unlink(index);
    node.value = Value();
    node.newer = free_;
    free_ = index;
    --num_;
  }

  Value& operator[](Index index) { return nodes_[index].value; }
  const ConversationKey& key(Index index) const { return nodes_[index].key; }
  std::size_t size() const { return num_; }

 private:
  struct Node {
    ConversationKey key;
    std::uint64_t hash = 0;
    Index newer = none;  // of a free node: the next free one
    Index older = none;
    Value value{};
  };

  std::size_t next(std::size_t slot) const { return (slot + 1) & (table_.size() - 1); }
  // Where the key is, or would be put.
  std::size_t slot_of(const ConversationKey& key, std::uint64_t hash) const {
    std::size_t at = hash & (table_.size() - 1);
    while (table_[at] != none && !(nodes_[table_[at]].hash == hash && nodes_[table_[at]].key == key)) at = next(at);
    return at;
  }
  void grow() {
    std::vector<Index> old(2 * table_.size(), none);
    old.swap(table_);
    for (const Index index : old) {
      if (index == none) continue;
      std::size_t at = nodes_[index].hash & (table_.size() - 1);
      while (table_[at] != none) at = next(at);
      table_[at] = index;
    }
  }
  void link(Index index) {
    nodes_[index].older = newest_;
    nodes_[index].newer = none;
    (newest_ == none ? oldest_ : nodes_[newest_].newer) = index;
    newest_ = index;
  }
  void unlink(Index index) {
    const Node& node = nodes_[index];
    (node.older == none ? oldest_ : nodes_[node.older].newer) = node.newer;
    (node.newer == none ? newest_ : nodes_[node.newer].older) = node.older;
  }
  void use(Index index) {
    if (index == newest_) return;
    unlink(index);
    link(index);
  }

  std::size_t max_;
  std::size_t num_ = 0;
  std::vector<Node> nodes_;
  std::vector<Index> table_;  // open addressing; its size is a power of 2
  Index free_ = none;
  Index oldest_ = none;
  Index newest_ = none;
};

}  // namespace rdmawire::reassembly
