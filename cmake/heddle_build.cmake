# SPDX-License-Identifier: Apache-2.0
# Compiler settings shared by every target, and the two functions with which a folder declares its library and its tests.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# Contraction off: a*b+c is two roundings unless the code says fma, so that every host gives the same bits.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror -ffp-contract=off -fno-math-errno)
include_directories(${CMAKE_SOURCE_DIR})
# Places in sources read kernels/gemm/gemm.cpp:41, wherever the tree and the build folder are. A compiler cache may hand
# relative paths down, so there are two forms.
file(RELATIVE_PATH source_from_build ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR}/heddle)
string(REGEX REPLACE "heddle$" "" source_from_build "${source_from_build}")
add_compile_options(-fmacro-prefix-map=${CMAKE_SOURCE_DIR}/= -fmacro-prefix-map=${source_from_build}=)
if(HEDDLE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=address,undefined)
  # With the sanitizers' code in between, GCC 12 sees uninitialised uses in Catch2 2's own sources.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-maybe-uninitialized)
  endif()
endif()
if(HEDDLE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HEDDLE_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)

# heddle_library(NAME SOURCES a.cpp ... LINKS dep ... [PUBLIC_LINKS dep ...])
# OBJECT-like semantics where self-registration matters: WHOLE keeps every object at link time.
function(heddle_library name)
  cmake_parse_arguments(arg "WHOLE" "" "SOURCES;LINKS;PUBLIC_LINKS" ${ARGN})
  if(arg_WHOLE)
    add_library(${name} OBJECT ${arg_SOURCES})
  else()
    add_library(${name} STATIC ${arg_SOURCES})
  endif()
  target_link_libraries(${name} PUBLIC ${arg_PUBLIC_LINKS} PRIVATE ${arg_LINKS})
endfunction()

# Marks a target as using SystemC. Debian builds libsystemc as C++17; a C++20 user must say so or the
# API-version symbol does not link.
function(heddle_uses_systemc target)
  target_compile_definitions(${target} PUBLIC SC_CPLUSPLUS=201703L SC_INCLUDE_DYNAMIC_PROCESSES)
  target_link_libraries(${target} PUBLIC systemc)
endfunction()

# heddle_test(NAME SOURCES a.cpp ... LINKS dep ... [LABELS unit])
# Every Catch2 case becomes one CTest case in a process of its own (SystemC elaborates once a process).
function(heddle_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} heddle_test_main)
  target_compile_definitions(${name} PRIVATE HEDDLE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  catch_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 300
                       TEST_PREFIX "${name}: ")
endfunction()
