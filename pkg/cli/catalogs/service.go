package catalogs

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
)

// service is a Service in the cluster, as named in an address.
type service struct {
	namespace, name, port string
	// path is the path of the URL that names the Service; empty for an address without a path.
	path string
}

// serviceOf returns the Service that an https URL or an address (host:port) names; nil if the host is not a Service.
func serviceOf(address string) (*service, error) {
	if !strings.Contains(address, "://") {
		address = "grpc://" + address
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Hostname() == "" {
		return nil, fmt.Errorf("its status has the address %q, which is not valid", address)
	}
	host := strings.TrimSuffix(strings.TrimSuffix(parsed.Hostname(), "."), ".cluster.local")
	labels := strings.Split(host, ".")
	if len(labels) != 3 || labels[2] != "svc" {
		return nil, nil
	}
	return &service{namespace: labels[1], name: labels[0], port: cmp.Or(parsed.Port(), "443"), path: parsed.Path}, nil
}
