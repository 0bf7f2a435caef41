//go:build containers_image_openpgp

package mirrors

import (
	"fmt"

	"go.podman.io/image/v5/signature"

	configv1 "github.com/openshift/api/config/v1"
)

// Policy returns the policy that the machine-config operator writes for CRI-O on the nodes, for Pods in one namespace: the policies of the
// cluster, and those of the namespace whose scopes are in no scope of the cluster's.
func Policy(cluster []*configv1.ClusterImagePolicy, ofNamespace []*configv1.ImagePolicy) (*signature.Policy, error) {
	scopes := signature.PolicyTransportScopes{}
	for _, each := range cluster {
		requirement, err := requirementOf(each.Spec.Policy)
		if err != nil {
			return nil, fmt.Errorf("ClusterImagePolicy %q: %w", each.Name, err)
		}
		for _, scope := range each.Spec.Scopes {
			scopes[string(scope)] = append(scopes[string(scope)], requirement)
		}
	}
	namespaced := signature.PolicyTransportScopes{}
	for _, each := range ofNamespace {
		requirement, err := requirementOf(each.Spec.Policy)
		if err != nil {
			return nil, fmt.Errorf("ImagePolicy %q: %w", each.Name, err)
		}
		for _, scope := range each.Spec.Scopes {
			isTaken := false
			for of := range scopes {
				isTaken = isTaken || isNested(string(scope), of)
			}
			if !isTaken {
				namespaced[string(scope)] = append(namespaced[string(scope)], requirement)
			}
		}
	}
	for scope, requirements := range namespaced {
		scopes[scope] = requirements
	}
	return &signature.Policy{
		Default:    signature.PolicyRequirements{signature.NewPRInsecureAcceptAnything()},
		Transports: map[string]signature.PolicyTransportScopes{"docker": scopes},
	}, nil
}

func requirementOf(policy configv1.ImageSigstoreVerificationPolicy) (signature.PolicyRequirement, error) {
	var options []signature.PRSigstoreSignedOption
	switch root := policy.RootOfTrust; root.PolicyType {
	case configv1.PublicKeyRootOfTrust:
		options = append(options, signature.PRSigstoreSignedWithKeyData(root.PublicKey.KeyData))
		if len(root.PublicKey.RekorKeyData) > 0 {
			options = append(options, signature.PRSigstoreSignedWithRekorPublicKeyData(root.PublicKey.RekorKeyData))
		}
	case configv1.FulcioCAWithRekorRootOfTrust:
		of := root.FulcioCAWithRekor
		fulcio, err := signature.NewPRSigstoreSignedFulcio(
			signature.PRSigstoreSignedFulcioWithCAData(of.FulcioCAData),
			signature.PRSigstoreSignedFulcioWithOIDCIssuer(of.FulcioSubject.OIDCIssuer),
			signature.PRSigstoreSignedFulcioWithSubjectEmail(of.FulcioSubject.SignedEmail),
		)
		if err != nil {
			return nil, err
		}
		options = append(options, signature.PRSigstoreSignedWithFulcio(fulcio), signature.PRSigstoreSignedWithRekorPublicKeyData(of.RekorKeyData))
	case configv1.PKIRootOfTrust:
		of := root.PKI
		chosen := []signature.PRSigstoreSignedPKIOption{signature.PRSigstoreSignedPKIWithCARootsData(of.CertificateAuthorityRootsData)}
		if of.PKICertificateSubject.Email != "" {
			chosen = append(chosen, signature.PRSigstoreSignedPKIWithSubjectEmail(of.PKICertificateSubject.Email))
		}
		pki, err := signature.NewPRSigstoreSignedPKI(chosen...)
		if err != nil {
			return nil, err
		}
		options = append(options, signature.PRSigstoreSignedWithPKI(pki))
	}
	identity, err := identityOf(policy.SignedIdentity)
	if err != nil {
		return nil, err
	}
	return signature.NewPRSigstoreSigned(append(options, signature.PRSigstoreSignedWithSignedIdentity(identity))...)
}

func identityOf(signed *configv1.PolicyIdentity) (signature.PolicyReferenceMatch, error) {
	if signed == nil {
		return signature.NewPRMMatchRepoDigestOrExact(), nil
	}
	switch signed.MatchPolicy {
	case configv1.IdentityMatchPolicyMatchRepository:
		return signature.NewPRMMatchRepository(), nil
	case configv1.IdentityMatchPolicyExactRepository:
		return signature.NewPRMExactRepository(string(signed.PolicyMatchExactRepository.Repository))
	case configv1.IdentityMatchPolicyRemapIdentity:
		return signature.NewPRMRemapIdentity(string(signed.PolicyMatchRemapIdentity.Prefix), string(signed.PolicyMatchRemapIdentity.SignedPrefix))
	}
	return signature.NewPRMMatchRepoDigestOrExact(), nil
}
