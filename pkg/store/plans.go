package store

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"

	corev1alpha2 "github.com/openshift/platform-operators/pkg/apis/core/v1alpha2"
	"github.com/openshift/platform-operators/pkg/plan"
)

const (
	// PlanKeySecret is the name of the Secret with the key that hashes the values of Secrets in plans, and planKey is the name of its value.
	PlanKeySecret, planKey = "plan-key", "key"
	// planKeyBytes is the length of that key.
	planKeyBytes = 32
	// maxPlanParts is the maximum number of ConfigMaps with the text of a plan. status.plan.configMaps has one more for the missing roles.
	maxPlanParts = 15
	// planFieldManager is the field manager of the ConfigMaps and of the key.
	planFieldManager = "platform-operators-plans"
)

// Plans stores the text of plans in ConfigMaps of the manager's namespace, so that an approver reads what no tenant can change. It is safe
// for concurrent use.
type Plans struct {
	configMaps corev1client.ConfigMapInterface
	secrets    corev1client.SecretInterface
	// random is the source of a new key; nil if none is created.
	random io.Reader

	mu  sync.Mutex
	key []byte
}

// NewPlans returns a Plans for the manager's namespace. random is the source of the key that hashes the values of Secrets. If it is nil, no
// key is created, and plans do not show the values until another process has created it.
func NewPlans(client corev1client.CoreV1Interface, namespace string, random io.Reader) *Plans {
	return &Plans{configMaps: client.ConfigMaps(namespace), secrets: client.Secrets(namespace), random: random}
}

// Save stores the text of a plan for a BundleDeployment, and returns the names of its ConfigMaps in order. It deletes the ConfigMaps that an
// earlier plan of the BundleDeployment needed in addition, except that of SaveRoles. It writes nothing that is already stored.
func (p *Plans) Save(ctx context.Context, of *corev1alpha2.BundleDeployment, text *plan.Plan) ([]string, error) {
	conceal, err := p.concealer(ctx)
	if err != nil {
		return nil, err
	}
	stored, err := p.list(ctx, of)
	if err != nil {
		return nil, err
	}
	var names []string
	for i, part := range planParts(text, conceal, partBytes, maxPlanParts) {
		name := fmt.Sprintf("plan-%s-%d", of.Name, i+1)
		names = append(names, name)
		if err := p.savePart(ctx, of, name, map[string]string{corev1alpha2.PlanDigest: text.Digest, corev1alpha2.PlanText: part}, stored); err != nil {
			return nil, err
		}
	}
	for _, each := range stored {
		if !slices.Contains(names, each.Name) && each.Name != RolesName(of.Name) {
			if err := p.delete(ctx, each); err != nil {
				return nil, err
			}
		}
	}
	return names, nil
}

// RolesName returns the name of the ConfigMap in which SaveRoles stores the roles for a BundleDeployment.
func RolesName(deployment string) string { return "plan-" + deployment + "-permissions" }

// SaveRoles stores the roles that the ServiceAccount of a BundleDeployment lacks, as YAML, in a ConfigMap of their own. digest is that of the
// plan to which they belong. If roles is empty, SaveRoles deletes the ConfigMap. It writes nothing that is already stored.
func (p *Plans) SaveRoles(ctx context.Context, of *corev1alpha2.BundleDeployment, digest, roles string) error {
	if len(roles) > partBytes {
		return fmt.Errorf("storing the permissions that the ServiceAccount of BundleDeployment %q lacks: they have %d bytes, and at most %d are allowed; grant those in status.plan.permissionsMissing first",
			of.Name, len(roles), partBytes)
	}
	stored, err := p.list(ctx, of)
	if err != nil {
		return err
	}
	name := RolesName(of.Name)
	if roles != "" {
		return p.savePart(ctx, of, name, map[string]string{corev1alpha2.PlanDigest: digest, corev1alpha2.PlanPermissions: roles}, stored)
	}
	if at := slices.IndexFunc(stored, func(each corev1.ConfigMap) bool { return each.Name == name }); at >= 0 {
		return p.delete(ctx, stored[at])
	}
	return nil
}

// list returns the ConfigMaps for a BundleDeployment.
func (p *Plans) list(ctx context.Context, of *corev1alpha2.BundleDeployment) ([]corev1.ConfigMap, error) {
	stored, err := p.configMaps.List(ctx, metav1.ListOptions{LabelSelector: corev1alpha2.LabelPlanOf + "=" + of.Name})
	if err != nil {
		return nil, fmt.Errorf("listing the ConfigMaps with the plan of BundleDeployment %q: %w", of.Name, err)
	}
	return stored.Items, nil
}

// delete deletes a ConfigMap that is no longer needed.
func (p *Plans) delete(ctx context.Context, configMap corev1.ConfigMap) error {
	err := p.configMaps.Delete(ctx, configMap.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(configMap.UID))})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("deleting ConfigMap %q of an earlier plan: %w", configMap.Name, err)
	}
	return nil
}

// savePart creates or updates one ConfigMap. If another object has its name, it returns an error.
func (p *Plans) savePart(ctx context.Context, of *corev1alpha2.BundleDeployment, name string, data map[string]string, stored []corev1.ConfigMap) error {
	wanted := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{corev1alpha2.LabelPlanOf: of.Name, LabelRole: RolePlan},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: corev1alpha2.SchemeGroupVersion.String(), Kind: corev1alpha2.OwnerKindBundleDeployment, Name: of.Name, UID: of.UID,
			}},
		},
		Data: data,
	}
	var err error
	switch at := slices.IndexFunc(stored, func(each corev1.ConfigMap) bool { return each.Name == name }); {
	case at < 0:
		_, err = p.configMaps.Create(ctx, wanted, metav1.CreateOptions{FieldManager: planFieldManager})
	case !maps.Equal(stored[at].Data, wanted.Data) || len(stored[at].BinaryData) > 0 || !slices.Equal(ownersOf(stored[at]), ownersOf(*wanted)):
		wanted.ResourceVersion = stored[at].ResourceVersion
		_, err = p.configMaps.Update(ctx, wanted, metav1.UpdateOptions{FieldManager: planFieldManager})
	}
	if err != nil {
		return fmt.Errorf("writing ConfigMap %q with the plan of BundleDeployment %q: %w", name, of.Name, err)
	}
	return nil
}

// ownersOf returns the UIDs of the owners of a ConfigMap.
func ownersOf(configMap corev1.ConfigMap) []string {
	var uids []string
	for _, each := range configMap.OwnerReferences {
		uids = append(uids, string(each.UID))
	}
	return uids
}

// planParts returns the text of a plan in parts of at most limit bytes, without a break inside a line. If the whole text does not fit into
// most parts, the content of created objects is omitted; if that does not fit either, the last line says so.
func planParts(of *plan.Plan, conceal func(string) string, limit, most int) []string {
	parts, omitted := splitPlan(of.Text(conceal, true), limit, most)
	if omitted > 0 {
		parts, omitted = splitPlan(of.Text(conceal, false), limit, most)
	}
	if omitted > 0 {
		parts[len(parts)-1] += fmt.Sprintf("and %d more lines, which %d ConfigMaps cannot hold\n", omitted, most)
	}
	return parts
}

// splitPlan returns the first parts of a text, and the number of lines that are not in them.
func splitPlan(lines iter.Seq[string], limit, most int) (parts []string, omitted int) {
	var part strings.Builder
	for line := range lines {
		if part.Len() > 0 && part.Len()+len(line)+1 > limit {
			parts = append(parts, part.String())
			part.Reset()
		}
		if len(parts) == most {
			omitted++
			continue
		}
		part.WriteString(line + "\n")
	}
	if part.Len() > 0 {
		parts = append(parts, part.String())
	}
	return parts, omitted
}

// concealer returns the function that hashes a value of a Secret with the key of the cluster: whoever reads the plan sees whether a value
// changes, and cannot search for the value.
func (p *Plans) concealer(ctx context.Context) (func(string) string, error) {
	key, err := p.readKey(ctx)
	if err != nil {
		return nil, err
	}
	return func(value string) string {
		if key == nil {
			return "(not shown)"
		}
		hash := hmac.New(sha256.New, key)
		hash.Write([]byte(value))
		return "hmac-sha256:" + hex.EncodeToString(hash.Sum(nil)[:16])
	}, nil
}

// readKey returns the key of the cluster, and creates it if it is missing; nil if it is missing and is not created.
func (p *Plans) readKey(ctx context.Context) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.key != nil {
		return p.key, nil
	}
	found, err := p.secrets.Get(ctx, PlanKeySecret, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		if p.random == nil {
			return nil, nil
		}
		found, err = p.createKey(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("reading Secret %q, whose key hashes the values of Secrets in plans: %w", PlanKeySecret, err)
	}
	if len(found.Data[planKey]) < planKeyBytes {
		return nil, fmt.Errorf("the Secret %q has no key of %d bytes under %q; delete the Secret, and the manager creates it again", PlanKeySecret, planKeyBytes, planKey)
	}
	p.key = found.Data[planKey]
	return p.key, nil
}

func (p *Plans) createKey(ctx context.Context) (*corev1.Secret, error) {
	key := make([]byte, planKeyBytes)
	if _, err := io.ReadFull(p.random, key); err != nil {
		return nil, errors.Join(errors.New("making a key"), err)
	}
	return p.secrets.Create(ctx, &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: PlanKeySecret}, Data: map[string][]byte{planKey: key},
	}, metav1.CreateOptions{FieldManager: planFieldManager})
}
