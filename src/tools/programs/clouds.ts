// Command lines of clouds and of services that keep code and data.
import type { ProgramRow, ProgramRule, ProgramTable } from "./ProgramRow.ts";

const deletes: ProgramRule = { rule: "delete", why: "deletes or stops what it names in the cloud" };
const rights: ProgramRule = { rule: "rights", why: "changes who may do what in the cloud" };
const runs: ProgramRule = { rule: "code", why: "runs a program on another machine" };
const uploads: ProgramRule = { rule: "network", why: "sends what it is given to another machine" };

const DELETING =
  /^(?:delete|terminate|remove|destroy|deregister|purge|revoke|disable|detach|release|cancel|stop|reboot|reset|batch-delete|schedule-key-deletion|rm|rb)(?:-|$)/;
const REACHING = /^(?:send-command|start-session|execute-command|run-command|ssh|start-execution)$/;
const GRANTING =
  /^(?:put|attach|add|create|update|set)-(?:[a-z-]*(?:policy|acl|permission|access-key|login-profile|role|user|group|member)[a-z-]*)$/;

/** Verbs of cloud programs, which follow the names of their groups. */
const DEEP_VERBS: Readonly<Record<string, ProgramRow>> = {
  "delete destroy remove rm rmdir purge terminate del disable stop reset deallocate unset revoke drop undeploy uninstall restart reboot suspend abandon cancel wipe apps:destroy pg:reset config:unset projects:delete functions:delete hosting:disable database:remove firestore:delete addons:destroy":
    { rules: [deletes] },
  "ssh scp run-command run exec invoke call shell console bash": { rules: [runs] },
  "add-iam-policy-binding remove-iam-policy-binding set-iam-policy create-for-rbac grant": { rules: [rights] },
  "upload upload-batch import publish": { rules: [uploads] },
  "list ls describe show get get-value info status view logs diff search whoami version": { reads: true },
  "create update set add deploy start enable config-set": {},
};

const cloud: ProgramRow = {
  deep: true,
  rules: [{ ...deletes, operand: /^(?:delete|remove|destroy|terminate|purge)-/, at: 1 }],
  values:
    "project account configuration format filter region zone subscription resource-group g n name o output query profile verbosity R repo a app t token org hostname context c",
  flags: "yes quiet help version no-wait force json",
  verbs: DEEP_VERBS,
};

const LOCAL_TO_CLOUD: ProgramRule = { ...uploads, operand: /^(?!(?:s3|gs|az):\/\/)/, at: 0 };
const copies: ProgramRow = {
  values: "acl content-type exclude include region profile storage-class m",
  rules: [LOCAL_TO_CLOUD],
};
const buckets: ProgramRow = {
  verbs: {
    "rm rb": { rules: [deletes] },
    mv: { rules: [deletes] },
    sync: { ...copies, rules: [LOCAL_TO_CLOUD, { ...deletes, options: "delete d" }] },
    "rsync cp": {
      ...copies,
      rules: [LOCAL_TO_CLOUD, { ...deletes, options: "d delete-unmatched-destination-objects" }],
    },
    "ls presign stat du cat hash version": { reads: true },
    "acl iam defacl": { rules: [rights], reads: "get" },
  },
};

export const CLOUDS: ProgramTable = {
  aws: {
    values:
      "profile region output endpoint-url query color ca-bundle cli-read-timeout cli-connect-timeout cli-binary-format",
    flags: "debug no-verify-ssl no-paginate no-sign-request no-cli-pager version",
    verbs: {
      s3: buckets,
      "configure sts": { values: "profile" },
    },
    rules: [
      { ...deletes, operand: DELETING, at: 1 },
      { ...runs, operand: REACHING, at: 1 },
      { ...rights, operand: GRANTING, at: 1 },
      { ...uploads, operand: /^(?:put-object|upload-\w+|put-secret-value|put-parameter)$/, at: 1 },
    ],
  },
  "s3cmd mc s5cmd": {
    ...buckets,
    values: "c config region host access_key secret_key",
    verbs: { ...buckets.verbs, "del rm rb": { rules: [deletes] } },
  },
  gsutil: { ...buckets, values: "o h u", flags: "m D q" },
  gcloud: { ...cloud, verbs: { ...DEEP_VERBS, storage: { deep: true, verbs: { ...DEEP_VERBS, ...buckets.verbs } } } },
  "az oci ibmcloud aliyun doctl hcloud linode-cli scw openstack heroku flyctl fly vercel netlify railway render wrangler firebase supabase cf":
    cloud,
  bq: { ...cloud, verbs: { ...DEEP_VERBS, query: { sqlFrom: 0 } } },
  gh: {
    ...cloud,
    verbs: {
      ...DEEP_VERBS,
      "run workflow pr": {
        verbs: { "delete cancel": { rules: [deletes] }, "list view watch status diff checks": { reads: true } },
      },
      api: {
        values: "X method H header f F raw-field field q jq t template",
        rules: [
          { ...deletes, options: "X method", value: /^delete$/i },
          { ...uploads, options: "input" },
        ],
      },
      "extension ext": {
        verbs: { "install upgrade exec": { rules: [{ rule: "code", why: "fetches code and runs it" }] } },
      },
      alias: {
        rules: [{ rule: "code", why: "runs what its own words say", operand: /^(?:set|import)$/, at: 0 }],
        reads: "list",
      },
      gist: { verbs: { create: { rules: [uploads] }, delete: { rules: [deletes] }, "list view": { reads: true } } },
      auth: { verbs: { token: { rules: [{ rule: "rights", why: "prints a secret" }] }, status: { reads: true } } },
      archive: { rules: [deletes] },
    },
  },
  "glab hub": cloud,
  "restic duplicity kopia rdiff-backup tarsnap": {
    values: "r repo repository p password-file o option",
    verbs: {
      "forget prune delete remove-older-than remove-all-but-n-full unlock": {
        rules: [{ rule: "delete", why: "deletes backups", unless: "n dry-run" }],
        values: "keep-last keep-daily keep-weekly keep-monthly keep-within host tag",
      },
      restore: { writes: "t target", values: "i e include exclude host" },
      "snapshots ls stats check find diff version list": { reads: true },
    },
  },
  borg: {
    values: "remote-path rsh",
    code: "rsh",
    verbs: {
      "delete prune compact": {
        rules: [{ rule: "delete", why: "deletes backups", unless: "n dry-run" }],
        values: "keep-daily keep-weekly keep-monthly prefix a glob-archives",
      },
      "list info check diff": { reads: true },
    },
  },
};
