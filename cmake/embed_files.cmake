# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=OUT.inc -DDIR=FOLDER -DFILES=a.css,b.js -P embed_files.cmake
# Writes a line {"a.css", "\x3a\x72..."}, for each file: initialisers of a table {name, content}.
string(REPLACE "," ";" names "${FILES}")
set(text "// Made by cmake/embed_files.cmake\n")
foreach(name IN LISTS names)
  file(READ "${DIR}/${name}" bytes HEX)
  string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${bytes}")
  string(APPEND text "{\"${name}\",\n \"${bytes}\"},\n")
endforeach()
file(WRITE "${OUT}" "${text}")
