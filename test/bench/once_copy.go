package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/openshift/platform-operators/pkg/mustgather"
	"github.com/openshift/platform-operators/pkg/store"
)

// uid matches a uid. Each copy has another last digit.
var uid = regexp.MustCompile(`([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{11})[0-9a-f]`)

// copyOperators writes an input with onceCopies copies of each operator in the input directory from.
func copyOperators(ctx context.Context, from, to, kubernetesVersion string) error {
	input, err := mustgather.Read(os.DirFS(from), nil)
	if err != nil {
		return err
	}
	var all []mustgather.Object
	for _, each := range input.Objects {
		if !isOfOperator(each) {
			all = append(all, each)
		}
	}
	for i := range onceCopies {
		copied, err := copyOf(ctx, input.Objects, i)
		if err != nil {
			return err
		}
		all = append(all, copied...)
	}
	if err := settleCopies(ctx, all, kubernetesVersion); err != nil {
		return err
	}
	return mustgather.Write(to, all, input.NotCollected)
}

// isOfOperator reports whether an object belongs to one operator.
func isOfOperator(object mustgather.Object) bool {
	return strings.Contains(object.GetName(), oncePrefix) || strings.HasPrefix(object.GetNamespace(), oncePrefix)
}

// copyOf returns copies of the objects of all operators, under other names.
func copyOf(ctx context.Context, objects []mustgather.Object, number int) ([]mustgather.Object, error) {
	rename := strings.NewReplacer(oncePrefix, fmt.Sprintf("once%d-", number))
	secrets, others, err := splitRevisions(objects)
	if err != nil {
		return nil, err
	}
	owners, digests := map[store.Owner]bool{}, []string{}
	for _, each := range secrets {
		owners[store.Owner{Name: each.OwnerReferences[0].Name, UID: each.OwnerReferences[0].UID}] = true
	}
	var all []mustgather.Object
	for owner := range owners {
		revisions, damaged := store.Decode(secrets, owner)
		if len(damaged) > 0 {
			return nil, damaged[0]
		}
		stored, changed, err := copyRevisions(ctx, owner, revisions, rename, number)
		if err != nil {
			return nil, err
		}
		all, digests = append(all, stored...), append(digests, changed...)
	}
	digest := strings.NewReplacer(digests...)
	for _, each := range others {
		content, err := json.Marshal(each.Object)
		if err != nil {
			return nil, err
		}
		changed := &unstructured.Unstructured{}
		text := uid.ReplaceAllString(digest.Replace(rename.Replace(string(content))), fmt.Sprintf("${1}%d", number))
		if err := json.Unmarshal([]byte(text), &changed.Object); err != nil {
			return nil, err
		}
		all = append(all, mustgather.Object{Unstructured: changed, Resource: each.Resource})
	}
	return all, nil
}

// splitRevisions returns the Secrets of stored revisions, and the other objects of operators.
func splitRevisions(objects []mustgather.Object) (secrets []corev1.Secret, others []mustgather.Object, err error) {
	for _, each := range objects {
		if each.GetLabels()[store.LabelDeployment] == "" {
			if isOfOperator(each) {
				others = append(others, each)
			}
			continue
		}
		secret := corev1.Secret{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(each.Object, &secret); err != nil {
			return nil, nil, err
		}
		secrets = append(secrets, secret)
	}
	return secrets, others, nil
}

// copyRevisions returns the Secrets of revisions with renamed objects, and pairs of the old and the new digest.
func copyRevisions(ctx context.Context, owner store.Owner, revisions []*store.Revision, rename *strings.Replacer, number int) (all []mustgather.Object, digests []string, err error) {
	secrets := fake.NewClientset().CoreV1().Secrets("openshift-platform-operators")
	owner.Name, owner.UID = rename.Replace(owner.Name), types.UID(uid.ReplaceAllString(string(owner.UID), fmt.Sprintf("${1}%d", number)))
	for _, each := range revisions {
		content, err := json.Marshal(each.Objects)
		if err != nil {
			return nil, nil, err
		}
		before := each.Digest
		renamed := &store.Revision{Header: each.Header}
		if err := json.Unmarshal([]byte(rename.Replace(string(content))), &renamed.Objects); err != nil {
			return nil, nil, err
		}
		if err := store.NewRevisions(secrets).Save(ctx, owner, renamed); err != nil {
			return nil, nil, err
		}
		digests = append(digests, before, renamed.Digest)
	}
	list, err := secrets.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, nil, err
	}
	for i := range list.Items {
		secret := &list.Items[i]
		secret.UID, secret.ResourceVersion = owner.UID, "1"
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(secret)
		if err != nil {
			return nil, nil, err
		}
		object := &unstructured.Unstructured{Object: content}
		object.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Secret"))
		all = append(all, mustgather.Object{Unstructured: object, Resource: corev1.SchemeGroupVersion.WithResource("secrets")})
	}
	return all, digests, nil
}
