#!/usr/bin/env bash
# Runs one line of a make recipe with bash, and appends its times to the file in STEPS. The Makefile uses this script as make's
# shell if STEPS is set:
#
#   hack/timed.sh target=NAME [bash options] -c 'command'
#
# A line has the target and, in seconds, the wall-clock time, the processor time of the command and its children, the processor
# time of the whole machine, and the stolen time, in which the hypervisor ran other machines. Without a target, as in make's
# $(shell …), the script records nothing. hack/times prints the file as a table.
set -uo pipefail

target=${1#target=}
shift
[[ -n ${target} && -n ${STEPS:-} ]] || exec bash "$@"

# machine prints the processor time of all processes since boot and the stolen time, in the kernel's ticks.
machine() {
	local _ user nice system idle iowait irq softirq steal rest
	read -r _ user nice system idle iowait irq softirq steal rest </proc/stat
	echo "$((user + nice + system + irq + softirq)) ${steal}"
}

began=${EPOCHREALTIME/[.,]/} # in microseconds
read -r busy stolen < <(machine)
bash "$@" <&0 &
child=$!
trap 'kill -TERM "${child}" 2>/dev/null' TERM INT HUP # make signals this script only
wait "${child}"
status=$?
while kill -0 "${child}" 2>/dev/null; do # a signal ended the wait
	wait "${child}"
	status=$?
done
ended=${EPOCHREALTIME/[.,]/}
read -r busyAfter stolenAfter < <(machine)
times >"${STEPS}.$$" # a subshell would print its own times
children=$(tail -n 1 "${STEPS}.$$" | tr , .)
rm -f "${STEPS}.$$"
awk -v target="${target}" -v wall=$((ended - began)) -v children="${children}" -v busy=$((busyAfter - busy)) -v stolen=$((stolenAfter - stolen)) -v ticks="$(getconf CLK_TCK)" \
	'BEGIN {split(children, t, /[ms ]+/); printf "%s\t%.1f\t%.1f\t%.1f\t%.1f\n", target, wall / 1e6, t[1] * 60 + t[2] + t[3] * 60 + t[4], busy / ticks, stolen / ticks}' >>"${STEPS}"
exit "${status}"
