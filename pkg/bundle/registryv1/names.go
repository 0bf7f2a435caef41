package registryv1

import (
	"crypto/sha256"
	"math/big"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
)

// maxNameLength keeps names usable as label values and in derived names.
const maxNameLength = 63

// hashed makes a name of at most limit characters, of a readable part and a hash that tells apart what the readable part, cut to
// length, may not. No name that is made here holds a version: what an upgrade renames is deleted and made again, and the running
// version loses a right, a certificate or its webhook in between. OLM v0 and rukpak have the version in the names of roles.
func hashed(limit int, readable string, parts ...string) string {
	// The separator is in none of the parts, which are names.
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	hash := new(big.Int).SetBytes(sum[:8]).Text(36)
	if limit -= 1 + len(hash); len(readable) > limit {
		readable = readable[:limit]
	}
	return strings.TrimRight(readable, "-.") + "-" + hash
}

// roleName names the role of one account of one installed package.
func roleName(pkg, namespace, account string) string {
	return hashed(maxNameLength, pkg+"-"+account, pkg, namespace, account)
}

// webhookConfigurationName names the configuration of one webhook of one installed package. OLM v0 lets the API server add
// random characters to the author's name, so that no operator relies on it; ours are the same each time.
func webhookConfigurationName(pkg, namespace, webhook string) string {
	return hashed(maxNameLength, webhook, pkg, namespace, webhook)
}

// serverName names something that a Deployment's webhooks are served with: as OLM v0 does where that is a name for a Service
// and fits, else with a hash. A Service's name begins with a letter and has no dots.
func serverName(deployment, suffix string) string {
	plain := deployment + suffix
	if len(plain) <= maxNameLength && len(utilvalidation.IsDNS1035Label(plain)) == 0 {
		return plain
	}
	readable := strings.ReplaceAll(deployment, ".", "-")
	if readable == "" || readable[0] < 'a' || readable[0] > 'z' {
		readable = "operator-" + readable
	}
	return hashed(maxNameLength-len(suffix), readable, deployment) + suffix
}
