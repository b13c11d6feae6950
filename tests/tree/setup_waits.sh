#!/bin/sh
# Tests scripts/setup in two cases: another program holds apt's lock, and apt cannot install. A script imitates apt.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/apt-get" <<EOF
#!/bin/sh
case "\$*" in
  *update*)
    if [ ! -e "$scratch/held" ]; then
      touch "$scratch/held"
      echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)"
      exit 100
    fi
    ;;
  *) echo "E: Unable to fetch some archives"; exit 100 ;;
esac
EOF
printf '#!/bin/sh\ncase "$*" in *ninja-build*) exit 1 ;; esac\necho "install ok installed"\n' >"$scratch/dpkg-query"
printf '#!/bin/sh\necho "  Candidate: 1.0"\n' >"$scratch/apt-cache"
printf '#!/bin/sh\nexec "$@"\n' >"$scratch/sudo"
chmod +x "$scratch"/*
status=0
words=$(PATH=$scratch:$PATH scripts/setup packages 2>&1) || status=$?
expected="another program holds apt's lock: waiting for it
installing: ninja-build
apt-get install failed:
E: Unable to fetch some archives"
if [ "$words" != "$expected" ] || [ $status != 2 ]; then
  printf 'exit status %s\n%s\n' $status "$words"
  exit 1
fi
