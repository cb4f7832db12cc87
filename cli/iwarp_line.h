// What a line says of a PDU of iWARP after its columns.
#pragma once

#include "cli/output.h"
#include "cli/record.h"

namespace rdmawire::cli {

// The operation, and then what tells most about it.
void append_iwarp(Output& out, const Record& record);

}  // namespace rdmawire::cli
