#!/usr/bin/env bash
# Runs a command with TMPDIR in /dev/shm if programs can be run from there and at least 4 GiB are free, and as it is otherwise:
# hack/in-memory.sh COMMAND [ARGUMENT...]
# Stories write thousands of small files, which take a third of their time on a disk.
set -euo pipefail

# In KiB. What stories write at once takes a hundredth of it.
readonly room=$((4 * 1024 * 1024))

# place prints a new folder in memory, or nothing.
place() {
	local free folder
	free="$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" || return 0
	[[ ${free} =~ ^[0-9]+$ ]] && ((free >= room)) || return 0
	folder="$(mktemp --directory --tmpdir=/dev/shm platform-operators-XXXXXX 2>/dev/null)" || return 0
	printf '#!/bin/sh\n' >"${folder}/program"
	chmod +x "${folder}/program"
	if "${folder}/program" 2>/dev/null; then
		rm "${folder}/program"
		echo "${folder}"
	else
		rm -rf "${folder}" # mounted without the right to execute
	fi
}

folder="$(place)"
if [[ -z "${folder}" ]]; then
	exec "$@"
fi
trap 'rm -rf "${folder}"' EXIT
# GOTMPDIR as well, because testing.T.TempDir follows it. So the go command builds here, too.
TMPDIR="${folder}" GOTMPDIR="${folder}" "$@" <&0 &
child=$!
trap 'kill -TERM "${child}" 2>/dev/null' TERM INT HUP
status=0
wait "${child}" || status=$?
while kill -0 "${child}" 2>/dev/null; do # a signal ended the wait
	wait "${child}" || status=$?
done
exit "${status}"
