#!/bin/sh
# Tests that bankwise refuses to start a program that gets more rights than its caller, instead of loading a library
# into it.
#   set_user_id.sh BANKWISE
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '#!/bin/sh\ntouch "$(dirname "$0")/started"\n' >"$folder/program" || exit 1
for bit in u+s g+s; do
  chmod 755 "$folder/program" && chmod $bit "$folder/program" || { echo "skipped: cannot set mode $bit"; exit 77; }
  said=$("$1" run "$folder/program" 2>&1) && { echo "bankwise run exited with 0, but must refuse the program"; exit 1; }
  echo "$said" | grep -q "gains privileges when it starts" || { echo "$said"; exit 1; }
  [ ! -e "$folder/started" ] || { echo "bankwise run started the program"; exit 1; }
done
