#include <iostream>

#include "protocol/iwarp/sctp_session_states_page.h"

int main() { std::cout << rdmawire::iwarp::sctp_session_states_page(); }
