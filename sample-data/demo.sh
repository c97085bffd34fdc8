#!/usr/bin/env bash
# Takes a questionnaire offline and delivers it: a reference server and a store in a temporary folder, step by step.
# QUIRE names the binary (default: .build/debug/quire). Exits 0 only when every step went as it should.
set -euo pipefail

caller=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ -n ${QUIRE:-} ]]; then
    quire=$(cd "$caller" && command -v "$QUIRE") || { echo "demo: there is no $QUIRE" >&2; exit 1; }
    [[ $quire == /* ]] || quire=$caller/$quire
else
    quire=$PWD/.build/debug/quire
fi
[[ -x $quire ]] || { echo "demo: there is no $quire: run \`make build\` first" >&2; exit 1; }
for tool in jq sha256sum; do
    command -v "$tool" >/dev/null || { echo "demo: $tool is needed: run \`make deps\` first" >&2; exit 1; }
done

if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    bold=$'\e[1m' blue=$'\e[34m' green=$'\e[32m' plain=$'\e[0m'
else
    bold='' blue='' green='' plain=''
fi

work=$(mktemp -d)
data=$work/server
export QUIRE_STORE=$work/store
host_pid=
step=
clean_up() {
    local status=$?
    [[ $status -eq 0 ]] || echo "demo: stopped with exit code $status at: $step" >&2
    if [[ -n $host_pid ]]; then
        kill -KILL "$host_pid" 2>/dev/null || true
        wait "$host_pid" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

fail() {
    echo "demo: $1" >&2
    exit 1
}

# One line in plain words.
say() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }

# Shows the command as a person would type it.
show() {
    step=$*
    printf '%s$ %s%s\n' "$blue" "$step" "$plain"
}

run() {
    show "$@"
    if [[ $1 == quire ]]; then "$quire" "${@:2}"; else "$@"; fi
}

# Starts the server on the address given and waits until it says that it listens; sets host_pid and url.
start_host() {
    local log=$work/host.log line='' tries=0
    local arguments=(host --data "$data" --questionnaires sample-data/questionnaires --listen "$1")
    : >"$log"
    show quire "${arguments[@]}" '&'
    "$quire" "${arguments[@]}" >"$log" 2>&1 &
    host_pid=$!
    until line=$(grep -m 1 -o 'listening on http://[^ ]*' "$log"); do
        if ! kill -0 "$host_pid" 2>/dev/null; then
            cat "$log" >&2
            host_pid=
            fail "the server ended before it listened: its own words are above"
        fi
        tries=$((tries + 1))
        if [[ $tries -gt 200 ]]; then
            cat "$log" >&2
            fail "the server did not listen within 20 seconds: what it said so far is above"
        fi
        sleep 0.1
    done
    url=${line#listening on }
    url=${url%/}
    echo "The server listens on $url"
}

stop_host() {
    local status=0 tries=0
    show "kill -TERM $host_pid"
    kill -TERM "$host_pid"
    while kill -0 "$host_pid" 2>/dev/null; do
        tries=$((tries + 1))
        [[ $tries -le 100 ]] || fail "the server did not stop within 10 seconds of SIGTERM"
        sleep 0.1
    done
    wait "$host_pid" || status=$?
    host_pid=
    # 143: ended by SIGTERM itself, which is as good.
    [[ $status -eq 0 || $status -eq 143 ]] || fail "the server stopped with exit code $status"
}

answers=
for file in sample-data/answers/*.json; do
    [[ -e $file ]] || continue
    answers=$file
    break
done
[[ -n $answers ]] || fail "there are no answers in sample-data/answers"
id=$(basename "$answers" .json)
# A word to search for: the first long one of the title.
word=$(jq -r '.title | [scan("\\p{L}{4,}")][0] // .' "sample-data/questionnaires/$id.json")

say "A server gives out the sample questionnaires."
start_host 127.0.0.1:0

say "A new store is made for this server."
run quire init --remote "$url" --store "$QUIRE_STORE"

say "The questionnaires are fetched while there is a network."
run quire pull

say "The network goes away: the server stops."
stop_host

say "The store says that it is offline, and that this is no error."
run quire status

say "The questionnaires are still here."
run quire list

say "They can be searched."
show quire search "$word"
found=$("$quire" search "$word")
echo "$found"
[[ -n $found ]] || fail "the search for \"$word\" found nothing"

say "A test is taken offline and finished. The line it prints is the acknowledgement: the answers are safe."
show quire take "$id" --answers "$answers" --finish --json
acknowledgement=$("$quire" take "$id" --answers "$answers" --finish --json)
echo "$acknowledgement"
test_id=$(jq -er '.id' <<<"$acknowledgement")

say "The test is a plain file that waits in the outbox."
run ls -l "$QUIRE_STORE/outbox/done"
[[ -f $QUIRE_STORE/outbox/done/$test_id.test.json ]] || fail "outbox/done has no $test_id.test.json"

say "The network is back: the server starts on the same port."
start_host "${url#http://}"

say "The answers are delivered."
run quire sync

say "The test is on the server now."
run quire tests
status=$("$quire" tests --json | jq -er --arg id "$test_id" '.[] | select(.id == $id) | .status')
[[ $status =~ ^(sent|checking|rated)$ ]] || fail "test $test_id is \"$status\", but it should be with the server"

say "Why it stands where it stands, told from the files alone; the server's evaluation is in the receipt."
run quire why "$test_id"
receipt=$QUIRE_STORE/outbox/$status/$test_id.receipt.json
if [[ -f $receipt ]]; then run jq . "$receipt"; else fail "there is no receipt beside the test: $receipt"; fi

say "What the server keeps is what was sealed here, byte for byte."
here=$QUIRE_STORE/outbox/$status/$test_id.test.json
there=$data/tests/$test_id.test.json
run sha256sum "$here" "$there"
[[ $(sha256sum <"$here") == $(sha256sum <"$there") ]] || fail "the two files differ"

stop_host >/dev/null
printf '\n%sDone: taken offline, delivered once, proven by a receipt.%s\n' "$green" "$plain"
