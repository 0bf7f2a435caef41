package registryv1

import "fmt"

// validateWebhookPorts refuses webhooks of one deployment that map one port of its Service to different target ports.
func validateWebhookPorts(b *Bundle) []string {
	var findings []string
	for _, s := range webhookServers(b, "") {
		for i := 1; i < len(s.ports); i++ {
			if p, q := s.ports[i-1], s.ports[i]; p.number == q.number {
				findings = append(findings, fmt.Sprintf("%s: webhooks of deployment %q have port %d with target ports %v and %v; give each its own containerPort",
					b.csvFile, s.deployment.Name, p.number, p.target, q.target))
			}
		}
	}
	return findings
}
