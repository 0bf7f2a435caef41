// Package v1alpha1 holds the manager's own configuration, the PlatformOperatorManager named "cluster", in the shape that
// library-go's operator controllers expect of an operator resource. Its status conditions are what the ClusterOperator
// platform-operators-aggregated is made of.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=false
// +groupName=operator.openshift.io
package v1alpha1
