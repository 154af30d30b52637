// SPDX-License-Identifier: Apache-2.0
// Entry point of every test program.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
#endif
// libsystemc refers to it; the tests bring their own main.
int sc_main(int, char**) { return 0; }
