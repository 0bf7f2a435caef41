#!/usr/bin/env bash
# Runs a command with temporary files in memory: hack/in-memory.sh COMMAND [ARGUMENT...]
# TMPDIR is a folder in /dev/shm if it has at least 4 GiB free and the mount permits executables; otherwise TMPDIR does not change.
# Scenarios write thousands of small files, which take 50% longer on a disk.
set -euo pipefail

# In KiB. Scenarios that run at the same time need a hundredth of it.
readonly min_free=$((4 * 1024 * 1024))

# memory_folder creates a folder in memory and prints its path, or prints nothing if there is no memory for it.
memory_folder() {
	local free folder
	free="$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" || return 0
	[[ ${free} =~ ^[0-9]+$ ]] && ((free >= min_free)) || return 0
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

folder="$(memory_folder)"
if [[ -z "${folder}" ]]; then
	exec "$@"
fi
trap 'rm -rf "${folder}"' EXIT
# testing.T.TempDir uses GOTMPDIR. The go command also builds there.
TMPDIR="${folder}" GOTMPDIR="${folder}" "$@" <&0 &
child=$!
trap 'kill -TERM "${child}" 2>/dev/null' TERM INT HUP
status=0
wait "${child}" || status=$?
while kill -0 "${child}" 2>/dev/null; do # a signal ended the wait
	wait "${child}" || status=$?
done
exit "${status}"
