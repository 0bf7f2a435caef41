package registryv1

import (
	"fmt"
	"slices"

	"github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/openshift/platform-operators/pkg/bundle"
)

// validateConversionOwned checks that conversion webhooks are for CRDs that the bundle owns and that do not preserve unknown fields, which
// would prevent the conversion.
func validateConversionOwned(b *Bundle) []string {
	owns := func(name string) bool {
		return slices.ContainsFunc(b.csv.Spec.CustomResourceDefinitions.Owned, func(d v1alpha1.CRDDescription) bool { return d.Name == name })
	}
	var findings []string
	converted := conversionWebhooks(b)
	for crd, w := range converted {
		if !owns(crd) {
			findings = append(findings, fmt.Sprintf("%s: conversion webhook %q converts CustomResourceDefinition %q, which the bundle does not own; remove it from conversionCRDs", b.csvFile, w.GenerateName, crd))
		}
	}
	for _, o := range b.objects {
		if !bundle.IsCRD(o) || converted[o.GetName()] == nil {
			continue
		}
		if unknown, _, _ := unstructured.NestedBool(o.Object, "spec", "preserveUnknownFields"); unknown {
			findings = append(findings, fmt.Sprintf("%s: spec.preserveUnknownFields must be false for objects to be converted by a webhook", o))
		}
	}
	return findings
}
