package story

import (
	"bytes"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
	kyaml "sigs.k8s.io/yaml"
)

// NewArguments returns the arguments of a step that is made in code. The value must have a JSON encoding, such as a map[string]any or a
// struct with JSON names.
func NewArguments(value any) (Arguments, error) {
	content, err := kyaml.Marshal(value)
	if err != nil {
		return Arguments{}, fmt.Errorf("encoding a step's arguments: %w", err)
	}
	node, err := flowNode(content)
	return Arguments{node: node}, err
}

// YAML returns the content of a file from which Parse reads the same story, except for positions. Comments are lost. It returns an error
// if Parse would refuse the story.
func (s *Story) YAML() ([]byte, error) {
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("story %q: %w", s.Title, err)
	}
	steps := &yaml.Node{Kind: yaml.SequenceNode}
	for i, step := range s.Steps {
		node, err := step.node()
		if err != nil {
			return nil, fmt.Errorf("story %q, step %d: %w", s.Title, i+1, err)
		}
		steps.Content = append(steps.Content, node)
	}
	root := &mapping{}
	root.addText("title", s.Title)
	root.addText("from", s.From)
	root.add("steps", steps)
	if root.err != nil {
		return nil, root.err
	}
	var content bytes.Buffer
	encoder := yaml.NewEncoder(&content)
	encoder.SetIndent(2)
	if err := encoder.Encode(&root.node); err != nil {
		return nil, err
	}
	return content.Bytes(), encoder.Close()
}

// node returns the step as YAML.
func (s Step) node() (*yaml.Node, error) {
	if s.Verb == "" {
		return nil, errors.New("the step has no verb")
	}
	if err := s.Refused.validate(); err != nil {
		return nil, err
	}
	content, err := s.Arguments.yaml()
	if err != nil {
		return nil, err
	}
	arguments, err := flowNode(content)
	if err != nil {
		return nil, err
	}
	step := &mapping{}
	step.addText("title", s.Title)
	step.addText("as", s.As)
	step.addText("refused", string(s.Refused))
	step.add(s.Verb, arguments)
	expectations := &yaml.Node{Kind: yaml.SequenceNode}
	for _, each := range s.Then {
		if err := each.validate(); err != nil {
			return nil, err
		}
		encoded, err := NewArguments(each)
		if err != nil {
			return nil, err
		}
		expectations.Content = append(expectations.Content, encoded.node)
	}
	if len(s.Then) > 0 {
		step.add("then", expectations)
	}
	return &step.node, step.err
}

// yaml returns the arguments without anchors and comments. It normalizes texts and numbers to what Into reads.
func (a Arguments) yaml() ([]byte, error) {
	content, err := yaml.Marshal(a.node)
	if err != nil {
		return nil, err
	}
	asJSON, err := kyaml.YAMLToJSON(content)
	if err != nil {
		return nil, err
	}
	return kyaml.JSONToYAML(asJSON)
}

// flowNode parses YAML, and returns its value in flow style, so that it is encoded on one line.
func flowNode(content []byte) (*yaml.Node, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(content, &document); err != nil {
		return nil, err
	}
	setFlow(document.Content[0])
	return document.Content[0], nil
}

func setFlow(node *yaml.Node) {
	node.Style &^= yaml.LiteralStyle | yaml.FoldedStyle
	if node.Kind != yaml.ScalarNode {
		node.Style |= yaml.FlowStyle
	}
	for _, each := range node.Content {
		setFlow(each)
	}
}

// mapping is a YAML mapping with ordered fields. err is the first error.
type mapping struct {
	node yaml.Node
	err  error
}

// addText adds a field with the value text, unless text is empty.
func (m *mapping) addText(name, text string) {
	if text == "" {
		return
	}
	encoded, err := NewArguments(text)
	if err != nil {
		m.err = errors.Join(m.err, err)
		return
	}
	m.add(name, encoded.node)
}

func (m *mapping) add(name string, value *yaml.Node) {
	m.node.Kind = yaml.MappingNode
	m.node.Content = append(m.node.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, value)
}
