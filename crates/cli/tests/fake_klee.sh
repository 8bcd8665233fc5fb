#!/bin/sh
# An engine that is none, for tests of `forkwise symtuner`: it records its command lines and misbehaves in turn.
# FAKE_LOG is the file of the record, FAKE_TESTS a folder with tests to give.
for word in "$@"; do
    case "$word" in
    --help-hidden) echo "no help here"; exit 1 ;;
    -output-dir=*) out="${word#-output-dir=}" ;;
    esac
done
echo "$*" >> "$FAKE_LOG"
n=$(wc -l < "$FAKE_LOG")
mkdir -p "$out"
case "$n" in
2) kill -SEGV $$ ;;
3) sleep 1000 ;;
4) head -c 300 /dev/urandom > "$out/test000001.ktest"; : > "$out/test000002.ktest"; printf '\377\376' > "$out/test000001.ptr.err" ;;
5) exit 7 ;;
*) cp "$FAKE_TESTS"/* "$out/" ;;
esac
