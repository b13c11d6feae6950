#!/bin/sh
# Counts the instructions of all kernels on this machine's GPU with Nsight Compute, and stores the memory that the
# kernels write.
#   measure.sh FOLDER     FOLDER has paths.list, the cubins and `launch`, and gets the results in results/
# Kernels of split_barriers can wait forever, so each of them runs in its own process, for at most ten seconds.
set -u
here=$(cd "$(dirname "$0")" && pwd)
cd "$1"
mkdir -p results
count() {  # arguments: family, first kernel, number of kernels
  timeout 300 ncu --metrics inst_executed,thread_inst_executed,smsp__inst_executed.sum,smsp__thread_inst_executed.sum \
    --clock-control none --cache-control none -f -o results/$1_$2 ./launch paths.list $1.cubin $1 /dev/null $2 $3 >/dev/null &&
    python3 "$here/export.py" results/$1_$2.ncu-rep results/$1_$2.json.gz
  rm -f results/$1_$2.ncu-rep
}
for family in $(cut -d' ' -f1 paths.list | uniq); do
  kernels=$(grep -c "^$family " paths.list)
  each=$kernels
  [ $family = split_barriers ] && each=1
  first=0
  while [ $first -lt "$kernels" ]; do
    if timeout 10 ./launch paths.list $family.cubin $family results/${family}_$first.bin $first $each &&
      timeout 10 ./launch paths.list $family.cubin $family results/${family}_$first.again $first $each; then
      count $family $first $each
    else
      echo "$family, from $first: Nsight Compute gave no result"
    fi
    first=$((first + each))
  done
done
