package story

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"
)

// maxSteps bounds the steps of a story.
const maxSteps = 200

// Story is a parsed story.
type Story struct {
	// File is where it was read from.
	File string
	// Title is what it shows, in a sentence.
	Title string
	// From is the path of the story that this one continues, relative to this story's folder. If it is empty, the story continues none.
	// The caller of Run prepares the cluster.
	From string
	// FromPosition is where From is written.
	FromPosition Position
	// Steps are its steps, in order.
	Steps []Step
}

// Step is a change of the cluster or of what is outside it, and what must hold when the cluster has settled.
type Step struct {
	// Position is where the step begins.
	Position Position
	// Title says what happens; empty if the verb says it.
	Title string
	// As is the user that acts; empty is the admin.
	As string
	// Verb is what happens, and Arguments are the verb's.
	Verb      string
	Arguments Arguments
	// Then is what must hold afterwards.
	Then []Expectation
}

// Position is a line of a story.
type Position struct {
	File string
	Line int
}

// String returns file:line.
func (p Position) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Arguments are what a story gives a verb.
type Arguments struct {
	// Position is where they begin.
	Position Position
	node     *yaml.Node
}

// Into decodes the arguments. A field that the type lacks is an error.
func (a Arguments) Into(into any) error {
	content, err := yaml.Marshal(a.node)
	if err != nil {
		return err
	}
	return explainDecodeError(kyaml.UnmarshalStrict(content, into), into)
}

// Expectation is what must hold of an object.
type Expectation struct {
	// Position is where it is written.
	Position Position `json:"-"`
	// Object is Kind/name or Kind/namespace/name; the kind may have its group, as in Kind.group.
	Object string `json:"object"`
	// Absent is whether the object must not exist.
	Absent bool `json:"absent,omitempty"`
	// Conditions are of status.conditions, by type: a status, or status and reason as in "False/Broken".
	Conditions map[string]string `json:"conditions,omitempty"`
	// Fields are other fields, by their dotted paths. null is a field that must not exist in an object that does.
	Fields map[string]any `json:"fields,omitempty"`
}

// Read reads a story. verbs are those that its steps may have.
func Read(file string, verbs map[string]Verb) (*Story, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, content, verbs)
}

// Parse parses a story's text; file is named in errors.
func Parse(file string, content []byte, verbs map[string]Verb) (*Story, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file has no story", file)
	} else if err != nil {
		return nil, syntaxError(file, err)
	}
	p := parser{file: file, verbs: verbs}
	story, err := p.story(document.Content[0])
	if err != nil {
		return nil, err
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: something follows the story; a file holds one YAML document", file)
	}
	return story, nil
}

type parser struct {
	file  string
	verbs map[string]Verb
}

// fault is an error at a line.
func (p parser) fault(node *yaml.Node, format string, arguments ...any) error {
	return fmt.Errorf("%s: %w", p.position(node), fmt.Errorf(format, arguments...))
}

func (p parser) position(node *yaml.Node) Position { return Position{File: p.file, Line: node.Line} }

func (p parser) story(node *yaml.Node) (*Story, error) {
	story := &Story{File: p.file}
	err := p.fields(node, func(name string, value *yaml.Node) error {
		switch name {
		case "title":
			return p.decode(value, &story.Title)
		case "from":
			story.FromPosition = p.position(value)
			return p.decode(value, &story.From)
		case "steps":
			return p.list(value, func(item *yaml.Node) error {
				step, err := p.step(item)
				story.Steps = append(story.Steps, step)
				return err
			})
		}
		return p.fault(value, "unknown field %q; a story has title, from and steps", name)
	})
	switch {
	case err != nil:
		return nil, err
	case story.Title == "":
		return nil, p.fault(node, "the story has no title")
	case len(story.Steps) == 0:
		return nil, p.fault(node, "the story has no steps")
	case len(story.Steps) > maxSteps:
		return nil, p.fault(node, "the story has %d steps, more than %d", len(story.Steps), maxSteps)
	}
	return story, nil
}

func (p parser) step(node *yaml.Node) (Step, error) {
	step := Step{Position: p.position(node)}
	err := p.fields(node, func(name string, value *yaml.Node) error {
		switch name {
		case "title":
			return p.decode(value, &step.Title)
		case "as":
			return p.decode(value, &step.As)
		case "then":
			return p.list(value, func(item *yaml.Node) error {
				expectation := Expectation{Position: p.position(item)}
				if err := p.decode(item, &expectation); err != nil {
					return err
				}
				if err := expectation.validate(); err != nil {
					return p.fault(item, "%w", err)
				}
				step.Then = append(step.Then, expectation)
				return nil
			})
		}
		if p.verbs[name] == nil {
			return p.fault(value, "unknown field or verb %q; the verbs are %s", name, names(p.verbs))
		}
		if step.Verb != "" {
			return p.fault(value, "the step has two verbs, %q and %q; make it two steps", step.Verb, name)
		}
		step.Verb, step.Arguments = name, Arguments{Position: p.position(value), node: value}
		return nil
	})
	if err == nil && step.Verb == "" {
		err = p.fault(node, "the step has no verb; the verbs are %s", names(p.verbs))
	}
	return step, err
}

// fields calls a function with each field of a mapping.
func (p parser) fields(node *yaml.Node, visit func(name string, value *yaml.Node) error) error {
	if node.Kind != yaml.MappingNode {
		return p.fault(node, "this must be a mapping")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i].Value
		if seen[name] {
			return p.fault(node.Content[i], "field %q is there twice", name)
		}
		seen[name] = true
		if err := visit(name, node.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}

// list calls a function with each item of a list.
func (p parser) list(node *yaml.Node, visit func(item *yaml.Node) error) error {
	if node.Kind != yaml.SequenceNode {
		return p.fault(node, "this must be a list")
	}
	for _, item := range node.Content {
		if err := visit(item); err != nil {
			return err
		}
	}
	return nil
}

func (p parser) decode(node *yaml.Node, into any) error {
	if err := (Arguments{node: node}).Into(into); err != nil {
		return p.fault(node, "%w", err)
	}
	return nil
}
