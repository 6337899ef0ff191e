// Programs that change the machine: services, processes, users, disks and the kernel.
import type { ProgramRow, ProgramRule, ProgramTable } from "./ProgramRow.ts";

const rights = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "rights",
  why: "runs something with other rights, or changes who has which",
  ...given,
});
const disks = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "disk",
  why: "writes over disks",
  ...given,
});
const stops = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "disk",
  why: "stops the machine",
  ...given,
});
const ends = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "delete",
  why: "ends what runs on the machine",
  ...given,
});
const later: ProgramRule = { rule: "code", why: "changes what runs later" };

const disk: ProgramRow = { rules: [disks({ unless: "l list version help V" })] };
const destroysDisk: ProgramRow = { rules: [disks({ unless: "version help" })] };
const users: ProgramRow = { rules: [rights({ unless: "version help" })] };
const stopsMachine: ProgramRow = { rules: [stops({ unless: "help version" })] };
/** Volume managers: read verbs are allowed, any other verb is a risk. */
const volumes = (verbs: string): ProgramRow => ({
  rules: [disks({ operand: new RegExp(`^(?!(?:${verbs.replaceAll(" ", "|")})$)`), at: 0 })],
});

export const SYSTEM: ProgramTable = {
  systemctl: {
    values: "H M n o p t host machine property type state lines output root signal s",
    flags: "user system global no-pager all quiet failed now help version full plain",
    verbs: {
      "stop kill disable mask restart try-restart reload-or-restart isolate reboot poweroff halt kexec suspend hibernate emergency rescue revert clean freeze soft-reboot exit switch-root":
        { rules: [ends()] },
      "enable reenable edit link set-property set-environment import-environment unset-environment set-default preset add-wants add-requires bind mount-image":
        { rules: [later] },
      "status is-active is-enabled is-failed cat list-units list-unit-files list-timers list-sockets list-dependencies list-jobs show help get-default show-environment is-system-running":
        { reads: true },
    },
  },
  service: {
    word: true,
    rules: [ends({ operand: /^(?:stop|restart|force-reload|reload|condrestart|try-restart)$/, at: 1 })],
  },
  "initctl rc-service supervisorctl launchctl sv pm2 monit": {
    deep: true,
    verbs: {
      "stop restart remove unload bootout kill delete shutdown disable down": { rules: [ends()] },
      "load bootstrap submit enable": { rules: [later] },
      "status list ls print": { reads: true },
    },
  },
  "rc-update update-rc.d chkconfig": { rules: [later] },
  kill: {
    word: true,
    judge: ({ words }, program) =>
      words.length > 0 &&
      !/^-(?:[lL]\b|-list|-table|0$|-help|-version)/.test(words[0] ?? "") &&
      !/^-s 0(?: |$)/.test(words.slice(0, 2).join(" "))
        ? { rule: "delete", reason: `\`${program}\` ends what runs on the machine` }
        : undefined,
  },
  "killall pkill skill xkill killall5": { rules: [ends({ unless: "l list version help" })] },
  fuser: { rules: [ends({ options: "k kill" })], reads: true },
  "passwd chpasswd": { rules: [rights({ unless: "S status help version" })] },
  "visudo useradd usermod userdel groupadd groupmod groupdel adduser deluser addgroup delgroup chsh chfn gpasswd vipw vigr newusers pwconv chage":
    users,
  "mount umount": {
    word: true,
    values: "t O types",
    rules: [rights({ operand: /./ }), rights({ options: "a all" })],
    reads: true,
  },
  "insmod modprobe rmmod depmod kmod": users,
  "setenforce setsebool semanage aa-disable aa-complain auditctl": users,
  sysctl: {
    rules: [
      { rule: "rights", why: "changes settings of the kernel", options: "w write p load system" },
      { rule: "rights", why: "changes settings of the kernel", operand: /=/ },
    ],
    reads: true,
  },
  "update-alternatives alternatives": {
    rules: [{ ...later, options: "install set remove remove-all auto config" }],
    reads: true,
  },
  ldconfig: { rules: [{ ...later, unless: "p print-cache N version help" }] },
  date: {
    values: "d date r reference f file I",
    rules: [rights({ options: "s set" })],
    flags: "utc iso-8601 rfc-3339",
    reads: true,
  },
  hwclock: { rules: [rights({ options: "w s systohc hctosys set" })], reads: true },
  dmesg: {
    rules: [{ rule: "delete", why: "clears what the kernel has logged", options: "C c clear read-clear" }],
    reads: true,
  },
  journalctl: {
    values: "u n o p t b S U g unit lines output priority since until grep identifier field directory file cursor",
    rules: [
      {
        rule: "delete",
        why: "deletes what was logged",
        options: "vacuum-size vacuum-time vacuum-files rotate relinquish-var flush",
      },
    ],
    reads: true,
  },
  history: { word: true, rules: [{ rule: "delete", why: "deletes the history", options: "c d" }], reads: true },
  "fdisk sfdisk cfdisk gdisk sgdisk": { ...disk, rules: [disks({ unless: "l list version help V d dump p" })] },
  parted: { values: "a", rules: [disks({ unless: "l list version help v" })] },
  "mkfs mke2fs wipefs blkdiscard mkswap newfs mkdosfs mkntfs e2label tune2fs resize2fs xfs_repair": destroysDisk,
  hdparm: { rules: [disks({ unless: "I i g help V" })] },
  badblocks: { rules: [disks({ unless: "V help" })] },
  fsck: { rules: [disks({ unless: "N n version help V" })] },
  "lvremove vgremove pvremove lvcreate lvresize lvreduce vgreduce pvcreate vgcreate lvconvert lvextend": destroysDisk,
  cryptsetup: volumes("status luksDump isLuks luksUUID"),
  mdadm: { rules: [disks({ unless: "D E Q detail examine query version help" })] },
  "zpool zfs": volumes("status list get iostat history events diff version"),
  btrfs: {
    rules: [
      disks({
        operand: /^(?:delete|create|format|add|remove|replace|balance|resize|set|start|clear|snapshot)$/,
        at: 1,
      }),
    ],
  },
  diskutil: volumes("list info activity apfs listFilesystems"),
  nvme: volumes("list list-subsys smart-log id-ctrl id-ns error-log fw-log get-feature version help"),
  format: { word: true, rules: [disks()] },
  "swapoff swapon losetup dmsetup": {
    rules: [rights({ options: "a d D all" }), rights({ operand: /./ })],
    reads: true,
  },
  "shutdown reboot poweroff": stopsMachine,
  "halt init telinit": { word: true, ...stopsMachine },
  "loginctl machinectl": {
    values: "M H",
    verbs: {
      "terminate-session terminate-user kill-session kill-user terminate kill poweroff reboot remove lock-sessions": {
        rules: [ends()],
      },
      "shell login start enable": { rules: [later] },
      "list list-sessions list-users show status show-session show-user session-status user-status": { reads: true },
    },
  },
  tc: { word: true, rules: [rights({ operand: /^(?:add|del|delete|replace|change)$/, at: 1 })] },
  logrotate: { rules: [{ rule: "delete", why: "moves and deletes what was logged", options: "f force" }] },
};
