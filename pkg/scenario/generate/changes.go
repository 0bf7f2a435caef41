package generate

import (
	"fmt"
	"math/rand/v2"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/openshift/platform-operators/pkg/scenario/story"
)

// gitOpsInterval is the interval at which GitOps applies its objects.
const gitOpsInterval = "1m"

// object is what a generator knows about an object while it makes a story.
type object struct {
	kind *Kind
	// isCreated is whether the last step that created or deleted the object created it. isCertain is whether it then exists for sure, because
	// the base object was created and no step has deleted it. A deletion can take longer than the rest of the story.
	isCreated, isCertain, wasDeleted bool
	// desired is the object that GitOps applies; nil if GitOps does not own the object.
	desired map[string]any
	// reported is the field that got a value that the operator reports, and was not corrected yet; or empty.
	reported Path
}

// name returns the object's name in steps.
func (o *object) name() string {
	kind := o.kind.GroupVersionKind.Kind + "." + o.kind.GroupVersionKind.Group
	if namespace := o.kind.Namespace(); namespace != "" {
		return kind + "/" + namespace + "/" + o.kind.Name()
	}
	return kind + "/" + o.kind.Name()
}

// title returns the object's name in titles of steps.
func (o *object) title() string { return o.kind.GroupVersionKind.Kind + "/" + o.kind.Name() }

// refusal returns whether a step for the object may be refused, which depends on the class of the value that it sets.
func (o *object) refusal(value Value) story.Refusal {
	_, isObject := value.Value.(map[string]any) // merged with what is there, it could become valid
	if value.Class == Refused && o.isCertain && !isObject {
		return story.MustBeRefused
	}
	return story.MayBeRefused
}

// createStep returns a step that creates the object: the base object, or that with a value for one field. If the value is refused, there is
// still no object.
func (o *object) createStep(random *rand.Rand) (story.Step, *Exercise, error) {
	content := o.kind.Base()
	step := story.Step{Title: "An admin creates " + o.title(), Verb: "create", Refused: story.MayBeRefused}
	var exercise *Exercise
	if field, value, found := o.pick(random, func(Field) bool { return true }); found && random.IntN(2) == 0 {
		if err := o.kind.Set(content, field.Path, value.Value); err != nil {
			return step, nil, err
		}
		exercise = &Exercise{o.kind, field.Path, value}
		step.Title += fmt.Sprintf(" with a %s %s", value.Class, field.Path)
	}
	var argument any = content
	isRefused := exercise != nil && exercise.Value.Class == Refused
	switch {
	case isRefused:
		step.Refused = story.MustBeRefused
	case random.IntN(3) == 0:
		o.desired = content
		step.Verb, argument = "apply", gitOps(content)
		step.Title = "GitOps" + step.Title[len("An admin"):]
	}
	o.isCreated, o.isCertain = !isRefused, exercise == nil && !o.wasDeleted
	var err error
	step.Arguments, err = story.NewArguments(argument)
	return step, exercise, err
}

// gitOps returns the arguments with which GitOps applies an object.
func gitOps(content map[string]any) map[string]any {
	return map[string]any{"object": runtime.DeepCopyJSON(content), "every": gitOpsInterval}
}

// setStep returns a step that sets a field to a value; nil removes the field. Only an admin sets refused values: the API server reports some
// of them in a server-side apply as internal errors.
func (o *object) setStep(path Path, value Value) (story.Step, error) {
	action := fmt.Sprintf("sets %s of %s to a %s value", path, o.title(), value.Class)
	if value.Value == nil {
		action = fmt.Sprintf("removes %s of %s", path, o.title())
	}
	values := o.kind.change(path, value.Value)
	if value.Class == Refused || o.desired == nil {
		return o.patchStep(action, values, o.refusal(value))
	}
	return o.applyStep(action, values)
}

// restoreStep returns a step that sets a field, and the fields that were set with it, to their values in the base object.
func (o *object) restoreStep(path Path) (story.Step, error) {
	action := fmt.Sprintf("restores %s of %s", path, o.title())
	if o.desired == nil {
		return o.patchStep(action, o.kind.restore(path), story.MayBeRefused)
	}
	return o.applyStep(action, o.kind.restore(path))
}

// patchStep returns a step in which an admin sets fields.
func (o *object) patchStep(action string, values fieldValues, refusal story.Refusal) (story.Step, error) {
	step := story.Step{Title: "An admin " + action, Verb: "patch", Refused: refusal}
	argument, err := patchOf(values)
	if err != nil {
		return step, err
	}
	argument["object"] = o.name()
	step.Arguments, err = story.NewArguments(argument)
	return step, err
}

// applyStep returns a step in which GitOps applies its object with other fields.
func (o *object) applyStep(action string, values fieldValues) (story.Step, error) {
	step := story.Step{Title: "GitOps " + action, Verb: "apply", Refused: story.MayBeRefused}
	if err := values.apply(o.desired); err != nil {
		return step, err
	}
	var err error
	step.Arguments, err = story.NewArguments(gitOps(o.desired))
	return step, err
}

// deleteStep returns a step that deletes the object.
func (o *object) deleteStep() (story.Step, error) {
	*o = object{kind: o.kind, wasDeleted: true}
	arguments, err := story.NewArguments(o.name())
	return story.Step{Title: "An admin deletes " + o.title(), Verb: "delete", Refused: story.MayBeRefused, Arguments: arguments}, err
}

// pick returns one of the values of one of the fields that are wanted.
func (o *object) pick(random *rand.Rand, isWanted func(Field) bool) (Field, Value, bool) {
	var fields []Field
	for _, field := range o.kind.Fields {
		if isWanted(field) {
			fields = append(fields, field)
		}
	}
	if len(fields) == 0 {
		return Field{}, Value{}, false
	}
	field := fields[random.IntN(len(fields))]
	value, found := field.pick(random, o.kind.schemas[field.Path])
	return field, value, found
}

// pick returns a value. It first chooses the class, so that fields with many values of one class get those of others. It leaves out values
// of a wrong type: an API server refuses them before anything else sees them, reports a server-side apply of them as an internal error, and
// logs each as an error.
func (f Field) pick(random *rand.Rand, of *fieldSchema) (Value, bool) {
	values := map[Class][]Value{}
	for _, value := range f.Values {
		if hasTypes(of, value.Value) {
			values[value.Class] = append(values[value.Class], value)
		}
	}
	var classes []Class
	for _, class := range []Class{Valid, Valid, Valid, Reported, Refused} {
		if len(values[class]) > 0 {
			classes = append(classes, class)
		}
	}
	if len(classes) == 0 {
		return Value{}, false
	}
	chosen := values[classes[random.IntN(len(classes))]]
	return chosen[random.IntN(len(chosen))], true
}
