# Run with -P: writes OUTPUT, a C++ list of {"name", "text"} for the files in
# INPUTS (separated by |), sorted by name, so that a library carries them.
#
# Texts are raw strings of at most 8,000 characters, since compilers need not
# accept longer ones.
string(REPLACE "|" ";" files "${INPUTS}")
list(SORT files)
set(content "// Made from the files that it names; do not edit.\n")
foreach(file ${files})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  if(text MATCHES "\\)embedded\"")
    message(FATAL_ERROR "${file} contains the end of a raw string")
  endif()
  string(APPEND content "{\"${name}\",")
  string(LENGTH "${text}" length)
  set(begin 0)
  while(begin LESS length)
    string(SUBSTRING "${text}" ${begin} 8000 part)
    string(APPEND content "\nR\"embedded(${part})embedded\"")
    math(EXPR begin "${begin} + 8000")
  endwhile()
  string(APPEND content "},\n")
endforeach()
file(WRITE ${OUTPUT} "${content}")
