#!/usr/bin/env bash
# Runs golangci-lint in every module of the checkout. golangci-lint caches absolute paths, so that the cache of one checkout is
# invalid in another. Therefore the script lints a copy of the checkout at a fixed path, without ignored files, and all
# checkouts share the cache.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=v2.12.2
cache="${XDG_CACHE_HOME:-${HOME}/.cache}/platform-operators/lint"
copy="${cache}/checkout"
mkdir -p "${cache}"
exec 9>"${cache}/lock" # one checkout at a time
flock 9

rm -rf "${copy}"
mkdir "${copy}"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
	if [[ -e ${file} || -L ${file} ]]; then # git also lists what was deleted and not committed
		printf '%s\0' "${file}"
	fi
done | tar --create --null --no-recursion --files-from=- | tar --extract --directory="${copy}"

export GOLANGCI_LINT_CACHE="${cache}/cache"
failed=()
for module in . test/localcluster test/bench test/alerts test/registries test/mirrors test/openshiftmanager hack/apilint hack/deadcode; do
	# The lock goes with this shell, not with what golangci-lint starts.
	if ! (cd "${copy}/${module}" && go run "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@${version}" run \
		--config="${copy}/.golangci.yml" ./...) 9>&-; then
		failed+=("${module}")
	fi
done
rm -rf "${copy}"
if ((${#failed[@]})); then
	echo "golangci-lint found issues in module: ${failed[*]}" >&2
	exit 1
fi
