package docs

// externalWords are the words in back quotes that neither the code nor manifests/ have, with their meaning. The test fails if a word is on
// no page.
var externalWords = map[string]string{
	"registrySources": "a field of Image cluster", "additionalTrustedCA": "a field of Image cluster", "NeverContactSource": "a value of mirrorSourcePolicy",
	// Kubernetes'.
	"/healthz":                       "a path of every server of k8s.io/apiserver",
	"kubernetes.io/dockerconfigjson": "a type of Secret",
	"HTTPS_PROXY":                    "an environment variable that the Go library reads",
	"scale":                          "a subresource",
	"spec.conversion":                "a field of CustomResourceDefinitions",
	"spec.ttlSecondsAfterFinished":   "a field of Jobs",
	"impersonatedUser":               "a field of audit events",
	"admin":                          "a ClusterRole",
	"kube-system/extension-apiserver-authentication":            "a ConfigMap of the API server's",
	"system:serviceaccount:openshift-monitoring:prometheus-k8s": "a user of OpenShift's monitoring",
	`"group":"apps"`: "text of an audit log",

	// The examples of docs/approval.md.
	"approvers": "a group", "tenants": "a group and a class", "tenant-a": "a namespace", "ada": "a user",

	// The examples of docs/disconnected.md.
	"mirror.example.com:5000": "a mirror registry", "registry.example.com/team": "a repository",
	"registry.redhat.io/redhat/redhat-operator-index:v4.22": "a catalog",
	"base64 -w0 cosign.pub":                                 "a command of coreutils", "printf %s 'USER:PASSWORD' | base64 -w0": "a command of coreutils",
	"oc mirror": "a command of oc-mirror", "mirrored/working-dir/cluster-resources": "a folder of oc-mirror", "imageset.yaml": "a file of oc-mirror", "mirrored": "a folder of oc-mirror",
	"cosign sign --recursive": "a command of cosign", "cosign sign --key cosign.key --recursive --new-bundle-format=false IMAGE": "a command of cosign",
	"--new-bundle-format=false": "an option of cosign", "RemapIdentity": "a value of matchPolicy",
	"disableAllDefaultSources": "a field of OperatorHub",

	// OpenShift's.
	"apiserver.config.openshift.io/cluster": "an object of OpenShift's configuration",
	"spec.tlsAdherence":                     "a field of that object",
	"status.desired.version":                "a field of ClusterVersion",
	"install-config.yaml":                   "the installer's file",
	"openshift-cluster-version":             "the namespace of the cluster-version operator",
	"self-managed-high-availability":        "a cluster profile",
	"ibm-cloud-managed":                     "a cluster profile",
	"single-node-developer":                 "a cluster profile",
	"NoData":                                "a reason that library-go puts together",
	"All is well":                           "a message of library-go's",
	"alerts/platform-operators":             "a folder of github.com/openshift/runbooks",

	// OpenShift Manager's, and of library-go.
	"input-resources":          "a command that OpenShift Manager defines",
	"output-resources":         "a command that OpenShift Manager defines",
	"apply-configuration":      "a command that OpenShift Manager defines",
	"apply-configuration-live": "a command that OpenShift Manager plans",
	"manifestclient":           "a package of library-go",
	"factory.NewSyncContext":   "a function of library-go",
	"WithSyncDegradedOnError":  "a method of library-go",
	"ApplyOperatorStatus":      "a method of library-go",
	// HyperShift's, and of its Pods.
	"spec.imageContentSources": "a field of HostedCluster", "spec.pullSecret": "a field of HostedCluster",
	"spec.additionalTrustBundle": "a field of HostedCluster", "spec.configuration.image": "a field of HostedCluster",
	"user-ca-bundle":                "a ConfigMap in the management cluster",
	"External":                      "a topology of a control plane",
	"availability-prober":           "a container",
	"konnectivity-proxy-socks5":     "a container",
	"platform-operators-metrics":    "a Service in the management cluster",
	"clusters-guest":                "a namespace in the management cluster",
	"Init:0/1":                      "a state of a Pod, as kubectl prints it",
	"unable to get owner reference": "a warning of library-go's",

	// OLM's, and of bundles.
	"metadata/annotations.yaml": "a file of a bundle",
	"metadata/properties.yaml":  "a file of a bundle",
	"spec.priority":             "a field of CatalogSource and ClusterCatalog",
	"spec.availabilityMode":     "a field of ClusterCatalog",
	"helm.sh/release.v1":        "a type of Secret of Helm's",

	// rukpak's, and the TechPreview API's.
	"rukpak-system":             "rukpak's namespace",
	"core-rukpak-io-helm":       "a class of rukpak",
	"spec.template":             "a field of core.rukpak.io/v1alpha1",
	"spec.template.spec.source": "a field of core.rukpak.io/v1alpha1",
	"git":                       "a source of rukpak",
	"configMaps":                "a source of rukpak",
	"upload":                    "a source of rukpak",
	"crdvalidator":              "a webhook of rukpak",
	"ErrorGettingClient":        "a reason of rukpak",
	"ErrorGettingReleaseState":  "a reason of rukpak",
	"CreateDynamicWatchFailed":  "a reason of rukpak",
	"PlatformOperatorError":     "a reason of the TechPreview API",
	"redhat-operators":          "the catalog of the TechPreview API",

	// Real packages.
	"infinispan": "a package", "koku-metrics-operator": "a package", "kube-green": "a package", "nfs-provisioner-operator": "a package",
	"project-quay": "a package", "sailoperator": "a package",

	// Examples and placeholders.
	"<package>-system":                         "how a namespace's name is made",
	"<package>/<version>/{manifests,metadata}": "folders of bundles, as the demo reads them",
	"/configs":                       "the folder of a catalog's image",
	"<package>.v<version>":           "how a bundle's name is made",
	"<pod name>_<pod UID>_<process>": "how a holder of the lease is named",
	"Kind/name":                      "how stories name objects",
	"Kind/namespace/name":            "how stories name objects",
	"from: memo-is-installed.yaml":   "an example of a story",
	"deployments.apps/status":        "an example of a subresource",
	"CatalogSource/openshift-marketplace/redhat-operators": "an example of a catalog",
	"ClusterCatalog/openshift-redhat-operators":            "an example of a catalog",
	"update deployments.apps/status":                       "an example of a request",
	"metrics-reader":                                       "a ServiceAccount that the page creates",
	`nonResourceURLs: ["/metrics"]`:                        "a rule that the page creates",
	"example":                                              "a namespace",
	"kube-*":                                               "a pattern of namespaces",
	"[a-f]":                                                "a pattern",
	"[^a-f]":                                               "a pattern",
	"::":                                                   "what library-go puts between reasons",
	"${ }":                                                 "a syntax that has no meaning here",
	"{{ }}":                                                "a syntax that has no meaning here",
	"{version: 4.22.0, refused: true}":                     "an example of a verb's value",
	"{target: {group, kind, namespace, name}, jsonPointers: [/spec/replicas]}": "the form of spec.drift.ignore's entries",

	"code": "a label of client-go's metrics",

	// Of Go's cryptography.
	"GODEBUG=fips140=on":   "a setting of the Go runtime",
	"GODEBUG=fips140=only": "a setting of the Go runtime",
	"fips140=only":         "a setting of the Go runtime",
	"GOFIPS140=v1.0.0":     "a setting of the go command",
	"CGO_ENABLED":          "a setting of the go command",
	"CGO_ENABLED=1":        "a setting of the go command",
	"X25519":               "a key exchange",
	"fips: true":           "a setting of the installer",
	"resourceapply":        "a package of library-go",
	"pkg/crypto":           "a package of library-go",

	// Go's, the shell's and the tests'.
	"t.Attr":         "a method of testing.T",
	"synctest.Test":  "a function of the Go library",
	"Expect":         "a function of Gomega's",
	"Eventually":     "a function of Gomega's",
	"Consistently":   "a function of Gomega's",
	"Real":           "a part of tests' names",
	"_test.go":       "how names of files end",
	"../shared/data": "a folder beside the checkout",
	"/usr/bin/platform-operators-tests-ext.gz": "a file of the image; the Dockerfile has it",
	"date -u -d '+14 days' +%FT%TZ":            "a command",
	"kill -HUP <the demo's process>":           "a command",
	"ps -o args= -p <the manager's process>":   "a command",
}
