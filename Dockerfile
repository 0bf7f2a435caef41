# For OpenShift's builders. `make images` builds the same content without a container engine.
FROM registry.ci.openshift.org/ocp/builder:rhel-9-golang-1.26-openshift-4.22 AS builder
WORKDIR /go/src/github.com/openshift/platform-operators
COPY . .
# The tests are compressed, as openshift-tests takes them out of the image and runs them on another machine.
RUN make build build-tests-ext && gzip --no-name _output/platform-operators-tests-ext

FROM registry.ci.openshift.org/ocp/4.22:base-rhel9
COPY --from=builder /go/src/github.com/openshift/platform-operators/_output/platform-operators /usr/bin/platform-operators
COPY --from=builder /go/src/github.com/openshift/platform-operators/_output/platform-operators-tests-ext.gz /usr/bin/platform-operators-tests-ext.gz
COPY manifests /manifests
USER 1001
ENTRYPOINT ["/usr/bin/platform-operators"]
# With this label the release tooling takes /manifests into the payload.
LABEL io.openshift.release.operator=true \
      io.k8s.display-name="OpenShift Platform Operators" \
      io.k8s.description="Installs the operators that an OpenShift platform is made of, keeps them, and gates cluster upgrades on them." \
      io.openshift.tags="openshift"
