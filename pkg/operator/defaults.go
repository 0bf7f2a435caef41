package operator

import (
	"context"
	"fmt"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/klog/v2"

	"github.com/openshift/library-go/pkg/operator/events"

	operatorv1alpha1 "github.com/openshift/platform-operators/pkg/apis/operator/v1alpha1"
	"github.com/openshift/platform-operators/pkg/catalogsource"
	"github.com/openshift/platform-operators/pkg/client/clientset/versioned/scheme"
	"github.com/openshift/platform-operators/pkg/imageconfig"
	"github.com/openshift/platform-operators/pkg/inventory"
	"github.com/openshift/platform-operators/pkg/signatures"
	"github.com/openshift/platform-operators/pkg/source/image"
	"github.com/openshift/platform-operators/pkg/truncate"
)

// maxEventMessage is the maximum size of the message of an Event, in bytes; the API server accepts 1024.
const maxEventMessage = 1000

// withDefaults returns a copy of the Input in which each nil field from Register to NewEvents is set to its production value. Dial stays
// nil, which means TCP, and so does DialCatalogs without a proxy. newBuilder sets Images, because the fetcher needs the kinds of the cluster.
func (input *Input) withDefaults() *Input {
	result := *input
	if result.Register == nil {
		result.Register = legacyregistry.Register
	}
	if result.RegisterCollector == nil {
		result.RegisterCollector = legacyregistry.CustomRegister
	}
	if result.DialCatalogs == nil {
		result.DialCatalogs = result.Dial
	}
	budget := catalogsource.NewBudget() // for both protocols
	if result.ReadGRPC == nil {
		result.ReadGRPC = newGRPCReader(&result, budget)
	}
	if result.ReadHTTP == nil {
		result.ReadHTTP = newHTTPReader(&result, budget)
	}
	if result.NewEvents == nil {
		result.NewEvents = newEvents(&result)
	}
	return &result
}

// GlobalPullSecret returns the name of the cluster's Secret for images whose source names no pull secret.
func GlobalPullSecret() types.NamespacedName {
	return types.NamespacedName{Namespace: "openshift-config", Name: "pull-secret"}
}

// newImages builds the fetcher for images, which reads the pull secrets in the manager's namespace and the cluster's global one. It empties the
// folder for temporary files beside the content directory, where a process that was killed may have left some.
func newImages(input *Input, registries image.RegistryConfiguration) (*image.Fetcher, error) {
	temporary := input.Options.ContentDir + ".tmp"
	if err := os.RemoveAll(temporary); err != nil {
		return nil, fmt.Errorf("emptying the folder for temporary files: %w", err)
	}
	if !signatures.HasEngine {
		klog.Warning("This build cannot verify signatures: it lacks the build tag containers_image_openpgp. Images to which an image policy applies are refused.")
	}
	return image.New(image.Config{
		Dial: input.Dial, Registries: registries, Clock: input.Clock, Temporary: temporary,
		PullSecrets: &image.PullSecrets{Client: input.Kubernetes.CoreV1(), Namespace: input.Namespace, Global: GlobalPullSecret()},
	}), nil
}

// newImageConfig builds the cluster's image configuration. What is invalid in it is an Event about the manager, because other components
// own the status of the objects, if they have one.
func newImageConfig(input *Input, kinds *inventory.Kinds) (*imageconfig.Cluster, error) {
	return imageconfig.New(imageconfig.Config{
		Dynamic: input.Dynamic, Kinds: kinds, ConfigMaps: input.Kubernetes.CoreV1(), TrustedCAFile: input.Options.TrustedCAFile,
		Report: func(problems []string) {
			if len(problems) == 0 {
				input.Recorder.Event(operatorv1alpha1.EventImageConfigValid, "The cluster's image configuration is valid.")
				return
			}
			input.Recorder.Warning(operatorv1alpha1.EventImageConfigInvalid, truncate.OneLine(strings.Join(problems, " "), maxEventMessage))
		},
	})
}

// newEvents returns a function that builds recorders for Events about users' objects. These objects are cluster-scoped, so the API server
// stores the Events in namespace "default". A recorder sends Events in the background, until its context ends.
func newEvents(input *Input) func(ctx context.Context, controller string) record.EventRecorder {
	return func(ctx context.Context, controller string) record.EventRecorder {
		broadcaster := record.NewBroadcaster(record.WithContext(ctx), record.WithCorrelatorOptions(events.RecommendedClusterSingletonCorrelatorOptions()))
		broadcaster.StartRecordingToSink(&corev1client.EventSinkImpl{Interface: input.Kubernetes.CoreV1().Events("")})
		return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "platform-operators-" + controller})
	}
}
