# Every target sets up what it needs, exits non-zero on failure, and ends with a line that says what it did.
# Caches and products lie in build/ and target/.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help demo test conformance lint docs package fleet bench fuzz sanitize install lock clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## start the Python example server and play the scenario: with you on a terminal, from a script without one
	@scripts/demo.sh

test: ## set up everything and run every test (PARTS="rust python" runs some)
	@scripts/test.sh $(PARTS)

conformance: ## the protocol's conformance suite against a server on the Python package
	@scripts/conformance.sh

lint: ## formatters, linters, type checks, the header alone, and the rules of the house
	@scripts/test.sh lint

docs: ## the Rust documentation, with warnings as errors, into target/doc
	@scripts/docs.sh

package: ## wheel, sdist, npm tarball, crate and C install tree, into build/dist
	@scripts/package.sh

fleet: ## four servers that share keys and a Redis: flows, key rotation, kill -9 (FLEET_FLOWS=2000)
	@scripts/fleet.sh $(FLEET_FLOWS)

bench: ## what a round costs in each language, a form, sealed state and a claim, beside others in the same run
	@scripts/bench.sh
	@scripts/bench_forms.sh
	@scripts/bench_state.sh

fuzz: ## run each fuzz target for FUZZ_SECONDS (default 60)
	@scripts/fuzz.sh

sanitize: ## the C tests under AddressSanitizer and LeakSanitizer
	@scripts/sanitize.sh

install: ## install the C library, header and pkg-config file (PREFIX=/usr/local, DESTDIR=)
	@scripts/install.sh

lock: ## write the locked Python requirements anew from tests/requirements/*.in
	@scripts/lock.sh

clean: ## remove build/, target/ and what was built into the source folders
	@scripts/clean.sh
