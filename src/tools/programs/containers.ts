// Containers, clusters, and programs that build up and tear down infrastructure.
import { IMAGE_VERBS, kube } from "./images.ts";
import type { ProgramRow, ProgramRule, ProgramTable } from "./ProgramRow.ts";
import { REMOTE, remoteCode } from "./remotePlaces.ts";

const removes = (why: string): ProgramRow => ({ rules: [{ rule: "delete", why }] });
const inContainer: ProgramRow = { rules: [{ rule: "code", why: "runs a program in a container" }] };
const publishes: ProgramRow = { rules: [{ rule: "network", why: "publishes what it is given" }] };
const machine = (given: Omit<ProgramRule, "rule" | "why">): ProgramRule => ({
  rule: "rights",
  why: "gives a container the machine itself",
  ...given,
});

/** A folder of the host, its root, or the socket of its container runtime. */
const HOST_FOLDER =
  /(?:^|source=|src=)(?:\/(?:[:,]|$|var\/run|run|etc|root|home|proc|sys|dev|boot|usr|bin|lib|var\/lib)|[^,:]*docker\.sock)/;
const REMOVED = "removes containers, or what they keep";

const runContainer: ProgramRow = {
  values:
    "a e h l m p u w c name env env-file hostname label memory publish user workdir entrypoint network net platform restart cpus volumes-from tmpfs add-host dns gpus ip ulimit shm-size log-driver log-opt pull cidfile runtime annotation stop-signal",
  stopsAtOperand: true,
  rules: [
    machine({ options: "privileged cap-add device device-cgroup-rule" }),
    machine({ options: "pid ipc userns uts cgroupns", value: /^host$/ }),
    machine({ options: "security-opt", value: /unconfined|disable/ }),
    machine({ options: "v volume mount", value: HOST_FOLDER }),
  ],
};

const objects: ProgramRow = {
  verbs: {
    ...IMAGE_VERBS,
    "rm remove rmi prune kill delete": removes(REMOVED),
    exec: inContainer,
    "run create": runContainer,
    push: publishes,
    "ls list inspect ps logs top stats history df info events diff port search version": { reads: true },
  },
};

const compose: ProgramRow = {
  rules: [remoteCode({ options: "f file", value: REMOTE })],
  values: "f p file project-name profile env-file project-directory ansi progress parallel",
  flags: "compatibility dry-run verbose version all-resources",
  verbs: {
    down: {
      values: "t timeout",
      flags: "remove-orphans",
      rules: [{ rule: "delete", why: REMOVED, options: "v volumes rmi" }],
    },
    "rm kill": removes(REMOVED),
    exec: inContainer,
    run: runContainer,
    push: publishes,
    "ps ls logs top images config port version events stats": { reads: true },
  },
};

const container: ProgramRow = {
  closed: "controls",
  open: "tail since until",
  values:
    "H c l host context log-level config tlscacert tlscert tlskey root url connection namespace n address a identity",
  flags: "debug tls tlsverify version help remote",
  verbs: {
    ...IMAGE_VERBS,
    compose,
    "kube play": kube,
    machine: { verbs: { ...objects.verbs, ssh: inContainer } },
    "container image volume network builder buildx service stack node secret config context manifest pod trust":
      objects,
    system: { verbs: { ...objects.verbs, reset: removes(REMOVED) } },
    plugin: { verbs: { ...objects.verbs, install: { rules: [{ rule: "code", why: "fetches code and runs it" }] } } },
    unshare: { starts: 0 },
    swarm: { verbs: { leave: removes(REMOVED), init: {}, join: {} } },
    "run create": runContainer,
    exec: inContainer,
    "rm rmi kill prune": removes(REMOVED),
    push: publishes,
    "ps images logs inspect top stats info version search history diff port events": { reads: true },
  },
};

const FROM_ELSEWHERE = /^(?:https?|ftp|git):|^github\.com\//;
/** A chart by its address, or of a repository: `repo/chart`. */
const CHART = /^(?:[a-z]+:\/\/|(?![./])[\w.-]+\/[\w./-]+$)/;
const cluster: ProgramRow = {
  closed: "controls",
  open: "n namespace l selector field-selector tail since limit",
  values:
    "n s v namespace server kubeconfig context cluster user token as as-group as-uid request-timeout cache-dir certificate-authority client-certificate client-key tls-server-name profile profile-output log-flush-frequency username password",
  flags: "insecure-skip-tls-verify match-server-version warnings-as-errors disable-compression help version",
  verbs: {
    "delete drain": removes("deletes what runs in the cluster"),
    "exec run cp debug attach rsh rsync": { rules: [{ rule: "code", why: "runs a program in the cluster" }] },
    "apply create replace patch": {
      values: "f filename k kustomize p type l selector o",
      rules: [
        {
          rule: "code",
          why: "runs in the cluster what comes from elsewhere",
          options: "f filename k kustomize",
          value: FROM_ELSEWHERE,
        },
        { rule: "delete", why: "deletes what runs in the cluster", options: "force prune" },
        { rule: "rights", why: "changes who may do what in the cluster", operand: /^(?:cluster)?rolebinding$/ },
      ],
    },
    scale: { rules: [{ rule: "delete", why: "stops what runs in the cluster", options: "replicas", value: /^0$/ }] },
    config: {
      deep: true,
      verbs: {
        "delete-cluster delete-context delete-user": removes("deletes settings of a cluster"),
        "view get-contexts current-context get-clusters get-users": { reads: true },
      },
    },
    adm: {
      deep: true,
      verbs: {
        "drain prune": removes("deletes what runs in the cluster"),
        "policy groups": { rules: [{ rule: "rights", why: "changes who may do what in the cluster" }] },
      },
    },
    certificate: {
      rules: [{ rule: "rights", why: "changes who may do what in the cluster", operand: /^approve$/, at: 0 }],
    },
    "get describe logs top explain api-resources api-versions version cluster-info diff events auth wait status whoami":
      { reads: true },
  },
};

const infrastructure: ProgramRow = {
  style: "single-dash",
  values: "chdir",
  flags: "version help",
  verbs: {
    init: {
      values: "backend-config lockfile",
      flags: "upgrade reconfigure migrate-state backend get input",
      rules: [
        remoteCode({ options: "from-module", value: /^(?!\.{0,2}\/|\.)/ }),
        remoteCode({ options: "plugin-dir", value: /^(?:\/|~|\.\.\/)/ }),
      ],
    },
    destroy: {
      flags: "help",
      rules: [{ rule: "delete", why: "deletes the infrastructure", unless: "help" }],
    },
    apply: {
      values: "var var-file target parallelism state",
      rules: [
        { rule: "delete", why: "changes or deletes the infrastructure unasked", options: "destroy auto-approve" },
      ],
    },
    state: {
      verbs: {
        "rm push replace-provider": removes("loses what is known of the infrastructure"),
        "list show pull": { reads: true },
      },
    },
    workspace: {
      verbs: { delete: removes("loses what is known of the infrastructure"), "list show": { reads: true } },
    },
    "taint force-unlock": removes("changes what is known of the infrastructure"),
    plan: { writes: "out", values: "var var-file target state", reads: true },
    "show output validate version providers graph": { reads: true },
  },
};

/** Takes the code of a module from elsewhere. */
const SOURCE: ProgramRule = remoteCode({ options: "source terragrunt-source", value: REMOTE });

const managed: ProgramRow = {
  deep: true,
  verbs: {
    "delete del destroy remove rm prune purge undefine kill drain uninstall wipe stop halt suspend":
      removes("deletes what it manages"),
    "exec ssh shell run": { rules: [{ rule: "code", why: "runs a program elsewhere" }] },
    "list ls get describe show status info version inspect logs": { reads: true },
  },
};

export const CONTAINERS: ProgramTable = {
  "docker podman nerdctl": container,
  "docker-compose podman-compose": { ...compose, closed: "controls" },
  "ctr crictl lxc incus": { ...container, verbs: { ...container.verbs, "delete images-rm": removes(REMOVED) } },
  "buildah skopeo": {
    verbs: {
      ...IMAGE_VERBS,
      add: { rules: [remoteCode({ operand: REMOTE })] },
      "rm rmi delete prune": removes(REMOVED),
      run: inContainer,
      "push copy sync": publishes,
      "images inspect list-tags containers": { reads: true },
    },
  },
  "kubectl oc k kubecolor": cluster,
  "helm helmfile": {
    rules: [remoteCode({ options: "f file", value: REMOTE })],
    values:
      "n namespace kubeconfig kube-context kube-token registry-config repository-cache repository-config kube-apiserver kube-as-user",
    code: "post-renderer",
    flags: "debug help version",
    verbs: {
      "delete uninstall del un destroy": removes("deletes what runs in the cluster"),
      push: publishes,
      plugin: {
        verbs: {
          "install update": { rules: [{ rule: "code", why: "fetches code and runs it" }] },
          list: { reads: true },
        },
      },
      "upgrade install rollback": {
        code: "post-renderer",
        values:
          "f values set set-string set-file set-json set-literal n namespace version timeout description kube-context history-max",
        flags: "install wait atomic generate-name create-namespace dry-run reuse-values reset-values debug",
        rules: [
          { rule: "delete", why: "deletes what runs in the cluster", options: "force" },
          remoteCode({ operand: CHART, unless: "dry-run" }),
          remoteCode({ options: "repo", value: /./, unless: "dry-run" }),
        ],
      },
      "pull fetch": { writes: "d destination untardir", values: "version repo" },
      "get list ls status history show search template lint version env": { reads: true },
    },
  },
  "terraform tofu": infrastructure,
  terragrunt: {
    ...infrastructure,
    values: "chdir working-dir config terragrunt-working-dir terragrunt-config",
    rules: [SOURCE],
    verbs: {
      ...infrastructure.verbs,
      plan: { ...infrastructure.verbs?.plan, rules: [SOURCE] },
      "run-all run stack": { ...infrastructure, rules: [SOURCE] },
    },
  },
  pulumi: {
    values: "C cwd s stack color verbose",
    verbs: {
      new: { rules: [remoteCode({ operand: REMOTE })] },
      "destroy cancel": removes("deletes the infrastructure"),
      "up update": {
        rules: [
          { rule: "delete", why: "changes or deletes the infrastructure unasked", options: "y yes f skip-preview" },
        ],
        values: "s stack C cwd",
      },
      stack: { verbs: { "rm remove": removes("deletes the infrastructure"), "ls output history": { reads: true } } },
      state: { verbs: { "delete unprotect": removes("loses what is known of the infrastructure") } },
      "preview version whoami about logs": { reads: true },
    },
  },
  "vagrant ansible": { ...managed, closed: "controls" },
  "ansible-playbook puppet chef-client salt": {
    rules: [
      {
        rule: "code",
        why: "runs what it is told on other machines",
        unless: "version help check syntax-check list-tasks list-hosts C",
      },
    ],
  },
  "ansible-galaxy": {
    deep: true,
    closed: "fetches",
    verbs: {
      "install download": { rules: [remoteCode({ unless: "help" })] },
      "list search info verify": { reads: true },
    },
  },
  "ansible-pull ansible-console": {
    closed: "starts",
    rules: [remoteCode({ unless: "version help" })],
  },
  "vault consul nomad etcdctl argocd flux istioctl kind minikube k3d multipass virsh vboxmanage limactl colima eksctl kops rancher":
    managed,
};
