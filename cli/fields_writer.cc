// -T fields: the values that were asked for, a line a record, as tshark writes them.
#include <optional>
#include <utility>

#include "cli/values.h"
#include "cli/writer.h"

namespace rdmawire::cli {
namespace {

// What a column shows: a property, or the fields of that key.
struct Column {
  std::optional<Property> property;
  std::vector<Catalog::Place> places;
};

Column make_column(std::string_view name) {
  Column column;
  column.property = find_property(name);
  if (column.property) return column;
  const Catalog& catalog = Catalog::instance();
  if (const auto key = catalog.find(name)) column.places = catalog.places_of(*key);
  return column;
}

class FieldsWriter : public Writer {
 public:
  FieldsWriter(Output& out, FieldsOptions options) : out_(out), options_(std::move(options)) {
    for (const std::string& name : options_.names) columns_.push_back(make_column(name));
  }

  void begin() override {
    if (!options_.header) return;
    for (std::size_t i = 0; i < options_.names.size(); ++i) {
      if (i != 0) out_.push_back(options_.separator);
      put(options_.names[i]);
    }
    out_.push_back('\n');
  }

  void write(const Record& record) override {
    bool first_column = true;
    for (const Column& column : columns_) {
      if (!first_column) out_.push_back(options_.separator);
      first_column = false;
      has_value_ = false;
      value_.clear();
      if (column.property) {
        for_each_value(*column.property, record, [&](std::string_view text) { take(text); });
      } else {
        for_each_header(record, [&](const LayerRef& ref, Bytes header) {
          for (const Catalog::Place& place : column.places) {
            if (place.header != ref.header || !is_present(*place.field, header)) continue;
            take(ValueText(*place.field, header).view());
          }
        });
      }
      if (has_value_) put(value_);
    }
    out_.push_back('\n');
    out_.end_record();
  }

  NeededCrcs needed_crcs() const override {
    NeededCrcs out;
    for (const Column& column : columns_) {
      if (column.property) out = out | cli::needed_crcs(*column.property);
    }
    return out;
  }

 private:
  void take(std::string_view text) {
    if (has_value_ && options_.occurrence == Occurrence::first) return;
    if (has_value_ && options_.occurrence == Occurrence::all) {
      value_.push_back(options_.aggregator);
      value_.append(text);
    } else {
      value_.assign(text);
    }
    has_value_ = true;
  }

  // A quote inside a quoted value is doubled, as CSV readers expect (RFC 4180).
  void put(std::string_view text) {
    const char quote = options_.quote;
    if (quote == '\0') return out_.append(text);
    out_.push_back(quote);
    for (const char c : text) {
      if (c == quote) out_.push_back(c);
      out_.push_back(c);
    }
    out_.push_back(quote);
  }

  Output& out_;
  FieldsOptions options_;
  std::vector<Column> columns_;
  bool has_value_ = false;
  std::string value_;  // the column's, while it is put together
};

}  // namespace

std::unique_ptr<Writer> make_fields_writer(Output& out, FieldsOptions options) {
  return std::make_unique<FieldsWriter>(out, std::move(options));
}

}  // namespace rdmawire::cli
