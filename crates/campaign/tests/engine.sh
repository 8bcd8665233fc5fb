#!/bin/sh
# Stands in for `forkwise run` in the tests of this crate: it leaves a result folder as a run does, and misbehaves on demand.
#   --fake=fine|refuse|crash|hang|eat|full|killed|killed-once   what to do;  --log=FILE   append a line for each start
set -u
out=/nowhere seed=0 what=fine log=/dev/null
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2; shift ;;
    --seed=*) seed=${1#--seed=} ;;
    --fake=*) what=${1#--fake=} ;;
    --log=*) log=${1#--log=} ;;
    --read=*) what=read file=${1#--read=} ;;
    esac
    shift
done
echo "start $seed" >>"$log"
if [ "$what" = refuse ]; then
    echo "forkwise: error: there is no search called refuse" >&2
    exit 2
fi
mkdir -p "$out/tests" "$out/bugs/001-abort" || exit 2
echo '{"event": "start"}' >"$out/events.jsonl" || exit 2
[ "$what" = read ] && seed=$(cat "$file")
# Arms 0 and 10 + seed; the test of the latter; a bug that all find.
{
    echo '{"format": 1, "covered": 2, "total": 100, "files": ["a.c"], "branches": ['
    echo "[0, 0, 3, 1, 2, [0]], [10, 0, 9, 5, 90, [$seed]]]}"
} >"$out/coverage.json" || exit 2
echo '{"state": "running", "seconds": 0.5, "instructions": 50}' >"$out/status.json" || exit 2
echo "test of $seed" >"$out/tests/000001.test.json"
echo "{\"event\": \"test\", \"number\": 1, \"arms\": [0, $((10 + seed))]}" >>"$out/events.jsonl"
echo '{"event": "bug", "bug": {"id": "001-abort", "kind": "abort", "blame": "program", "function": "f", "file": "a.c", "line": 7}}' >>"$out/events.jsonl"
echo "test of a bug" >"$out/bugs/001-abort/test.json"
case $what in
full) echo 'cannot write out/x: No space left on device (os error 28)' >&2; exit 2 ;;
killed) kill -KILL $$ ;;
killed-once) [ "$(wc -l <"$log")" -gt 1 ] || kill -KILL $$ ;;
crash) echo "thread panicked at last" >&2; kill -SEGV $$ ;;
hang) sleep 1000 & wait ;;
# A shell variable that doubles.
eat) x=xxxxxxxxxxxxxxxx; while :; do x=$x$x; sleep 0.02; done ;;
esac
echo '{"seconds": 1.5, "instructions": 100, "paths": {"completed": 3, "partial": 1}, "stop_reason": "time", "solver": {"queries": 9}}' >"$out/summary.json" || exit 2
exit 1
