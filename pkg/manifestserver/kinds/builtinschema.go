package kinds

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	machineryjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/applyconfigurations"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

// builtinTypes are the Go types of the built-in kinds.
type builtinTypes struct {
	scheme *runtime.Scheme
	// decoder decodes JSON, YAML and protobuf. If an object has unknown fields, it returns the object and a strict decoding error.
	decoder    runtime.Decoder
	parameters runtime.ParameterCodec
	defaults   func(runtime.Object)
	// schemas returns the converter for all kinds in client-go. Parsing its schema needs time and memory, and most runs write objects of few kinds.
	schemas func() managedfields.TypeConverter
}

func newBuiltinTypes(defaults func(runtime.Object)) (*builtinTypes, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientscheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("registering the built-in kinds: %w", err)
		}
	}
	types := &builtinTypes{
		scheme: scheme, decoder: serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(),
		parameters: runtime.NewParameterCodec(scheme),
		schemas:    sync.OnceValue(func() managedfields.TypeConverter { return applyconfigurations.NewTypeConverter(scheme) }),
	}
	types.defaults = func(object runtime.Object) {
		scheme.Default(object) // CustomResourceDefinitions
		if defaults != nil {
			defaults(object)
		}
	}
	return types, nil
}

// builtinSchema is the schema of a built-in kind. The Go type is the schema.
type builtinSchema struct {
	types *builtinTypes
	kind  schema.GroupVersionKind
}

func (s *builtinSchema) normalize(object *unstructured.Unstructured) (*unstructured.Unstructured, []string, error) {
	content, err := json.Marshal(object)
	if err != nil {
		return nil, nil, err
	}
	decoded, _, err := s.types.decoder.Decode(content, &s.kind, nil)
	var unknown []string
	if strict, isStrict := runtime.AsStrictDecodingError(err); isStrict && decoded != nil {
		for _, one := range strict.Errors() {
			unknown = append(unknown, one.Error())
		}
	} else if err != nil {
		return nil, nil, err
	}
	s.types.defaults(decoded)
	if secret, isSecret := decoded.(*corev1.Secret); isSecret {
		mergeStringData(secret)
	}
	normal, err := toUnstructured(decoded, s.kind)
	if err != nil {
		return nil, nil, err
	}
	if secret, isSecret := decoded.(*corev1.Secret); isSecret && secret.Data != nil {
		restoreEmptyData(normal, secret)
	}
	return normal, unknown, nil
}

// mergeStringData moves the write-only field stringData of a Secret to its data.
func mergeStringData(secret *corev1.Secret) {
	for name, value := range secret.StringData {
		if secret.Data == nil {
			secret.Data = map[string][]byte{}
		}
		secret.Data[name] = []byte(value)
	}
	secret.StringData = nil
}

// restoreEmptyData writes the empty values of a Secret as "", because encoding/json writes a nil slice as null.
func restoreEmptyData(object *unstructured.Unstructured, secret *corev1.Secret) {
	data, _ := object.Object["data"].(map[string]any)
	for name, value := range secret.Data {
		if data != nil && data[name] == nil {
			data[name] = base64.StdEncoding.EncodeToString(value)
		}
	}
}

func (s *builtinSchema) validate(*unstructured.Unstructured) field.ErrorList { return nil }

// converter implements objectSchema. client-go has no schema of the kinds of other servers.
func (s *builtinSchema) converter() (managedfields.TypeConverter, error) {
	switch s.kind.Group {
	case apiextensionsv1.GroupName:
		return definitionConverter()
	case apiregistrationv1.GroupName:
		return openConverter(s.kind)
	}
	return s.types.schemas(), nil
}

// empty returns an object without values, with the fields that the Go type always encodes, such as status.
func (s *builtinSchema) empty() (*unstructured.Unstructured, error) {
	object, err := s.types.scheme.New(s.kind)
	if err != nil {
		return nil, err
	}
	return toUnstructured(object, s.kind)
}

func toUnstructured(object runtime.Object, kind schema.GroupVersionKind) (*unstructured.Unstructured, error) {
	object.GetObjectKind().SetGroupVersionKind(kind)
	content, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	result := &unstructured.Unstructured{}
	return result, machineryjson.Unmarshal(content, &result.Object) // keeps integers
}

// PatchType returns a value of the Go type of a built-in kind, whose tags describe how a strategic merge patch merges lists.
func (r *Resource) PatchType() (runtime.Object, error) {
	builtin, isBuiltin := r.schema.(*builtinSchema)
	if !isBuiltin {
		return nil, fmt.Errorf("%s is not a built-in kind, and has no strategic merge patch", r.GroupVersionKind())
	}
	return builtin.types.scheme.New(builtin.kind)
}
