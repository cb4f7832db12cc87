// One declaration of a header, from which everything else about it follows.
//
//   struct Udp {
//     UdpPort source_port{};
//     ...
//   };
//   constexpr auto layout(std::type_identity<Udp>) {
//     return Layout(Layer::udp,
//                   field<&Udp::source_port, 16>("udp.srcport", "Source port"),
//                   ...);
//   }
//   static_assert(header_size<Udp> == 8);
//
// The fields stand in wire order and fill whole octets; reserved bits are members too, so that
// encode(decode(octets)) == octets always. A member is a bool, an unsigned integer, an enum, a struct with one
// unsigned `value` (types.h), or octets: a std::array or a struct with one `octets` (whole octets, octet-aligned).
//
// The contract: decode, peek, encode and poke take a span of exactly the header's size, so after that one length check
// nothing can fail. try_decode and try_encode make the check, and say what was missing.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "codec/base/bytes.h"
#include "codec/base/error.h"
#include "codec/base/field.h"
#include "codec/base/types.h"

namespace rdmawire {

namespace detail {

// Never defined: reached only while compiling a wrong declaration, where the compiler's message shows the reason.
void not_a_layout(const char* reason);

template <class T>
struct MemberPointer;
template <class C, class V>
struct MemberPointer<V C::*> {
  using Class = C;
  using Value = V;
};

template <class T>
concept WithValue = requires(T t) {
  { t.value } -> std::same_as<decltype((t.value))>;
  requires std::unsigned_integral<std::remove_cvref_t<decltype(t.value)>>;
};
template <class T>
concept WithOctets = requires(T t) { t.octets.data(); };
template <class T>
struct IsOctetArray : std::false_type {};
template <std::size_t N>
struct IsOctetArray<std::array<std::uint8_t, N>> : std::true_type {};

template <class T>
inline constexpr bool is_octets = WithOctets<T> || IsOctetArray<T>::value;

template <class T>
concept Named = requires(T t) {
  { name_of(t) } -> std::convertible_to<std::string_view>;
};

template <class T>
constexpr std::uint64_t to_raw(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return static_cast<std::uint64_t>(value);
  } else if constexpr (WithValue<T>) {
    return value.value;
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

template <class T>
constexpr T from_raw(std::uint64_t raw) {
  if constexpr (WithValue<T>) {
    T out{};
    out.value = static_cast<std::remove_cvref_t<decltype(out.value)>>(raw);
    return out;
  } else {
    return static_cast<T>(raw);
  }
}

template <class T>
constexpr auto& octets_of(T& value) {
  if constexpr (WithOctets<T>) {
    return value.octets;
  } else {
    return value;
  }
}

template <class T>
constexpr Display default_display() {
  if constexpr (std::is_same_v<T, bool>) {
    return Display::flag;
  } else if constexpr (std::is_same_v<T, MacAddress>) {
    return Display::mac;
  } else if constexpr (std::is_same_v<T, Ipv4Address>) {
    return Display::ipv4;
  } else if constexpr (std::is_same_v<T, Ipv6Address> || std::is_same_v<T, Gid>) {
    return Display::ipv6;
  } else if constexpr (is_octets<T>) {
    return Display::octets;
  } else if constexpr (std::is_same_v<T, Qpn> || std::is_same_v<T, QKey> || std::is_same_v<T, RKey> ||
                       std::is_same_v<T, Guid> || std::is_same_v<T, ServiceId> || std::is_same_v<T, VirtualAddress> ||
                       std::is_same_v<T, CommunicationId> || std::is_same_v<T, Stag> ||
                       std::is_same_v<T, TaggedOffset>) {
    return Display::hex;
  } else {
    return Display::dec;
  }
}

constexpr std::uint64_t low_mask(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

}  // namespace detail

enum class EntryKind : std::uint8_t { field, part, whole };

// What a layout lists. Options follow as calls: field<...>(...).as(Display::hex).when(...).
template <class Self, EntryKind Kind>
struct Entry {
  static constexpr EntryKind kind = Kind;
  static constexpr bool octets = false;

  FieldInfo info;

  // text_octets: hex digits for so many octets, where Wireshark's type is wider than the field.
  consteval Self as(Display display, std::uint8_t text_octets = 0) const {
    Self out = self();
    out.info.display = display;
    out.info.text_octets = text_octets;
    return out;
  }
  consteval Self reserved() const {
    Self out = self();
    out.info.reserved = true;
    return out;
  }
  consteval Self named(std::string_view (*value_name)(std::uint64_t)) const {
    Self out = self();
    out.info.value_name = value_name;
    return out;
  }
  // Only shown (under this name) when the field's value, for a part the whole field's, says so.
  consteval Self when(bool (*present)(std::uint64_t)) const {
    Self out = self();
    out.info.present = present;
    return out;
  }

 private:
  consteval const Self& self() const { return static_cast<const Self&>(*this); }
};

// One member of a header.
template <auto Member, unsigned Bits>
struct Field : Entry<Field<Member, Bits>, EntryKind::field> {
  using Class = typename detail::MemberPointer<decltype(Member)>::Class;
  using Value = typename detail::MemberPointer<decltype(Member)>::Value;
  static constexpr auto member = Member;
  static constexpr unsigned bits = Bits;
  static constexpr bool octets = detail::is_octets<Value>;
  static_assert(octets ? Bits == 8 * sizeof(Value) : Bits >= 1 && Bits <= 64);
  static_assert(octets || Bits <= 8 * sizeof(Value), "the member is narrower than its field");
};

template <auto Member, unsigned Bits>
consteval auto field(std::string_view key, std::string_view label) {
  using Value = typename Field<Member, Bits>::Value;
  Field<Member, Bits> out{};
  out.info.key = key;
  out.info.label = label;
  out.info.bits = Bits;
  out.info.display = detail::default_display<Value>();
  if constexpr (detail::Named<Value>) {
    out.info.value_name = [](std::uint64_t raw) -> std::string_view { return name_of(detail::from_raw<Value>(raw)); };
  }
  return out;
}

// A closer look at some bits of the field before it: shown, selected and filtered like a field, encoded with its field.
struct Part : Entry<Part, EntryKind::part> {};

// first_bit counts from the field's most significant bit.
consteval Part part(std::string_view key, std::string_view label, std::uint16_t first_bit, std::uint16_t bits) {
  Part out{};
  out.info.key = key;
  out.info.label = label;
  out.info.bit_offset = first_bit;
  out.info.bits = bits;
  out.info.display = bits == 1 ? Display::flag : Display::dec;
  out.info.part = true;
  return out;
}

// The fields that follow it as one number too, as flags often are: shown, selected and filtered like a field, encoded
// with its fields. It ends where one of them ends.
struct Whole : Entry<Whole, EntryKind::whole> {};

consteval Whole whole(std::string_view key, std::string_view label, std::uint16_t bits) {
  Whole out{};
  out.info.key = key;
  out.info.label = label;
  out.info.bits = bits;
  out.info.display = Display::hex;
  out.info.part = true;
  return out;
}

namespace detail {

// Finds a type by its index, or an index by its member, with one overload resolution instead of a recursion: with
// headers of eighty fields that is the difference between seconds and minutes of compiling.
template <std::size_t I, class T>
struct TypeLeaf {
  using type = T;
};
template <class Indices, class... T>
struct TypeMap;
template <std::size_t... I, class... T>
struct TypeMap<std::index_sequence<I...>, T...> : TypeLeaf<I, T>... {};
template <std::size_t I, class T>
TypeLeaf<I, T> type_at(const TypeLeaf<I, T>*);

template <auto Member, std::size_t I>
struct MemberLeaf {};
template <auto Member, std::size_t I>
consteval std::size_t member_index(const MemberLeaf<Member, I>*) {
  return I;
}

}  // namespace detail

template <class... Entries>
struct Layout {
  static constexpr std::size_t num_entries = sizeof...(Entries);
  static constexpr std::size_t num_fields = (std::size_t{0} + ... + (Entries::kind == EntryKind::field ? 1 : 0));
  using Types = detail::TypeMap<std::index_sequence_for<Entries...>, Entries...>;

  Layer layer;
  std::array<FieldInfo, num_entries> infos;  // as declared: offsets not yet known
  std::array<EntryKind, num_entries> kinds;
  std::array<bool, num_entries> octets;

  consteval Layout(Layer l, const Entries&... e)
      : layer(l), infos{e.info...}, kinds{Entries::kind...}, octets{Entries::octets...} {}
};

namespace detail {

// Where a field lies: in a big-endian word of at most 8 octets that it shares with its neighbours, or as octets.
struct Slot {
  std::uint16_t offset = 0;      // octets, of the word or of the field's own octets
  std::uint16_t word_size = 0;   // octets; 0 for octets
  std::uint16_t shift = 0;       // bits below the field in its word
  std::uint16_t bit_offset = 0;  // of the field in the header
  bool first_in_word = false;
  bool last_in_word = false;
};

struct FieldWidth {
  unsigned bits;
  bool octets;
};

template <std::size_t N>
struct Placement {
  std::array<Slot, N> slots{};
  std::size_t bits = 0;
};

// Packs neighbouring fields into words as wide as possible, so that a header takes few loads and stores.
template <std::size_t N>
constexpr Placement<N> place(const std::array<FieldWidth, N>& fields) {
  Placement<N> out;
  std::size_t bit = 0;
  for (std::size_t i = 0; i < N;) {
    if (bit % 8 != 0) not_a_layout("a word must begin at an octet");
    if (fields[i].octets) {
      out.slots[i] = {static_cast<std::uint16_t>(bit / 8), 0, 0, static_cast<std::uint16_t>(bit), true, true};
      bit += fields[i].bits;
      ++i;
      continue;
    }
    std::size_t end = i;       // one past the last field of the word
    std::size_t end_bits = 0;  // the word's width
    for (std::size_t j = i, width = 0; j < N && !fields[j].octets && width + fields[j].bits <= 64; ++j) {
      width += fields[j].bits;
      if (width % 8 == 0) {
        end = j + 1;
        end_bits = width;
      }
    }
    if (end == i) not_a_layout("the fields do not fill whole octets");
    std::size_t done = 0;
    for (std::size_t j = i; j < end; ++j) {
      done += fields[j].bits;
      out.slots[j] = {static_cast<std::uint16_t>(bit / 8),
                      static_cast<std::uint16_t>(end_bits / 8),
                      static_cast<std::uint16_t>(end_bits - done),
                      static_cast<std::uint16_t>(bit + done - fields[j].bits),
                      j == i,
                      j + 1 == end};
    }
    bit += end_bits;
    i = end;
  }
  out.bits = bit;
  return out;
}

template <class T>
inline constexpr auto layout_of = layout(std::type_identity<T>{});

template <class T>
using LayoutType = std::remove_cvref_t<decltype(layout_of<T>)>;

template <class T>
struct Fields {
  using L = LayoutType<T>;
  static constexpr std::size_t count = L::num_fields;

  // The entries that are members, in wire order, as indices into the entries.
  static constexpr auto indices = [] {
    std::array<std::size_t, count> out{};
    std::size_t n = 0;
    for (std::size_t i = 0; i < L::num_entries; ++i) {
      if (layout_of<T>.kinds[i] == EntryKind::field) out[n++] = i;
    }
    return out;
  }();

  static constexpr auto placement = [] {
    std::array<FieldWidth, count> widths{};
    for (std::size_t i = 0; i < count; ++i) {
      widths[i] = {layout_of<T>.infos[indices[i]].bits, layout_of<T>.octets[indices[i]]};
    }
    return place(widths);
  }();

  // The I-th member.
  template <std::size_t I>
  using At = typename decltype(type_at<indices[I]>(static_cast<const typename L::Types*>(nullptr)))::type;
};

template <class T, class Indices>
struct MemberMap;
template <class T, std::size_t... I>
struct MemberMap<T, std::index_sequence<I...>> : MemberLeaf<Fields<T>::template At<I>::member, I>... {};

template <class T>
consteval auto make_field_infos() {
  constexpr const auto& l = layout_of<T>;
  constexpr const auto& placement = Fields<T>::placement;
  auto out = l.infos;
  std::size_t covered = 0;          // fields seen
  const FieldInfo* last = nullptr;  // the field before
  for (std::size_t i = 0; i < out.size(); ++i) {
    FieldInfo& made = out[i];
    if (l.kinds[i] == EntryKind::part) {
      if (last == nullptr) not_a_layout("a part follows its field");
      if (made.bit_offset + made.bits > last->bits) not_a_layout("a part lies inside its field");
      made.parent_offset = last->bit_offset;
      made.parent_bits = last->bits;
      made.bit_offset = static_cast<std::uint16_t>(made.bit_offset + last->bit_offset);
      continue;
    }
    if (covered == Fields<T>::count) not_a_layout("a whole stands before its fields");
    made.bit_offset = placement.slots[covered].bit_offset;
    made.parent_offset = made.bit_offset;
    made.parent_bits = made.bits;
    if (l.kinds[i] == EntryKind::field) {
      last = &made;
      ++covered;
    } else {
      const std::size_t end = std::size_t{made.bit_offset} + made.bits;
      bool ends_with_a_field = end == placement.bits;
      for (const Slot& slot : placement.slots) ends_with_a_field = ends_with_a_field || slot.bit_offset == end;
      if (!ends_with_a_field) not_a_layout("a whole ends where a field ends");
    }
  }
  return out;
}

template <class T>
inline constexpr auto field_infos = make_field_infos<T>();

template <class T, auto Member>
consteval std::size_t index_of() {
  return member_index<Member>(static_cast<const MemberMap<T, std::make_index_sequence<Fields<T>::count>>*>(nullptr));
}

// Reads the I-th member into its place. word holds the word of the member before, and then this one's: loaded once,
// since what is stored in between might, for all the compiler knows, have changed the octets.
template <class T, std::size_t I>
constexpr void load_member(const std::uint8_t* p, std::uint64_t& word, typename Fields<T>::template At<I>::Value& to) {
  using F = typename Fields<T>::template At<I>;
  constexpr Slot slot = Fields<T>::placement.slots[I];
  if constexpr (F::octets) {
    copy_octets<F::bits / 8>(octets_of(to).data(), p + slot.offset);
  } else {
    if constexpr (slot.first_in_word) word = load_be<slot.word_size>(p + slot.offset);
    to = from_raw<typename F::Value>(word >> slot.shift & low_mask(F::bits));
  }
}

}  // namespace detail

// Octets that a header T takes (its fixed part).
template <class T>
inline constexpr std::size_t header_size = detail::Fields<T>::placement.bits / 8;

template <class T>
using HeaderBytes = std::span<const std::uint8_t, header_size<T>>;

// A type with a layout.
template <class T>
concept Header = requires { layout(std::type_identity<T>{}); };

// What is known of T at run time.
template <Header T>
inline constexpr HeaderInfo header_info{detail::layout_of<T>.layer, static_cast<std::uint16_t>(header_size<T>),
                                        std::span<const FieldInfo>(detail::field_infos<T>)};

// Reads all fields into a header that is already somewhere in memory: there each is stored once, where a header that
// decode returns would be copied as a whole.
template <Header T>
constexpr void decode_to(T& out, HeaderBytes<T> octets) {
  std::uint64_t word = 0;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (detail::load_member<T, I>(octets.data(), word, out.*detail::Fields<T>::template At<I>::member), ...);
  }(std::make_index_sequence<detail::Fields<T>::count>{});
}

// Reads all fields; those that the caller does not use cost nothing.
template <Header T>
constexpr T decode(HeaderBytes<T> octets) {
  T out{};
  decode_to(out, octets);
  return out;
}

// Reads one field: peek<&Bth::psn>(octets).
template <auto Member>
constexpr auto peek(HeaderBytes<typename detail::MemberPointer<decltype(Member)>::Class> octets) {
  using T = typename detail::MemberPointer<decltype(Member)>::Class;
  constexpr std::size_t index = detail::index_of<T, Member>();
  constexpr detail::Slot slot = detail::Fields<T>::placement.slots[index];
  std::uint64_t word = 0;
  if constexpr (slot.word_size != 0) word = load_be<slot.word_size>(octets.data() + slot.offset);
  typename detail::MemberPointer<decltype(Member)>::Value out{};
  detail::load_member<T, index>(octets.data(), word, out);
  return out;
}

// Writes every bit of the header. A value too big for its field loses its high bits; try_encode refuses it.
template <Header T>
constexpr void encode(const T& header, std::span<std::uint8_t, header_size<T>> out) {
  std::uint64_t word = 0;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto one = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
      using F = typename detail::Fields<T>::template At<J>;
      constexpr detail::Slot slot = detail::Fields<T>::placement.slots[J];
      if constexpr (F::octets) {
        detail::copy_octets<F::bits / 8>(out.data() + slot.offset, detail::octets_of(header.*F::member).data());
      } else {
        word |= (detail::to_raw(header.*F::member) & detail::low_mask(F::bits)) << slot.shift;
        if constexpr (slot.last_in_word) {
          store_be<slot.word_size>(out.data() + slot.offset, word);
          word = 0;
        }
      }
    };
    (one(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<detail::Fields<T>::count>{});
}

// Writes one field, the others stay: poke<&Ipv4::total_length>(octets, 40). A value too big loses its high bits.
template <auto Member>
constexpr void poke(std::span<std::uint8_t, header_size<typename detail::MemberPointer<decltype(Member)>::Class>> out,
                    const typename detail::MemberPointer<decltype(Member)>::Value& value) {
  using T = typename detail::MemberPointer<decltype(Member)>::Class;
  constexpr std::size_t index = detail::index_of<T, Member>();
  using F = typename detail::Fields<T>::template At<index>;
  constexpr detail::Slot slot = detail::Fields<T>::placement.slots[index];
  if constexpr (F::octets) {
    detail::copy_octets<F::bits / 8>(out.data() + slot.offset, detail::octets_of(value).data());
  } else if constexpr (slot.bit_offset % 8 == 0 && F::bits % 8 == 0) {
    store_be<F::bits / 8>(out.data() + slot.bit_offset / 8, detail::to_raw(value));
  } else {
    constexpr std::uint64_t mask = detail::low_mask(F::bits) << slot.shift;
    std::uint8_t* const at = out.data() + slot.offset;
    const std::uint64_t others = load_be<slot.word_size>(at) & ~mask;
    store_be<slot.word_size>(at, others | (detail::to_raw(value) << slot.shift & mask));
  }
}

// decode, after the length check. Fails with truncated_capture: give the octets that are still missing, or show what
// is there.
template <Header T>
constexpr Result<T> try_decode(Bytes octets, std::uint64_t offset = 0) {
  if (octets.size() < header_size<T>) {
    return fail({ErrorCode::truncated_capture, header_info<T>.layer, Limit::capture,
                 static_cast<std::uint32_t>(header_size<T>), static_cast<std::uint32_t>(octets.size()), offset});
  }
  return decode<T>(octets.template first<header_size<T>>());
}

// The first member whose value has more bits than its field; nullptr if all fit.
template <Header T>
constexpr const FieldInfo* first_too_big(const T& header) {
  const FieldInfo* found = nullptr;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto one = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
      using F = typename detail::Fields<T>::template At<J>;
      if constexpr (!F::octets) {
        if (found == nullptr && (detail::to_raw(header.*F::member) & ~detail::low_mask(F::bits)) != 0) {
          found = &detail::field_infos<T>[detail::Fields<T>::indices[J]];
        }
      }
    };
    (one(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<detail::Fields<T>::count>{});
  return found;
}

// encode into the front of out, after both checks; returns the octets written. Fails with output_too_small (give a
// larger buffer) or value_too_big (the offset is the field's octet; correct the value). Nothing is written on failure.
template <Header T>
constexpr Result<std::size_t> try_encode(const T& header, MutableBytes out, std::uint64_t offset = 0) {
  if (out.size() < header_size<T>) {
    return fail({ErrorCode::output_too_small, header_info<T>.layer, Limit::buffer,
                 static_cast<std::uint32_t>(header_size<T>), static_cast<std::uint32_t>(out.size()), offset});
  }
  if (const FieldInfo* field = first_too_big(header)) {
    const std::uint32_t bits = field->bits;
    return fail({ErrorCode::value_too_big, header_info<T>.layer, Limit::field_width, bits + 1, bits,
                 offset + field->bit_offset / 8U});
  }
  encode(header, out.template first<header_size<T>>());
  return header_size<T>;
}

// Calls visit(info, value) for each member in wire order.
template <Header T, class Visit>
constexpr void for_each_field(const T& header, Visit&& visit) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(detail::field_infos<T>[detail::Fields<T>::indices[I]], header.*detail::Fields<T>::template At<I>::member),
     ...);
  }(std::make_index_sequence<detail::Fields<T>::count>{});
}

}  // namespace rdmawire
