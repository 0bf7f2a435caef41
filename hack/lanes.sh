# shellcheck shell=bash
# Runs shell functions in parallel. Scripts source it.

# lanes LOGS NAME… runs each function NAME in the background with its output in LOGS/NAME.log, and prints the output when the
# function ends. The output of failed functions is printed last, and failed_lanes has their names. lanes fails if a function
# fails. set -e has no effect in the functions: the status of a lane is that of its last command.
lanes() {
	local logs=$1 lane
	shift
	local -A pids
	failed_lanes=()
	for lane in "$@"; do
		(
			started=${SECONDS}
			status=0
			"${lane}" || status=$?
			echo "lane ${lane} took $((SECONDS - started)) s"
			exit "${status}"
		) >"${logs}/${lane}.log" 2>&1 &
		pids["${lane}"]=$!
	done
	for lane in "$@"; do
		if wait "${pids[${lane}]}"; then
			cat "${logs}/${lane}.log"
		else
			failed_lanes+=("${lane}")
		fi
	done
	for lane in "${failed_lanes[@]}"; do
		cat "${logs}/${lane}.log"
	done
	((${#failed_lanes[@]} == 0))
}
