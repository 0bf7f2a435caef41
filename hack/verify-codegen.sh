#!/usr/bin/env bash
# Checks the files that update-codegen.sh generates: it generates them in a copy of the checkout and compares.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

copy=_output/verify
rm -rf "${copy}"
mkdir -p "${copy}/pkg"
trap 'rm -rf "${copy}"' EXIT
cp -R go.mod go.sum bindata hack manifests "${copy}"
cp -R pkg/apis pkg/client "${copy}/pkg"
if [[ -d vendor ]]; then
	cp -Rl vendor "${copy}" # hard links: generators read it, none writes it
fi
"${copy}/hack/update-codegen.sh"

stale=0
for generated in pkg/apis pkg/client manifests bindata; do
	diff --unified --recursive --new-file "${generated}" "${copy}/${generated}" || stale=1
done
if ((stale)); then
	echo "Generated files are stale (see the differences above); run 'make update' and commit the changes." >&2
	exit 1
fi
echo "All generated files are up to date."
