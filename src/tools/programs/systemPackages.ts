// System package managers, whose scripts run with all privileges.

import type { ProgramRow, ProgramTable } from "./ProgramRow.ts";
import { createFetchRule, reads, removes } from "./packageRules.ts";

/** Options and verbs that system package managers share. */
const system: ProgramRow = {
  values: "t c target-release root installroot arch repo enablerepo disablerepo",
  code: "o option config-file",
  flags: "yes quiet simulate dry-run installed upgradable help version",
  verbs: {
    "remove purge autoremove autopurge erase uninstall del rm delete": removes,
    "install reinstall upgrade dist-upgrade full-upgrade add build-dep localinstall groupinstall module-install source emerge refresh switch edit-sources dup patch swap downgrade":
      { rules: [createFetchRule({ unless: "s simulate dry-run just-print" })], flags: "yes" },
    "list show search info policy depends rdepends madison files provides whatprovides repolist history leaves deps find connections changelog":
      reads,
  },
};

export const SYSTEM_PACKAGES: ProgramTable = {
  "apt apt-get brew": { ...system, closed: "fetches" },
  "aptitude dnf yum zypper apk snap flatpak port winget choco scoop pkg opkg": system,
  "apt-mark add-apt-repository apt-key": {
    rules: [{ rule: "code", why: "changes where packages come from", unless: "help version" }],
  },
  pacman: {
    judge: ({ words }, program) =>
      words.some((word) => /^-[a-zA-Z]*[SRU]/.test(word) && !/^-S[a-z]*[sipl]/.test(word)) ||
      words.some((word) => /^--(?:sync|remove|upgrade)$/.test(word))
        ? { rule: "code", reason: `\`${program}\` installs or removes packages of the machine` }
        : undefined,
  },
  dpkg: {
    closed: "fetches",
    flags: "list listfiles search status get-selections print-architecture",
    rules: [
      createFetchRule({ options: "i install unpack configure force-all" }),
      { rule: "delete", why: "removes packages from the machine", options: "r P remove purge" },
    ],
    reads: true,
  },
  rpm: {
    closed: "fetches",
    flags: "query list info all files verify",
    rules: [
      createFetchRule({ options: "i U F install upgrade freshen", unless: "q query" }),
      { rule: "delete", why: "removes packages from the machine", options: "e erase" },
    ],
    reads: true,
  },
};
