# How this project declares its libraries, tools and tests.
#
#   mozart_add_core_library(Name SOURCES a.cpp ... LINK lib ...)   no MLIR, no LLVM
#   mozart_add_mlir_library(Name SOURCES a.cpp ... LINK lib ...)   uses libMLIR, the shared PCH
#   mozart_add_tool(name SOURCES a.cpp LINK lib ...)               a thin main over MLIR libraries
#   mozart_add_core_tool(name SOURCES a.cpp LINK lib ...)          a thin main over cores alone
#   mozart_add_plugin(Name SOURCES a.cpp LINK lib ...)             Name.so, for tools of MLIR to load
#   mozart_add_core_unittest(Name SOURCES a.cpp ... LINK lib ...)  GoogleTest of a core
#   mozart_add_mlir_unittest(Name SOURCES a.cpp ... LINK lib ...)  GoogleTest that uses MLIR
#   mozart_tablegen(file.td OUT gen-flag ...)                      one .inc, collected in MozartIncGen
#   mozart_embed_texts(OUT.inc glob)                               text files as C++ string literals

add_library(MozartFlags INTERFACE)
target_include_directories(MozartFlags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
target_compile_options(MozartFlags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -Wall -Wextra -Wno-unused-parameter>)
if(MOZART_SANITIZE)
  set(MOZART_SANITIZER_FLAGS -fsanitize=address,undefined -fno-sanitize=vptr
      -fno-sanitize-recover=undefined)
  target_compile_options(MozartFlags INTERFACE ${MOZART_SANITIZER_FLAGS})
  target_link_options(MozartFlags INTERFACE ${MOZART_SANITIZER_FLAGS})
endif()

if(MOZART_USE_CCACHE)
  find_program(MOZART_CCACHE ccache)
  if(MOZART_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${MOZART_CCACHE})
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      target_compile_options(MozartFlags INTERFACE
        "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
    endif()
  endif()
endif()

# Everything that sees MLIR headers. Headers of LLVM are system headers, so that their warnings stay theirs.
add_library(MozartMLIRFlags INTERFACE)
target_link_libraries(MozartMLIRFlags INTERFACE MozartFlags MLIR LLVM)
target_include_directories(MozartMLIRFlags SYSTEM INTERFACE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(MozartMLIRFlags INTERFACE ${LLVM_DEFINITIONS_LIST})

add_custom_target(MozartIncGen)

# One precompiled header for all MLIR code; made once, reused by every MLIR library.
file(WRITE ${PROJECT_BINARY_DIR}/pch-stub.cpp "// Carries the precompiled header.\n")
add_library(MozartPCH OBJECT ${PROJECT_BINARY_DIR}/pch-stub.cpp)
target_link_libraries(MozartPCH PRIVATE MozartMLIRFlags)
target_precompile_headers(MozartPCH PRIVATE ${PROJECT_SOURCE_DIR}/include/mozart/Support/Pch.h)

# What every executable has besides its own sources: under a sanitizer, its defaults.
set(MOZART_EXECUTABLE_SOURCES)
if(MOZART_SANITIZE)
  set(MOZART_EXECUTABLE_SOURCES ${PROJECT_SOURCE_DIR}/lib/Support/SanitizerDefaults.cpp)
endif()

function(mozart_add_core_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC MozartFlags ${ARG_LINK})
endfunction()

function(mozart_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MozartMLIRFlags)
  target_precompile_headers(${name} REUSE_FROM MozartPCH)
  add_dependencies(${name} MozartIncGen)
endfunction()

function(mozart_add_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${MOZART_EXECUTABLE_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MozartMLIRFlags)
  target_precompile_headers(${name} REUSE_FROM MozartPCH)
  add_dependencies(${name} MozartIncGen)
endfunction()

function(mozart_add_plugin name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(${name} MODULE ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MozartMLIRFlags)
  target_precompile_headers(${name} REUSE_FROM MozartPCH)
  add_dependencies(${name} MozartIncGen)
endfunction()

function(mozart_add_core_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${MOZART_EXECUTABLE_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MozartFlags)
endfunction()

function(mozart_add_core_unittest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${MOZART_EXECUTABLE_SOURCES})
  target_compile_definitions(${name} PRIVATE MOZART_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MozartFlags GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()

function(mozart_add_mlir_unittest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${MOZART_EXECUTABLE_SOURCES})
  target_compile_definitions(${name} PRIVATE MOZART_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE
    "SHELL:-include ${PROJECT_SOURCE_DIR}/include/mozart/Support/AbiCompat.h")
  target_link_libraries(${name} PRIVATE ${ARG_LINK} MozartMLIRFlags GTest::gtest_main)
  add_dependencies(${name} MozartIncGen)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()

# mozart_tablegen(Foo.td Foo.h.inc -gen-op-decls [args]) in include/mozart/<dir>
function(mozart_tablegen td out)
  set(LLVM_TARGET_DEFINITIONS ${td})
  file(RELATIVE_PATH stem ${PROJECT_SOURCE_DIR}/include/mozart ${CMAKE_CURRENT_SOURCE_DIR})
  string(MAKE_C_IDENTIFIER "MozartGen_${stem}_${out}" target)
  mlir_tablegen(${out} ${ARGN} EXTRA_INCLUDES ${PROJECT_SOURCE_DIR}/include ${MLIR_INCLUDE_DIRS})
  add_public_tablegen_target(${target})
  add_dependencies(MozartIncGen ${target})
endfunction()

# mozart_embed_texts(Texts.inc dir/*.mlir): {"name", "text"} for each file, in the
# current binary directory; name it among the sources of the library that includes it.
function(mozart_embed_texts out glob)
  file(GLOB files CONFIGURE_DEPENDS ${glob})
  string(REPLACE ";" "|" inputs "${files}")
  add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${out}
    COMMAND ${CMAKE_COMMAND} "-DINPUTS=${inputs}" -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${out}
            -P ${PROJECT_SOURCE_DIR}/cmake/modules/EmbedTexts.cmake
    DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/modules/EmbedTexts.cmake
    VERBATIM)
endfunction()
