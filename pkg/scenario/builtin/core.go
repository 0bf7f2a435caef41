package builtin

import (
	"hash/fnv"
	"net/netip"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// beginPod sets the phase of a new Pod to Pending and, if the Pod has scheduling gates, its condition PodScheduled to False.
func beginPod(object runtime.Object) {
	pod := object.(*corev1.Pod)
	pod.Status.Phase = corev1.PodPending
	if len(pod.Spec.SchedulingGates) > 0 {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated, Message: "Scheduling is blocked due to non-empty scheduling gates",
		})
	}
}

// podGracePeriod returns the grace period of a Pod in seconds. It is 0 for a Pod that is not bound to a node or has ended. For other Pods,
// it is requested, or the period in the Pod's spec if requested is nil. A negative period becomes 1.
func podGracePeriod(object runtime.Object, requested *int64) int64 {
	pod := object.(*corev1.Pod)
	var period int64
	switch {
	case pod.Spec.NodeName == "" || pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
	case requested != nil:
		period = *requested
	case pod.Spec.TerminationGracePeriodSeconds != nil:
		period = *pod.Spec.TerminationGracePeriodSeconds
	}
	if period < 0 {
		return 1
	}
	return period
}

func podFields(object runtime.Object) map[string]string {
	pod := object.(*corev1.Pod)
	return map[string]string{
		"spec.nodeName": pod.Spec.NodeName, "spec.restartPolicy": string(pod.Spec.RestartPolicy), "spec.schedulerName": pod.Spec.SchedulerName,
		"spec.serviceAccountName": pod.Spec.ServiceAccountName, "status.phase": string(pod.Status.Phase),
		"status.podIP": pod.Status.PodIP, "status.nominatedNodeName": pod.Status.NominatedNodeName,
	}
}

func secretFields(object runtime.Object) map[string]string {
	return map[string]string{"type": string(object.(*corev1.Secret).Type)}
}

func eventFields(object runtime.Object) map[string]string {
	event := object.(*corev1.Event)
	source := event.Source.Component
	if source == "" {
		source = event.ReportingController
	}
	about := event.InvolvedObject
	return map[string]string{
		"involvedObject.kind": about.Kind, "involvedObject.namespace": about.Namespace, "involvedObject.name": about.Name,
		"involvedObject.uid": string(about.UID), "involvedObject.apiVersion": about.APIVersion, "involvedObject.resourceVersion": about.ResourceVersion,
		"involvedObject.fieldPath": about.FieldPath, "reason": event.Reason, "reportingComponent": source, "source": source, "type": event.Type,
	}
}

// serviceNetwork is the base address of the service network, as in OpenShift.
var serviceNetwork = netip.MustParseAddr("172.30.0.0")

// setClusterIP sets the cluster IP of a Service that has none to an address derived from a hash of the Service's name. All runs of a test
// then have the same addresses. Two Services may have the same address; this does no harm, because no packet is sent to it. setClusterIP
// also sets the IP families. It does nothing for type ExternalName.
func setClusterIP(object runtime.Object) {
	service := object.(*corev1.Service)
	if service.Spec.Type == corev1.ServiceTypeExternalName {
		return
	}
	if service.Spec.ClusterIP == "" {
		hash := fnv.New32a()
		_, _ = hash.Write([]byte(service.Namespace + "/" + service.Name)) // never fails
		address := serviceNetwork.As4()
		address[2], address[3] = byte(hash.Sum32()>>8), byte(hash.Sum32())
		service.Spec.ClusterIP = netip.AddrFrom4(address).String()
	}
	service.Spec.ClusterIPs = []string{service.Spec.ClusterIP}
	families, policy := []corev1.IPFamily{corev1.IPv4Protocol}, corev1.IPFamilyPolicySingleStack
	if service.Spec.ClusterIP == corev1.ClusterIPNone && len(service.Spec.Selector) == 0 {
		// The user provides the endpoints of a headless Service without a selector. They may have any address family.
		families, policy = append(families, corev1.IPv6Protocol), corev1.IPFamilyPolicyRequireDualStack
	}
	if len(service.Spec.IPFamilies) == 0 {
		service.Spec.IPFamilies = families
	}
	if service.Spec.IPFamilyPolicy == nil {
		service.Spec.IPFamilyPolicy = &policy
	}
}

// keepClusterIP copies the cluster IP of the old Service into an update that has none, and then calls setClusterIP.
func keepClusterIP(object, old runtime.Object) {
	service, oldService := object.(*corev1.Service), old.(*corev1.Service)
	if service.Spec.ClusterIP == "" && oldService.Spec.Type != corev1.ServiceTypeExternalName {
		service.Spec.ClusterIP = oldService.Spec.ClusterIP
	}
	setClusterIP(object)
}

// templateGeneration is the annotation with the generation of a DaemonSet's Pod template. The generation increases with each change to the
// template.
const templateGeneration = appsv1.DeprecatedTemplateGeneration

func beginDaemonSet(object runtime.Object) {
	metav1.SetMetaDataAnnotation(metadata(object), templateGeneration, "1")
}

func countTemplates(object, old runtime.Object) {
	daemonSet, oldDaemonSet := object.(*appsv1.DaemonSet), old.(*appsv1.DaemonSet)
	count, err := strconv.Atoi(oldDaemonSet.Annotations[templateGeneration])
	if err != nil {
		count = 1
	}
	if !apiequality.Semantic.DeepEqual(daemonSet.Spec.Template, oldDaemonSet.Spec.Template) {
		count++
	}
	metav1.SetMetaDataAnnotation(&daemonSet.ObjectMeta, templateGeneration, strconv.Itoa(count))
}
