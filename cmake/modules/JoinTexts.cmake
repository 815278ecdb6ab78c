# Run with -P: writes OUTPUT, the files in INPUTS (separated by |) one after another.
string(REPLACE "|" ";" files "${INPUTS}")
set(content "")
foreach(file ${files})
  file(READ ${file} text)
  string(APPEND content "${text}\n")
endforeach()
file(WRITE ${OUTPUT} "${content}")
