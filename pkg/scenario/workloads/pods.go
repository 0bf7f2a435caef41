package workloads

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
)

// podSet is an object that owns Pods of one template, such as a ReplicaSet. replicas is the desired number of Pods; it is 0 for a Job.
type podSet struct {
	metav1.Object
	kind     schema.GroupVersionKind
	template corev1.PodTemplateSpec
	replicas int
}

// counts are the numbers of all Pods of a set and of its ready Pods. Terminating Pods are not counted.
type counts struct{ all, ready int32 }

// syncPods creates and deletes Pods until the set has the desired number of Pods of its current template, and counts the Pods.
func (r *Runner) syncPods(ctx context.Context, set podSet) (counts, error) {
	hash, err := templateHash(set.template)
	if err != nil {
		return counts{}, err
	}
	pods, names, err := r.podsOf(set)
	if err != nil {
		return counts{}, err
	}
	var found counts
	for i, pod := range pods {
		if i >= set.replicas || pod.Annotations[templateAnnotation] != hash {
			if err := r.controller.CoreV1().Pods(pod.Namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}}); err != nil && !apierrors.IsNotFound(err) {
				return counts{}, fmt.Errorf("deleting Pod %q: %w", pod.Name, err)
			}
			continue
		}
		found.all++
		if isReady(pod) {
			found.ready++
		}
	}
	if missing := set.replicas - int(found.all); missing > 0 {
		if err := r.startPods(ctx, set, names, missing); err != nil {
			return counts{}, err
		}
		found.all += int32(missing)
	}
	return found, nil
}

// startPods creates the missing Pods of a set. It skips the names of all Pods in names, which come from the cache. If the API server has a
// Pod that is not in the cache, but has the chosen name, the Pod counts as one of the missing Pods if the set owns it. Otherwise startPods
// tries the next name.
func (r *Runner) startPods(ctx context.Context, set podSet, names map[string]bool, missing int) error {
	hash, err := templateHash(set.template)
	if err != nil {
		return err
	}
	for number := 0; missing > 0; number++ {
		name := fmt.Sprintf("%s-%d", set.GetName(), number)
		if names[name] {
			continue
		}
		isOwn, err := r.createPod(ctx, set, name, hash)
		if err != nil {
			return err
		}
		if isOwn {
			missing--
		}
	}
	return nil
}

// podsOf returns the Pods of a set that are not terminating, sorted by name, and the names of all Pods in the namespace.
func (r *Runner) podsOf(set podSet) (live []*corev1.Pod, names map[string]bool, err error) {
	all, err := r.pods.Pods(set.GetNamespace()).List(labels.Everything())
	if err != nil {
		return nil, nil, fmt.Errorf("listing Pods: %w", err)
	}
	names = map[string]bool{}
	for _, pod := range all {
		names[pod.Name] = true
		if metav1.IsControlledBy(pod, set) && pod.DeletionTimestamp == nil {
			live = append(live, pod)
		}
	}
	slices.SortFunc(live, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	return live, names, nil
}

// templateAnnotation is the annotation of a Pod that holds the hash of the Pod's template.
const templateAnnotation = "scenario.example.com/template"

func (s podSet) pod(name, hash string) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: *s.template.ObjectMeta.DeepCopy(), Spec: *s.template.Spec.DeepCopy()}
	pod.Name, pod.Namespace = name, s.GetNamespace()
	if pod.Annotations == nil {
		pod.Annotations = map[string]string{}
	}
	pod.Annotations[templateAnnotation] = hash
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(s, s.kind)}
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = "default"
	}
	pod.Spec.TerminationGracePeriodSeconds = ptr.To(ptr.Deref(pod.Spec.TerminationGracePeriodSeconds, 30))
	return pod
}

// templateHash returns a hash of a Pod template, in hexadecimal digits.
func templateHash(template corev1.PodTemplateSpec) (string, error) {
	content, err := json.Marshal(template)
	if err != nil {
		return "", fmt.Errorf("hashing a Pod template: %w", err)
	}
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:5]), nil
}
