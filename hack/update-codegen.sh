#!/usr/bin/env bash
# Generates all files that depend on the API types: deepcopy, clientset, informers, listers, apply configurations, and the CRDs
# in manifests/. `make verify` generates them in a copy and compares.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

module=github.com/openshift/platform-operators
types=(platform/v1alpha1 core/v1alpha2 operator/v1alpha1)
packages=("${types[@]/#/${module}/pkg/apis/}")
header=hack/boilerplate.go.txt
client=pkg/client

# go run and not go tool, which does not know -trimpath: it would compile the generators again in each checkout.
export GOFLAGS="${GOFLAGS:-} -trimpath -buildvcs=false"

echo "deepcopy"
go run k8s.io/code-generator/cmd/deepcopy-gen --go-header-file "$header" --output-file zz_generated.deepcopy.go "${packages[@]}"

rm -rf "${client}"
echo "apply configurations"
go run k8s.io/code-generator/cmd/applyconfiguration-gen --go-header-file "$header" \
	--output-dir "${client}/applyconfiguration" --output-pkg "${module}/${client}/applyconfiguration" \
	--external-applyconfigurations github.com/openshift/api/operator/v1.OperatorSpec:github.com/openshift/client-go/operator/applyconfigurations/operator/v1,github.com/openshift/api/operator/v1.OperatorStatus:github.com/openshift/client-go/operator/applyconfigurations/operator/v1,github.com/openshift/api/operator/v1.OperatorCondition:github.com/openshift/client-go/operator/applyconfigurations/operator/v1,github.com/openshift/api/operator/v1.GenerationStatus:github.com/openshift/client-go/operator/applyconfigurations/operator/v1 \
	"${packages[@]}"

echo "clientset"
inputs=("${types[@]/#/pkg/apis/}")
go run k8s.io/code-generator/cmd/client-gen --go-header-file "$header" --clientset-name versioned --input-base "${module}" \
	$(printf -- '--input %s ' "${inputs[@]}") \
	--apply-configuration-package "${module}/${client}/applyconfiguration" \
	--output-dir "${client}/clientset" --output-pkg "${module}/${client}/clientset"

echo "listers"
go run k8s.io/code-generator/cmd/lister-gen --go-header-file "$header" \
	--output-dir "${client}/listers" --output-pkg "${module}/${client}/listers" "${packages[@]}"

echo "informers"
go run k8s.io/code-generator/cmd/informer-gen --go-header-file "$header" \
	--versioned-clientset-package "${module}/${client}/clientset/versioned" --listers-package "${module}/${client}/listers" \
	--output-dir "${client}/informers" --output-pkg "${module}/${client}/informers" "${packages[@]}"

echo "CRDs"
crds=$(mktemp -d)
trap 'rm -rf "${crds}"' EXIT
go run sigs.k8s.io/controller-tools/cmd/controller-gen crd paths=./pkg/apis/... output:crd:dir="${crds}"
go run ./hack/crds -from "${crds}" -to manifests
mkdir -p bindata/crds
cp manifests/*.crd.yaml bindata/crds

echo "admission policies"
mkdir -p bindata/policies
cp manifests/*-{bundledeployments,platformoperators}-validatingadmissionpolicy.yaml bindata/policies
