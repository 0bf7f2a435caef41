# shellcheck shell=bash
# Runs shell functions side by side; for scripts that source it.

# lanes LOGS NAME… runs each function NAME in the background, with its output in LOGS/NAME.log, and prints that when it has ended;
# what failed is printed last, where one looks first, and named in failed_lanes. It fails when any of them does. In the functions set
# -e has no effect: a lane's status is that of its last command.
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
