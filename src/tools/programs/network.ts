// Programs that reach other machines, or change how the machine reaches them.
import type { ProgramRow, ProgramRule, ProgramTable } from "./ProgramRow.ts";

const SENDS = "sends what it is given to another machine";
const sends = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "network",
  why: SENDS,
  ...given,
});
const file = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "network",
  why: "sends a file to another machine",
  ...given,
});
const changes = (given: Omit<ProgramRule, "rule" | "why"> = {}): ProgramRule => ({
  rule: "rights",
  why: "changes how the machine reaches others",
  ...given,
});

const sender: ProgramRow = { closed: "leaves", rules: [sends({ unless: "version help V" })] };

export const NETWORK: ProgramTable = {
  curl: {
    closed: "leaves",
    values:
      "A C E m P r t u U w x X y Y z user-agent max-time request user proxy range retry retry-delay connect-timeout cert key cacert capath ciphers resolve interface referer limit-rate max-redirs write-out speed-limit speed-time proxy-user tlsv oauth2-bearer aws-sigv4 netrc-file pass dns-servers local-port max-filesize continue-at time-cond data-raw form-string proto-default",
    flags:
      "head help get include insecure location silent show-error fail fail-with-body verbose compressed remote-name remote-header-name progress-bar no-progress-meter version next globoff ipv4 ipv6 http1.1 http2 create-dirs parallel netrc basic digest negotiate ntlm anyauth no-buffer show-headers location-trusted tlsv1.2 tlsv1.3",
    code: "K config engine",
    writes:
      "o c D output output-dir cookie-jar dump-header trace trace-ascii stderr hsts alt-svc etag-save libcurl ssl-sessions",
    sends: "T upload-file",
    rules: [
      file({ options: "d data data-ascii data-binary json expand-data", value: /^@/ }),
      file({ options: "data-urlencode url-query variable expand-url", value: /^[^=]*@/ }),
      file({ options: "F form", value: /=[@<]|^@/ }),
      file({ options: "H header proxy-header", value: /^@/ }),
      file({ options: "b cookie", value: /^[^=]+$/ }),
      file({ options: "mail-from mail-rcpt" }),
      { rule: "delete", why: "deletes what the address names", options: "X request", value: /^delete$/i },
      { rule: "delete", why: "gives orders to the server", options: "Q quote", value: /\S/ },
      { rule: "outside", why: "reads files of this machine", operand: /^file:/i },
      { rule: "outside", why: "reads files of this machine", options: "url", value: /^file:/i },
      { rule: "outside", why: "reads files of this machine", options: "proto-default", value: /^file$/i },
      {
        rule: "outside",
        why: "speaks with a service of this machine",
        options: "unix-socket abstract-unix-socket",
        value: /./,
      },
      { rule: "delete", why: "writes a file", options: "w write-out", value: /%output/ },
      sends({ operand: /^(?:telnet|smtps?|gopher|dict|tftp|ldaps?):/i }),
    ],
  },
  wget: {
    closed: "leaves",
    values:
      "B D I l Q R t T U w X A tries timeout wait user password user-agent header level accept reject limit-rate max-redirect referer domains post-data body-data base",
    flags:
      "quiet no-verbose continue recursive no-parent mirror timestamping spider server-response page-requisites convert-links no-check-certificate content-disposition version help",
    code: "e execute config use-askpass",
    writes:
      "O o a P output-document output-file append-output directory-prefix save-cookies warc-file rejected-log hsts-file",
    sends: "post-file body-file load-cookies",
    rules: [
      { rule: "delete", why: "deletes what the address names", options: "method", value: /^delete$/i },
      {
        rule: "outside",
        why: "takes addresses from a file beyond its folder",
        options: "i input-file",
        value: /^(?:[/~]|\.\.\/)/,
      },
    ],
  },
  "aria2c http https xh httpie": {
    closed: "leaves",
    values: "a A b s timeout auth session d x i",
    writes: "o output out dir",
    rules: [
      file({ operand: /[^:]@[./~\w]/ }),
      { rule: "delete", why: "deletes what the address names", operand: /^delete$/i, at: 0 },
      {
        rule: "code",
        why: "starts programs by its options",
        options: "on-download-complete on-download-start on-download-stop",
      },
    ],
  },
  rsync: {
    code: "e rsh rsync-path",
    values: "f filter exclude include T B M timeout port bwlimit chmod compare-dest copy-dest link-dest info",
    chooses: "files-from",
    writes: "log-file backup-dir",
    written: "last",
    flags: "dry-run archive verbose itemize-changes progress stats human-readable compress recursive",
    rules: [
      {
        rule: "delete",
        why: "would delete whatever lies below",
        options:
          "del delete delete-before delete-during delete-delay delete-after delete-excluded delete-missing-args remove-source-files",
        unless: "n dry-run list-only",
      },
      sends({ operand: /^[\w.-]+@[\w.-]+:|^[\w.-]{2,}:|^[\w.-]+::|^rsync:\/\// }),
    ],
  },
  "scp sftp nc ncat netcat socat telnet ftp tftp lftp sendmail mailx s-nail": sender,
  "msmtp swaks mutt nping croc wormhole ngrok cloudflared chisel": { rules: sender.rules },
  mail: { ...sender, word: true },
  "ssh-copy-id": { rules: [{ rule: "rights", why: "gives a key access to another machine" }] },
  rclone: {
    ...sender,
    rules: [],
    values: "config P transfers include exclude filter",
    deep: true,
    verbs: {
      "ls lsd lsl lsf lsjson listremotes size about version check tree": { reads: true },
      "copy copyto sync move moveto delete deletefile purge rcat mount serve bisync rmdir rmdirs cleanup config copyurl dedupe touch":
        { rules: [sends()] },
    },
  },
  tcpdump: { values: "i c s G C W r F B Z", code: "z postrotate-command", writes: "w", flags: "version help" },
  "tshark nmap": { values: "i c f Y r p", writes: "w oN oX oG oA", code: "X script" },
  ifconfig: {
    rules: [
      changes({
        operand: /^(?:down|up|netmask|mtu|hw|add|del|broadcast|promisc|-?arp|(?:\d+\.){3}\d+)$/,
      }),
    ],
  },
  ip: {
    values: "n f netns family",
    rules: [
      changes({ operand: /^(?:a|add|append|d|del|delete|flush|set|change|replace|restore)$/, at: 1 }),
      { rule: "code", why: "runs a program", operand: /^exec$/, at: 1 },
      { rule: "code", why: "carries out orders of a file", options: "b batch" },
    ],
    style: "single-dash",
    flags: "br brief json color details statistics oneline resolve all",
    reads: true,
  },
  route: { word: true, rules: [changes({ operand: /^(?:add|del|delete|flush|change)$/ })] },
  "iptables ip6tables ebtables arptables": {
    values: "t",
    rules: [changes({ unless: "L S list list-rules version help C check" })],
  },
  "iptables-restore ip6tables-restore": { rules: [changes({ unless: "t test" })] },
  nft: {
    values: "f file",
    rules: [
      changes({ options: "f file" }),
      changes({ operand: /^(?:flush|add|delete|insert|replace|create|reset|destroy)$/, at: 0 }),
    ],
  },
  ufw: {
    verbs: {
      "status version app show": { reads: true },
      "enable disable reset allow deny reject delete insert limit route default reload logging": { rules: [changes()] },
    },
  },
  "firewall-cmd": {
    rules: [
      changes({
        options:
          "add-port add-service remove-port remove-service reload complete-reload permanent panic-on set-default-zone add-rich-rule remove-rich-rule runtime-to-permanent",
      }),
    ],
  },
  nmcli: {
    deep: true,
    verbs: {
      "delete del down off up modify mod add edit disconnect": { rules: [changes()] },
      "show status list": { reads: true },
    },
  },
  "resolvectl hostnamectl timedatectl localectl": {
    verbs: {
      "set-hostname set-time set-timezone set-ntp set-locale set-keymap dns revert flush-caches domain": {
        rules: [changes({ operand: /./ })],
      },
      "status show query list-timezones": { reads: true },
    },
  },
};
