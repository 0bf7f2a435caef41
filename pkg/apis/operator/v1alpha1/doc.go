// Package v1alpha1 is the API of the manager's configuration, the PlatformOperatorManager named "cluster". The object has the shape that
// library-go's controllers expect of an operator resource. library-go computes the conditions of ClusterOperator
// platform-operators-aggregated from its status conditions.
//
// +k8s:deepcopy-gen=package
// +k8s:openapi-gen=false
// +groupName=operator.openshift.io
package v1alpha1
