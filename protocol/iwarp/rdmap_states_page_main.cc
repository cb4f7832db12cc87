#include <iostream>

#include "protocol/iwarp/rdmap_states_page.h"

int main() { std::cout << rdmawire::iwarp::rdmap_states_page(); }
