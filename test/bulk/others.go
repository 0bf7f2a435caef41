package bulk

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

const (
	// othersAtOnce is the maximum number of concurrent requests. othersPerNamespace is the number of ConfigMaps in a namespace.
	othersAtOnce       = 16
	othersPerNamespace = 1000
)

// CreateOthers creates ConfigMaps that the manager does not manage, one for each number n with from <= n < to. ConfigMap n is in namespace
// others-<n/1000>. The namespace is created together with its first ConfigMap, so from must be 0 or the argument to of the previous call.
func CreateOthers(ctx context.Context, config *rest.Config, from, to int) error {
	config = rest.CopyConfig(config)
	config.ContentType = "application/vnd.kubernetes.protobuf"
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	data := map[string]string{"text": strings.Repeat("of somebody else ", 12)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(othersAtOnce)
	for i := from; i < to; i++ {
		namespace := fmt.Sprintf("others-%d", i/othersPerNamespace)
		if i%othersPerNamespace == 0 {
			object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
			if _, err := client.CoreV1().Namespaces().Create(ctx, object, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("creating objects of others: %w", err)
			}
		}
		group.Go(func() error {
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("other-%d", i), Labels: map[string]string{"app": "other"}}, Data: data}
			_, err := client.CoreV1().ConfigMaps(namespace).Create(ctx, object, metav1.CreateOptions{})
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("creating objects of others: %w", err)
	}
	return nil
}
