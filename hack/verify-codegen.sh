#!/usr/bin/env bash
# Says what is stale of what update-codegen.sh generates: it generates into a copy and compares. The checkout is not touched.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

copy=_output/verify
rm -rf "${copy}"
mkdir -p "${copy}/pkg"
trap 'rm -rf "${copy}"' EXIT
cp -R go.mod go.sum hack manifests "${copy}"
cp -R pkg/apis pkg/client "${copy}/pkg"
if [[ -d vendor ]]; then
	cp -Rl vendor "${copy}" # hard links: generators read it, none writes it
fi
"${copy}/hack/update-codegen.sh"

stale=0
for generated in pkg/apis pkg/client manifests; do
	diff --unified --recursive --new-file "${generated}" "${copy}/${generated}" || stale=1
done
if ((stale)); then
	echo "Generated files are stale (differences above): run 'make update' and commit what it changes." >&2
	exit 1
fi
echo "Everything generated is up to date."
