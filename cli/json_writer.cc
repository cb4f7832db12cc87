// --json and --ndjson: one flat object a record, every field under its key. A key that occurs several times in a frame
// (nested VLAN tags, a tunnel) has an array of the values, outermost first.
#include "cli/json_text.h"
#include "cli/values.h"
#include "cli/writer.h"

namespace rdmawire::cli {
namespace {

// JSON numbers are doubles in most readers: exact up to here.
constexpr std::uint16_t max_number_bits = 53;

class JsonWriter : public Writer {
 public:
  JsonWriter(Output& out, JsonOptions options) : out_(out), options_(options) {
    const Catalog& catalog = Catalog::instance();
    for (const Catalog::Key& key : catalog.keys()) key_texts_.push_back(",\"" + std::string(key.name) + "\":");
    for (const PropertyInfo& row : property_table) {
      property_texts_.push_back(",\"" + std::string(row.name) + "\":");
    }
    occurrences_.resize(catalog.keys().size());
    last_place_.resize(catalog.keys().size());
  }

  void begin() override {
    if (options_.array) out_.push_back('[');
  }
  void end() override {
    if (options_.array) out_.append(any_ ? "\n]\n" : "]\n");
  }

  void write(const Record& record) override {
    if (options_.array) out_.append(any_ ? ",\n" : "\n");
    any_ = true;
    out_.push_back('{');
    bool first = true;
    for (const PropertyInfo& row : property_table) {
      if (row.in_json || (row.property == Property::file && options_.file_name)) write_property(row, record, first);
    }
    write_fields(record);
    out_.push_back('}');
    if (!options_.array) out_.push_back('\n');
    out_.end_record();
  }

 private:
  // A field that is in the frame.
  struct Found {
    const FieldInfo* field;
    Bytes header;
    std::uint16_t key;
    std::uint16_t next;  // the next with the same key, in found_; 0 if there is none
  };

  void write_property(const PropertyInfo& row, const Record& record, bool& first) {
    const std::string_view key = property_texts_[static_cast<std::size_t>(row.property)];
    bool any = row.property == Property::layers;  // shown even if there are none
    const auto put_key = [&] {
      out_.append(first ? key.substr(1) : key);
      first = false;
      if (is_list(row.kind)) out_.push_back('[');
    };
    if (any) put_key();
    bool any_value = false;
    for_each_value(row.property, record, [&](std::string_view text) {
      if (!any) put_key();
      any = true;
      if (any_value) out_.push_back(',');
      any_value = true;
      if (row.kind == PropertyKind::number || row.kind == PropertyKind::numbers) {
        out_.append(text);
      } else {
        append_json_string(out_, text);
      }
    });
    if (any && is_list(row.kind)) out_.push_back(']');
  }

  void write_fields(const Record& record) {
    const Catalog& catalog = Catalog::instance();
    found_.clear();
    for_each_header(record, [&](const LayerRef& ref, Bytes header) {
      const std::span<const std::uint16_t> keys = catalog.keys_of(*ref.header);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const FieldInfo& field = ref.header->fields[i];
        if (!is_present(field, header)) continue;
        const auto place = static_cast<std::uint16_t>(found_.size());
        found_.push_back({&field, header, keys[i], 0});
        if (++occurrences_[keys[i]] > 1) found_[last_place_[keys[i]]].next = place;
        last_place_[keys[i]] = place;
      }
    });
    for (const Found& found : found_) {
      std::uint16_t& count = occurrences_[found.key];
      if (count == 0) continue;  // already written, with the first
      out_.append(key_texts_[found.key]);
      if (count == 1) {
        write_value(found);
      } else {
        out_.push_back('[');
        for (const Found* each = &found;; each = &found_[each->next]) {
          write_value(*each);
          if (each->next == 0) break;
          out_.push_back(',');
        }
        out_.push_back(']');
      }
      count = 0;
    }
  }

  void write_value(const Found& found) {
    const FieldInfo& field = *found.field;
    if (field.display == Display::flag) {
      out_.append(number(field, found.header) != 0 ? "true" : "false");
    } else if (field.is_number() && field.bits <= max_number_bits) {
      append_number(out_, number(field, found.header));
    } else {
      // Digits, letters, colons and dots: nothing to escape.
      out_.push_back('"');
      append_value(out_, field, found.header);
      out_.push_back('"');
    }
  }

  Output& out_;
  JsonOptions options_;
  bool any_ = false;
  std::vector<std::string> key_texts_;
  std::vector<std::string> property_texts_;
  // Of the record that is being written, by key:
  std::vector<std::uint16_t> occurrences_;
  std::vector<std::uint16_t> last_place_;  // in found_; only where occurrences_ is not 0
  std::vector<Found> found_;
};

}  // namespace

std::unique_ptr<Writer> make_json_writer(Output& out, JsonOptions options) {
  return std::make_unique<JsonWriter>(out, options);
}

}  // namespace rdmawire::cli
