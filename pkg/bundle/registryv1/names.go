package registryv1

import (
	"crypto/sha256"
	"math/big"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
)

// maxNameLength is the maximum length of label values, DNS labels and names that other names are derived from.
const maxNameLength = 63

// hashedName returns a name of at most limit characters: the readable text, truncated if necessary, and a hash of parts that makes the name
// unique. Generated names never contain a version. Otherwise an upgrade would delete and recreate the renamed object, and the running
// version would lose a permission, a certificate or its webhook in between. OLM v0 and rukpak include the version in the names of roles.
func hashedName(limit int, readable string, parts ...string) string {
	// None of the parts contains the separator, because they are names.
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	hash := new(big.Int).SetBytes(sum[:8]).Text(36)
	if limit -= 1 + len(hash); len(readable) > limit {
		readable = readable[:limit]
	}
	return strings.TrimRight(readable, "-.") + "-" + hash
}

// roleName returns the name of the role and the binding of one ServiceAccount of one installed package.
func roleName(pkg, namespace, account string) string {
	return hashedName(maxNameLength, pkg+"-"+account, pkg, namespace, account)
}

// customResourceRoleName returns the name of the ClusterRole with which the manager writes the objects of one custom resource of one
// installed package.
func customResourceRoleName(pkg, namespace, group, resource string) string {
	return hashedName(maxNameLength, pkg+"-"+resource, pkg, namespace, group, resource)
}

// webhookConfigurationName returns the name of the configuration of one webhook of one installed package. It is deterministic. OLM v0 lets
// the API server append random characters to the author's name, so operators do not rely on the name.
func webhookConfigurationName(pkg, namespace, webhook string) string {
	return hashedName(maxNameLength, webhook, pkg, namespace, webhook)
}

// serverName returns the name of a Service, Secret, Certificate or Issuer for a Deployment's webhooks. It is OLM v0's name if that is valid
// for a Service, and otherwise a name with a hash. The name of a Service begins with a letter and has no dots.
func serverName(deployment, suffix string) string {
	plain := deployment + suffix
	if len(plain) <= maxNameLength && len(utilvalidation.IsDNS1035Label(plain)) == 0 {
		return plain
	}
	readable := strings.ReplaceAll(deployment, ".", "-")
	if readable == "" || readable[0] < 'a' || readable[0] > 'z' {
		readable = "operator-" + readable
	}
	return hashedName(maxNameLength-len(suffix), readable, deployment) + suffix
}
