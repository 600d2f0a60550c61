# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# The build identifier, which the library and the compiler plugin compare (src/backends/plugin.h): a
# hash of every file that the compiler reads for SOURCES but those of the system. The compiler itself
# says which those are, and Ninja asks again when one of them has changed. A script for cmake -P:
#
#   ROOT      the folder that SOURCES and FLAGS are relative to
#   COMPILER, FLAGS, SOURCES   whom to ask, and about what (lists)
#   PREFIX    what stands in front of the hash
#   OUT       the header to write, which defines TSR_BUILD_ID; beside it OUT.d, its dependencies
execute_process(COMMAND ${COMPILER} ${FLAGS} -MM ${SOURCES} WORKING_DIRECTORY "${ROOT}"
                OUTPUT_VARIABLE rules COMMAND_ERROR_IS_FATAL ANY)
# "x.o: src/x.c src/x.h \" and so on, by lines: only the names, each once.
string(REPLACE "\\\n" "" rules "${rules}")
string(REGEX REPLACE "[^ \n]+[.]o:" "" rules "${rules}")
string(REGEX MATCHALL "[^ \n]+" files "${rules}")
list(REMOVE_DUPLICATES files)
list(SORT files)

set(hashes "")
set(dependencies "")
foreach(file IN LISTS files)
  get_filename_component(path "${file}" ABSOLUTE BASE_DIR "${ROOT}")
  file(SHA256 "${path}" hash)
  string(APPEND hashes "${file} ${hash}\n")
  string(REPLACE " " "\\ " path "${path}")
  string(APPEND dependencies " \\\n  ${path}")
endforeach()
string(SHA256 id "${hashes}")
string(SUBSTRING "${id}" 0 12 id)
file(CONFIGURE OUTPUT "${OUT}" CONTENT "#define TSR_BUILD_ID \"${PREFIX}-${id}\"\n")
string(REPLACE " " "\\ " target "${OUT}")
file(WRITE "${OUT}.d" "${target}:${dependencies}\n")
