#!/bin/sh
# Tests what scripts/demo builds: a configured tree without the verbs that the demo does not show, and only for this
# machine's CPU. Asking the program for such a verb must name the command that builds it.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --preset release -B "$scratch/build" -D BANKWISE_PARTS=demo >"$scratch/log" || { cat "$scratch/log"; exit 1; }
ninja -C "$scratch/build" -t commands program | grep -o -E -- ' -c \S+' | sort -u >"$scratch/sources"
ninja -C "$scratch/build" -t commands program | grep -o -E -- '/Unity/[a-z_0-9]+\.cxx' | sort -u | while read -r one; do
  cat $(find "$scratch/build" -path "*$one")
done >>"$scratch/sources"
failed=0
# A verb of the demo has its own source, and every other verb is in absent_verbs.cpp.
for verb in explain fix/fix run/run predict diff report compare lsp check/check check/init; do
  grep -q "/cli/$verb.cpp\"" "$scratch/sources" || { echo "the demo lacks cli/$verb.cpp"; failed=1; }
done
for verb in arch probe run/record; do
  ! grep -q "/cli/$verb.cpp\"" "$scratch/sources" || { echo "the demo compiles cli/$verb.cpp"; failed=1; }
done
grep -q "/cli/line/absent_verbs.cpp\"" "$scratch/sources" || { echo "the demo lacks cli/line/absent_verbs.cpp"; failed=1; }
# Each verb's function that no source of the demo defines is in absent_verbs.cpp.
for name in arch probe record; do
  grep -q "^result<int> $name(const arguments&) { return absent_verb(" cli/line/absent_verbs.cpp ||
    { echo "absent_verbs.cpp does not define $name"; failed=1; }
done
exit $failed
