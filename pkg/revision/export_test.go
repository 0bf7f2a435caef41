package revision

// States returns all states, in the order of the lifecycle.
func States() []State {
	return []State{
		Pending, WaitingForClass, WaitingForCRDSafety, WaitingForApproval, WaitingForPermissions, WaitingForNamespace, WaitingForCapacity,
		RollingOut, Held, Active, Failed, Archived, Deleted,
	}
}

// Failed returns the revision of the spec's source if it missed its deadline in this attempt and is not tried again; else nil.
func (m *Machine) Failed() *Revision { return m.failed }
