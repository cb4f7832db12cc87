#include <iostream>

#include "protocol/ib/rc_states_page.h"

int main() { std::cout << rdmawire::ib::rc_states_page(); }
