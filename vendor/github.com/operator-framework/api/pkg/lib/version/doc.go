// +k8s:openapi-gen=true
// +k8s:openapi-model-package=com.github.operator-framework.api.pkg.operators.lib.version

// Package version contains the OperatorVersion type.
package version
