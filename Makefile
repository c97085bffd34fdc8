# Building, testing and installing Quire. `make` alone lists the targets.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PREFIX ?= /usr/local
DESTDIR ?=
# An import that Package.swift does not declare is an error: the arrows between the rooms are enforced.
SWIFT_BUILD_FLAGS ?= --explicit-target-dependency-import-check error
# What only debuggers read is half of what a build writes. (The index stays: on Linux SwiftPM looks for XCTest's tests in it, and a
# build of tests ends without it.)
ifdef LEAN
SWIFT_BUILD_FLAGS += -debug-info-format none
endif

# At a fixed address, and without a table of its symbols for others: a third of the time to start was spent on moving 148 000
# addresses. Stack, heap and the system's libraries have random places as ever.
# C++'s library is inside for the same reason: its symbols were looked up at each start. The linker finds it in a folder where
# it has no shared form beside it. (The one for unwinding is not: the C library loads it by its name when a thread ends.)
ifeq ($(shell uname -s),Linux)
LINK_FLAGS := -Xlinker -no-pie -Xlinker --no-export-dynamic -Xlinker --build-id=sha1
# Asked when it is needed: the first build installs what is missing.
CXX_LIBRARY = $(realpath $(shell { clang -print-file-name=libstdc++.a || cc -print-file-name=libstdc++.a; } 2>/dev/null))
CXX_FLAGS = $(if $(CXX_LIBRARY),-Xlinker "-L$(CURDIR)/.build/c++")
# Each function in a section of its own, so that the linker leaves out what nothing calls, and no tables to unwind the stack:
# together 13 of 57 MB, and the program starts sooner.
SIZE_FLAGS := -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections -Xcc -ffunction-sections -Xcc -fdata-sections \
	-Xcxx -ffunction-sections -Xcxx -fdata-sections -Xlinker --no-eh-frame-hdr -Xlinker "$(CURDIR)/contrib/link/no-unwind-tables.ld"
endif
# Generic types are made by functions that know what they conform to. As a rule they are made by their names, and the runtime
# searches the 12 000 conformances of the program for each: that was half of what `quire show` had to do.
TYPE_FLAGS := -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
RELEASE_FLAGS = -c release --static-swift-stdlib --product quire $(LINK_FLAGS) $(CXX_FLAGS) $(TYPE_FLAGS) $(SIZE_FLAGS)
SIM_FLAGS := -c release --static-swift-stdlib --product QuireSim
FORMATTED := Sources Tests Fuzz Examples Benchmarks/Sources Benchmarks/Benchmarks Benchmarks/Package.swift Package.swift

.PHONY: help deps build release test test-release example sim torture fuzz sanitize lint format demo pictures bench bench-hub bench-desk scale load bench-keys bench-micro docs docs-library install deb test-deb dist clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

deps: ## Install the Debian packages that are missing
	@.ci/deps

build: deps ## Build for debugging, into .build/debug
	swift build $(SWIFT_BUILD_FLAGS)

release: deps ## Build quire for use, with the libraries of Swift and C++ inside
	@[[ -z "$(CXX_LIBRARY)" ]] || { mkdir -p .build/c++ && ln -sf "$(CXX_LIBRARY)" .build/c++/libstdc++.a; }
	swift build $(RELEASE_FLAGS) $(SWIFT_BUILD_FLAGS)

# What `make test` tries a sample of, and `make torture` all.
SAMPLED := ^CommandTests\.(Doctor|FolderAuthor|DeskScreens|DeskWritingBrowser|DeskClassJourney|PageAuthorJourney|HubTests/bigBody)|^SyncTests\.Flood|^CacheStoreTests
TORTURE := ^CommandTests\.(Hostile|KillRound|DeskKill|SnapshotKill|Trace|Injection|FullDisk|ReadOnly|Volume|SocketWeek)|^HubTests\.Connection|^SnapshotsTests\.Damaged

test: ## Run all the tests, and samples of `make torture`
	@.ci/deps tests
	swift build --build-tests $(SWIFT_BUILD_FLAGS)
	@.ci/tests $(SWIFT_BUILD_FLAGS)
	@.ci/example $(SWIFT_BUILD_FLAGS)

# A program that imports Quire, as a package of its own. `make test` only compiles it.
EXAMPLE_FLAGS := --package-path Examples/Kiosk --scratch-path .build-example

example: deps ## Build all of Examples/Kiosk, a program that imports Quire, and test it
	swift build --build-tests $(EXAMPLE_FLAGS)
	swift test $(EXAMPLE_FLAGS) --skip-build

# What a compiler makes of optimised code is another program: these tests run the one that is installed.
test-release: release ## Run the tests of the command against the release build
	@.ci/deps tests
	swift build --build-tests $(SWIFT_BUILD_FLAGS)
	QUIRE_BINARY="$$(swift build $(RELEASE_FLAGS) $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" \
		swift test --skip-build $(SWIFT_BUILD_FLAGS) --filter '^CommandTests\.' --skip '$(TORTURE)|PagePictures'

# EFFORT=3 tries three times as much, ONLY='part of a name' less; a failure says which SEED or AT does it again.
sim: deps ## Cut the power and fail at every call of everything, in a simulation
	swift build $(SIM_FLAGS) $(SWIFT_BUILD_FLAGS)
	@SWIFT_DETERMINISTIC_HASHING=1 "$$(swift build $(SIM_FLAGS) --show-bin-path)/QuireSim" \
		effort="$(EFFORT)" only="$(ONLY)" seed="$(SEED)" at="$(AT)"

# Where the kernel mounts such images, their makers are needed; where they cannot be had, the suite says so.
VOLUME_TOOLS := xfsprogs btrfs-progs
ROUNDS ?= 1000
WEEKS ?= 200
SEED ?=

# ONLY=ceph MINUTES=5: three hosts over a Ceph, installed as root where it is missing. ONLY=storm: 2 000 connections on a host of 256 files.
# ONLY=refused: stores that must be refused, installed by pip. ONLY=proxies: a host behind nginx and HAProxy.
torture: deps ## Try the machine hard: kill -9, full disks, hostile input (ROUNDS=1000 WEEKS=200 SEED= ONLY=ceph|storm|refused|proxies)
ifeq ($(ONLY),ceph)
	swift build --build-tests $(SWIFT_BUILD_FLAGS)
	QUIRE="$$(swift build $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" MINUTES="$(MINUTES)" SEED="$(SEED)" .ci/ceph sh -e -c \
		'swift test --skip-build $(SWIFT_BUILD_FLAGS) --filter "^ObjectStoresTests\.ObjectStoreContract"; exec .ci/ceph-rounds'
else ifeq ($(ONLY),storm)
	swift build $(SWIFT_BUILD_FLAGS)
	QUIRE="$$(swift build $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" SIM="$$(swift build $(SWIFT_BUILD_FLAGS) --show-bin-path)/QuireSim" \
		SEED="$(SEED)" .ci/storm
else ifneq ($(filter refused proxies,$(ONLY)),)
	swift build $(SWIFT_BUILD_FLAGS)
	QUIRE="$$(swift build $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" .ci/$(ONLY)
else
	{ command -v mkfs.xfs && command -v mkfs.btrfs; } >/dev/null || [[ $$(id -u) -ne 0 ]] || { apt-get update --quiet && \
		apt-get install --yes --quiet --no-install-recommends $(VOLUME_TOOLS); } >/dev/null 2>&1 || true
	@.ci/deps tests
	swift build --build-tests $(SWIFT_BUILD_FLAGS)
	QUIRE_BIG=1 QUIRE_SIM_SEEDS=10 swift test --skip-build $(SWIFT_BUILD_FLAGS) --filter '$(SAMPLED)'
	QUIRE_TORTURE=whole ROUNDS=$(ROUNDS) WEEKS=$(WEEKS) SEED=$(SEED) swift test --skip-build $(SWIFT_BUILD_FLAGS) --filter '$(TORTURE)'
	$(MAKE) example
endif

fuzz: deps ## Look for bytes that break a reader, a minute each (SECONDS_EACH)
	.ci/fuzz

sanitize: deps ## Run the library's tests under the thread and the address sanitizer
	.ci/sanitize

lint: deps ## Check the format, the imports, the documents and the compiler's warnings
	@.ci/deps lint
	swift format lint --strict --recursive $(FORMATTED)
	@.ci/documents-in-docs
	@.ci/subjects
	.ci/warnings $(SWIFT_BUILD_FLAGS)

format: ## Format the sources in place
	swift format --in-place --recursive $(FORMATTED)

demo: build ## Take a questionnaire offline and deliver it, step by step
	QUIRE=.build/debug/quire sample-data/demo.sh

bench-hub: release ## Compare the hub's hits per second with nginx's, and write docs/benchmarks-hub.md
	@.ci/deps bench
	QUIRE="$$(swift build $(RELEASE_FLAGS) $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" .ci/bench-hub

bench-desk: release ## Measure the desk's first page of a course of 15 000 tests, with and without the host's index
	QUIRE="$$(swift build $(RELEASE_FLAGS) $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" .ci/bench-desk

# With one thread moto answers about 300 requests a second: TESTS=100000 takes half an hour.
TESTS ?=
scale: release ## Measure hosts over a bucket: requests, lists of many tests, memory (TESTS=200 QUESTIONNAIRES=2); ONLY=hosts: speed of several, over a Ceph; ONLY=memory: over a folder
	@.ci/deps tests
	QUIRE="$$(swift build $(RELEASE_FLAGS) $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" TESTS="$(TESTS)" QUESTIONNAIRES="$(QUESTIONNAIRES)" \
		$(if $(filter hosts,$(ONLY)),.ci/ceph) .ci/scale$(ONLY:%=-%)

# DEVICES=2000 in the real run; a school day of a million devices is simulated in a minute.
DEVICES ?=
load: release ## Simulate school days of 1,000 to 1,000,000 devices, and compare a small one with a real host (DEVICES=2000)
	swift build $(SIM_FLAGS) $(SWIFT_BUILD_FLAGS)
	QUIRE="$$(swift build $(RELEASE_FLAGS) $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" \
		SIM="$$(swift build $(SIM_FLAGS) --show-bin-path)/QuireSim" DEVICES="$(DEVICES)" .ci/load

pictures: ## Take the pictures of page, app, desk and terminal in docs/pictures, with a real browser and tmux
	@.ci/deps tests
	{ command -v pngquant >/dev/null && [[ -e /usr/lib/chromium/locales/ru.pak ]]; } || [[ $$(id -u) -ne 0 ]] || \
		apt-get install --yes --quiet --no-install-recommends pngquant chromium-l10n >/dev/null || true
	swift build --build-tests $(SWIFT_BUILD_FLAGS)
	QUIRE_PICTURES=docs/pictures swift test --skip-build --filter 'CommandTests\.(Page|Desk|Terminal)Pictures' $(SWIFT_BUILD_FLAGS)

# The benchmarks are a package of their own, built apart: other builds do not fetch or build their dependencies.
BENCH_FLAGS := -c release --static-swift-stdlib --package-path Benchmarks --scratch-path .build-bench
QUICK ?=
MILLION ?=
ONLY ?=

bench: release ## Measure the speed beside others, and write docs/benchmarks.md (QUICK=1, MILLION=1, ONLY=W1,W3)
	@.ci/deps bench
	swift build $(BENCH_FLAGS) --product SpeedBench
	Benchmarks/run.py --quire "$$(swift build $(RELEASE_FLAGS) $(SWIFT_BUILD_FLAGS) --show-bin-path)/quire" \
		--tool "$$(swift build $(BENCH_FLAGS) --show-bin-path)/SpeedBench" $(if $(QUICK),--quick) $(if $(MILLION),--million) \
		$(if $(ONLY),--only $(ONLY))

bench-keys: deps ## Measure a key among 5,000 questions beside one among 50, in a browser
	@.ci/deps tests
	swift build --build-tests $(SWIFT_BUILD_FLAGS)
	QUIRE_KEYS=1 swift test --skip-build $(SWIFT_BUILD_FLAGS) --filter '^CommandTests\.PageKeystroke'

bench-micro: deps ## Measure the hot functions one by one
	QUIRE_MICRO=1 swift package --package-path Benchmarks --scratch-path .build-bench benchmark

# The products, and the modules that they speak of.
DOCUMENTED := Quire QuireTesting Remotes InMemory Model Sync OutboxStore CacheStore HTTPCaching Disk

docs: build ## Write the documents and the commands' reference as a site into .build/docs, with search; it needs no server
	contrib/site/make-site .build/debug/quire .build/docs

docs-library: deps ## Write the library's reference (DocC) into .build/docs-library
	mkdir -p .build/docs-library
	swift package --allow-writing-to-directory .build/docs-library generate-documentation \
		--enable-experimental-combined-documentation $(addprefix --target ,$(DOCUMENTED)) \
		--output-path .build/docs-library --transform-for-static-hosting

install: release ## Install quire, its manual pages, completions and units under PREFIX (/usr/local), or DESTDIR before it
	contrib/install "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/quire" "$(PREFIX)" "$(DESTDIR)"

deb: release ## Make Debian packages of quire and its debug symbols, in .build/deb
	contrib/debian/make-deb "$$(swift build $(RELEASE_FLAGS) --show-bin-path)/quire" .build/deb

test-deb: deb ## Install, use and remove the package in a new Debian system (as root; it downloads one)
	contrib/debian/test-deb .build/deb

dist: ## Make an archive of the sources of HEAD, with SHA256SUMS, in .build/dist
	contrib/make-dist .build/dist

clean: ## Remove what was built, but keep the fetched dependencies
	swift package clean
	rm -rf .build/docs .build/docs-library .build/c++
