// The one main of every test program.
#define BOOST_TEST_MODULE rdmawire
#include <boost/test/unit_test.hpp>
