// Verbs of container programs that build, save and copy images and files.
import type { ProgramRow } from "./ProgramRow.ts";
import { SYSTEM_PLACE } from "./places.ts";
import { REMOTE, remoteCode } from "./remotePlaces.ts";

/** A file of the system within a container. */
const CONTAINER_SYSTEM =
  /^[\w.-]+:\/*(?:$|(?:\.\/)?(?:etc|usr|bin|sbin|lib\w*|boot|root|proc|sys|run|var\/(?:spool|run|lib))(?:\/|$))/;

const build: ProgramRow = {
  values:
    "t tag target build-arg label platform network cache-from cache-to progress secret ssh add-host iidfile metadata-file m memory shm-size ulimit builder call isolation",
  flags: "load pull no-cache quiet rm force-rm compress squash push",
  rules: [
    remoteCode({ operand: REMOTE }),
    remoteCode({ options: "f file", value: REMOTE }),
    remoteCode({ options: "build-context", value: /=(?:https?|git|ssh):|=git@/ }),
    { rule: "rights", why: "gives a build the machine itself", options: "allow", value: /insecure|host/ },
    { rule: "network", why: "publishes what it is given", options: "push" },
    { rule: "delete", why: "writes beyond the folder", options: "o output", value: /(?:^|dest=)(?:\/|~|\.\.\/)/ },
  ],
};
const bake: ProgramRow = { ...build, values: `${build.values} set` };
const save: ProgramRow = { writes: "o output", values: "format platform" };

/** Verbs of `docker` and of its groups `image`, `container` and `buildx`. */
export const IMAGE_VERBS: Readonly<Record<string, ProgramRow>> = {
  "build bud": build,
  bake,
  "save export": save,
  cp: {
    written: "last",
    flags: "archive follow-link quiet",
    rules: [
      { rule: "code", why: "writes files of the system in a container", operand: CONTAINER_SYSTEM, at: 1 },
      { rule: "delete", why: "writes beyond the folder", operand: SYSTEM_PLACE, at: 1 },
    ],
  },
  import: { values: "c change m message platform", rules: [remoteCode({ operand: REMOTE, at: 0 })] },
};

/** `podman play kube` and `podman kube play`. */
export const kube: ProgramRow = {
  verbs: { "kube play": { values: "network configmap", rules: [remoteCode({ operand: REMOTE })] } },
};
