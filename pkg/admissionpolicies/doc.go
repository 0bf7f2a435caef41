// Package admissionpolicies checks that the ValidatingAdmissionPolicies of the release payload that decide who may deploy and approve are in
// force. Without them, everybody who may edit a BundleDeployment could approve its plan. The package does not create the policies, and knows
// nothing of what they say. The bundledeployment controller calls it before it counts an approval.
package admissionpolicies
