// Copyright 2025 The Kubernetes Authors.
//
// Licensed under the Apache License, Version 2.0 (the "License");
// you may not use this file except in compliance with the License.
// You may obtain a copy of the License at
//
// 	http://www.apache.org/licenses/LICENSE-2.0
//
// Unless required by applicable law or agreed to in writing, software
// distributed under the License is distributed on an "AS IS" BASIS,
// WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
// See the License for the specific language governing permissions and
// limitations under the License.

package property

import (
	"encoding/json"
	"fmt"
)

// ConfigToType is a utility function for unmarshalling unstructured data (map[string]interface{})
// into a concrete type.
func ConfigToType[T any](in map[string]interface{}, out *T) error {
	jsonBytes, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("marshalling input to JSON: %w", err)
	}

	err = json.Unmarshal(jsonBytes, out)
	if err != nil {
		return fmt.Errorf("unmarshalling input to output: %w", err)
	}

	return nil
}
