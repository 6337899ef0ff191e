// Package managers and builders: what installs from elsewhere runs code, what uses the folder's own manifest is as running its tests.
import type { ProgramRow, ProgramTable } from "./ProgramRow.ts";
import { createFetchRule, fetchesAlways, publishes, reads, removes } from "./packageRules.ts";
import { REMOTE } from "./remotePlaces.ts";

/** Installs the folder's own manifest if no package is named. */
const installs: ProgramRow = {
  rules: [createFetchRule({ operand: /^(?!\.$)/ }), createFetchRule({ options: "g global registry index" })],
  values: "prefix C w workspace registry",
};
/** The arguments after it are a command from the folder's own packages. */
const starts: ProgramRow = { starts: 0 };
const script: ProgramRow = { code: "script-shell node-options", values: "prefix C w workspace filter cwd loglevel" };

const localCommand: ProgramRow = {
  starts: 0,
  values: "w workspace C dir",
  code: "c call shell-mode",
  chooses: "p package",
  flags: "no yes no-install recursive",
};

/** The program itself, by its address or as a file. */
const OTHER_PROGRAM = /^(?:https?:\/\/\S+\.[cm]?js$|\.{0,2}\/\S*$|~)/;

const npmVerbs: Readonly<Record<string, ProgramRow>> = {
  "install i add isntall in ins inst insta instal isnt isnta isntal": installs,
  "exec x": localCommand,
  "create init": { rules: [createFetchRule({ operand: /./ })], flags: "yes scope" },
  "dlx create": fetchesAlways,
  global: { verbs: { add: fetchesAlways, "list bin": reads } },
  "publish unpublish deprecate access owner dist-tag token adduser login team org star hook profile": publishes,
  "config set": {
    rules: [
      createFetchRule({ operand: OTHER_PROGRAM, at: 1, unless: "" }),
      {
        rule: "code",
        why: "changes where code comes from and what runs it",
        operand:
          /^(?:[\w@:/.-]*:)?(?:registry|script-shell|node-options|shell|npmRegistryServer|prefix|git|editor|viewer|init-module|userconfig|cafile|proxy|https-proxy|_auth\w*)(?:=|$)/i,
        unless: "",
      },
    ],
    reads: "get list ls",
  },
  npm: { verbs: { publish: publishes, "info tag": reads } },
  policies: { rules: [createFetchRule({ operand: OTHER_PROGRAM, at: 1 })] },
  plugin: { verbs: { import: fetchesAlways, "list runtime": reads } },
  pkg: {
    rules: [{ rule: "code", why: "changes what its scripts run", operand: /^(?:scripts|bin)\b.*=/ }],
    reads: "get",
  },
  explore: { rules: [{ rule: "code", why: "runs a command", operand: /./, at: 1 }] },
  "ls list ll la view info show outdated audit help search why explain root bin prefix docs fund doctor ping whoami":
    reads,
  "run run-script test t start stop restart build ci clean-install rebuild dedupe prune link lint": script,
};

const node: ProgramRow = {
  closed: "fetches",
  values: "prefix C w workspace cwd filter loglevel dir userconfig cache",
  code: "script-shell node-options",
  rules: [createFetchRule({ options: "registry", value: /./ })],
  flags: "version help silent global json yes",
  verbs: npmVerbs,
};

const SOURCES = "i f index-url extra-index-url find-links trusted-host index default-index proxy";
const pipInstall: ProgramRow = {
  values:
    "c constraint t target prefix root platform python-version implementation abi progress-bar e editable r requirement report",
  flags: "upgrade user quiet no-deps no-cache-dir pre dry-run no-build-isolation require-hashes",
  rules: [
    createFetchRule({ operand: /^(?!\.\/?$|\.\[)/ }),
    createFetchRule({ options: "r requirement e editable c constraint", value: /:\/\/|^(?:git|hg|svn|bzr)\+|^\// }),
    createFetchRule({ options: SOURCES, value: /./ }),
  ],
};
const pip: ProgramRow = {
  closed: "fetches",
  values: "python log cache-dir",
  flags: "version help quiet verbose isolated require-virtualenv",
  verbs: {
    "install download wheel": pipInstall,
    uninstall: removes,
    config: { rules: [createFetchRule({ operand: /^(?:set|edit)$/, at: 0 })], reads: "list get debug" },
    "list show freeze check index help search inspect debug hash cache": reads,
  },
};

/** Managers of the packages of a project in Python. */
const projects: ProgramRow = {
  values: "directory project C p python config-file cache-dir",
  verbs: {
    pip: {
      verbs: { "install download": pipInstall, uninstall: removes, "list show freeze check tree compile": reads },
    },
    add: { rules: [createFetchRule({ operand: /./ })] },
    install: {
      ...pipInstall,
      rules: [createFetchRule({ operand: /./ }), createFetchRule({ options: SOURCES, value: /./ })],
    },
    tool: { verbs: { "run install": fetchesAlways, uninstall: removes, list: reads } },
    run: { ...starts, values: "p python package env-file extra group", code: "with with-editable with-requirements" },
    "publish upload": publishes,
    "self source": { rules: [createFetchRule({ operand: /^(?:update|add)$/, at: 0 })] },
    "remove uninstall": {},
    "lock sync build check show tree version env venv export": {},
  },
};

const libraries: ProgramRow = {
  verbs: {
    install: {
      rules: [createFetchRule({ operand: /^(?!\.$)/ })],
      values: "v version i install-dir n bindir source",
      code: "",
    },
    "uninstall remove cleanup": removes,
    "push yank owner upload publish signin": publishes,
    "list search info query specification environment env which help show contents outdated": reads,
    "build test check run init update": {},
    exec: starts,
  },
};

export const PACKAGE_PROGRAMS: ProgramTable = {
  npm: { ...node, verbs: { ...npmVerbs, "exec x": { ...localCommand, closed: "fetches" } } },
  "pnpm yarn": node,
  "npx pnpx bunx": {
    closed: "fetches",
    starts: 0,
    values: "w workspace",
    code: "c call",
    chooses: "p package",
    flags: "yes no quiet no-install version help",
  },
  pip: pip,
  "conda mamba micromamba": {
    values: "n name p prefix c channel",
    verbs: {
      "install create": {
        values: "n name p prefix f file c channel",
        rules: [createFetchRule({ operand: /./ }), createFetchRule({ options: "c channel", value: /:\/\// })],
      },
      "remove uninstall clean": removes,
      env: {
        verbs: {
          "create update": { values: "f file n name", rules: [createFetchRule({ options: "f file", value: /:\/\// })] },
          remove: removes,
          list: reads,
        },
      },
      run: { ...starts, values: "n name p prefix cwd" },
      config: { rules: [createFetchRule({ options: "add set append prepend", value: /./ })] },
      "list info search": reads,
    },
  },
  "pipx uvx": {
    closed: "fetches",
    flags: "version help",
    rules: [createFetchRule({ operand: /^(?!list$|environment$|completions$|ensurepath$)/ })],
  },
  "poetry pdm pipenv hatch rye": projects,
  uv: { ...projects, closed: "fetches" },
  gem: {
    ...libraries,
    closed: "fetches",
    verbs: {
      ...libraries.verbs,
      update: { rules: [createFetchRule({ options: "s source", value: /./ })] },
      sources: { rules: [createFetchRule({ options: "a add" })], flags: "list" },
    },
  },
  corepack: { verbs: { "use install prepare pack": { rules: [createFetchRule({ operand: REMOTE })] } } },
  "nix nix-shell": {
    code: "run command c",
    values: "p packages A attr I",
    verbs: { "run shell develop profile": { rules: [createFetchRule({ operand: /[:#]/ })] } },
  },
  "luarocks cpan cpanm cabal stack opam": libraries,
  bundle: {
    closed: "fetches",
    verbs: {
      exec: starts,
      plugin: { verbs: { install: fetchesAlways, list: reads } },
      "add gem": { rules: [createFetchRule({ operand: /./ })] },
      config: { rules: [createFetchRule({ operand: /^set$/, at: 0 })] },
      "install check list show outdated update lock info": {},
    },
  },
  composer: {
    values: "d working-dir",
    verbs: {
      "require create-project global": { rules: [createFetchRule({ operand: /./ })] },
      exec: starts,
      "show info outdated validate licenses why status diagnose": reads,
      "install update dump-autoload test run-script": {},
    },
  },
  cargo: {
    closed: "fetches",
    values: "C Z color manifest-path target-dir p package bin example features target",
    code: "config",
    verbs: {
      install: {
        values: "path version root features",
        flags: "list",
        rules: [createFetchRule({ operand: /./ }), createFetchRule({ options: "git index registry", value: /./ })],
      },
      uninstall: removes,
      "publish yank owner login": publishes,
      "tree metadata search version help info": reads,
    },
  },
  go: {
    closed: "fetches",
    style: "single-dash",
    values: "C",
    verbs: {
      "install run get": {
        values: "C o p tags ldflags gcflags mod",
        code: "exec toolexec",
        rules: [createFetchRule({ operand: /@|^(?!\.)[\w-]+\.[\w.-]+\//, at: 0 })],
      },
      "build test vet generate": {
        values: "C o p run tags ldflags gcflags mod count timeout bench",
        code: "exec toolexec vettool",
        writes: "o",
      },
      env: { rules: [{ rule: "code", why: "changes what its tools run", options: "w u" }], reads: true },
      "list version doc": reads,
    },
    rules: [],
  },
  rustup: { verbs: { "install update default": {}, run: { starts: 1 }, "show which": reads } },
  "mvn mvnw gradle gradlew ant sbt": {
    closed: "fetches",
    values: "f file s settings P activate-profiles pl projects p project-dir b build-file",
    code: "I init-script",
    rules: [
      {
        rule: "network",
        why: "publishes what it builds",
        operand: /^(?:deploy|release:\w+|publish\w*|upload\w*|site-deploy|deploy:\w+)$/,
      },
      {
        rule: "code",
        why: "runs what its own words say",
        operand: /^(?:exec:\w+|groovy:\w+|antrun:run|org\.codehaus\.mojo:exec[\w.:-]*)$/,
      },
    ],
  },
  dotnet: {
    verbs: {
      tool: {
        verbs: {
          install: { rules: [createFetchRule({ operand: /./ })] },
          "list search": reads,
          "run exec execute": {},
        },
      },
      nuget: { verbs: { "push delete": publishes } },
      "script fsi": { rules: [{ rule: "code", why: "runs whatever it reads", options: "c eval exec" }] },
      new: { rules: [createFetchRule({ options: "i install", value: /./ })], verbs: { install: fetchesAlways } },
    },
  },
  nuget: { verbs: { "push delete": publishes, install: fetchesAlways, list: reads } },
  twine: { verbs: { upload: publishes, check: reads } },
  "cmake ninja": { closed: "fetches", code: "P E", values: "S B G D C build-dir build" },
  nix: {
    values: "f file",
    verbs: { "run shell develop": fetchesAlways, "profile store": {}, "build flake eval search": {} },
    code: "expr",
  },
  "nix-shell nix-env nix-build": {
    code: "run command E expr",
    rules: [createFetchRule({ options: "i install p packages e uninstall" })],
  },
  "dart flutter mix": {
    verbs: {
      pub: { verbs: { "global publish": fetchesAlways, "get deps outdated": {} } },
      "archive.install escript.install hex.publish": fetchesAlways,
      "run test": { code: "e eval" },
    },
  },
  lerna: { verbs: { publish: publishes, exec: starts } },
};
