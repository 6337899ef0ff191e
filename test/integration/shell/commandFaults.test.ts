// What of a command is refused when the file is read: where a call would have a part in what runs. Each refusal names its place and shows what is safe.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of configuration are what is tested.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { validateCommand } from "../../../src/tools/shell/validateCommand.ts";
import { PostelError } from "../../support/gatewayModules.ts";
import { configOf, FILES, makePlace, type Place } from "../../support/shell/shellGateway.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

/** The lines of the refusal; none where the components are taken. */
function faultsOf(components: string): readonly string[] {
  try {
    configOf(place, components);
    return [];
  } catch (error) {
    if (error instanceof PostelError) return error.failure.message.split("\n").slice(1);
    throw error;
  }
}

function toolWith(lines: string): string {
  return `
  - id: tool
    type: shell
    cwd: \${env.WORKSPACE}
${lines.replaceAll(/^/gm, "    ")}
`;
}

const X = "${input.x}";
/** `|` parts the words. */
const wordsOf = (line: string): readonly string[] => line.replaceAll("@", X).split(" ");
const placesIn = (line: string, stdin?: string) =>
  validateCommand({ command: wordsOf(line), params: {}, stdin }).map(({ at }) => at);

describe("the tools of the example", () => {
  it("are taken as they are", () => {
    expect(faultsOf(FILES)).toEqual([]);
  });

  it("are refused with a value in a shell's text, by file and line, with the form that is safe", () => {
    const unsafe = `
  - id: file-writer-unsafe
    type: shell
    command: ["sh", "-c", "echo '\${input.content}' > \${input.file_path}"]
`;
    const [fault, ...others] = faultsOf(unsafe);
    expect(others).toEqual([]);
    expect(fault).toMatch(/postel\.yaml:8:\d+ components\.0\.command\.2: .*behind|among/);
    expect(fault).toContain("would be run as code");
    expect(fault).toContain('command: ["tee", "--", "${input.file_path}"]');
    expect(fault).toContain("stdin: ${input.content}");
  });
});

describe("a placeholder", () => {
  it.each([
    ["in the program's place", "@", [0]],
    ["in a part of the program's name", "/opt/@", [0]],
    ["before text in its word", "cat -- @.txt", [2]],
    ["behind a dash alone", "ls -@", [1]],
    ["behind a switch of one letter", "head -n@ file", [1]],
    ["behind the name of a long switch", "ls --@", [1]],
    ["behind a shell's switch for code", "sh -c @", [2]],
    ["behind several switches in one word", "bash -euc @", [2]],
    ["as an argument of a shell's code", "sh -c run x @", [4]],
    ["as a shell's script", "bash @", [1]],
    ["as a shell's start file", "bash --rcfile @ -i", [2]],
    ["behind env", "env @", [1]],
    ["as a variable of env", "env A=@ ls", [1]],
    ["as a text that env splits", "env -S @", [2]],
    ["behind env in a shell's code", "env sh -c @", [3]],
    ["behind a wrapper in a wrapper", "nice -n 5 timeout 3 sh -c @", [7]],
    ["as the time of a wrapper", "timeout @ ls", [1]],
    ["behind busybox's shell", "busybox sh -c @", [3]],
    ["as code of python", "python3 -c @", [2]],
    ["as code of a python of some version", "python3.12 -c @", [2]],
    ["as a module of python", "python3 -m @", [2]],
    ["as code of node", "node -e @", [2]],
    ["as code of node, by its long name", "node --eval=@", [1]],
    ["as code of deno", "deno eval @", [2]],
    ["as code of perl", "perl -ne @", [2]],
    ["as code of ruby", "ruby -e @", [2]],
    ["as code of php", "php -r @", [2]],
    ["as code of lua", "lua -e @", [2]],
    ["as a program of awk", "awk @ file", [1]],
    ["as a program of awk behind a switch's value", "awk -F : @ file", [3]],
    ["as a program file of awk", "gawk -f @", [2]],
    ["as a script of sed", "sed @ file", [1]],
    ["as a script of sed behind its switch", "sed -n -e @ file", [3]],
    ["behind find's -exec", "find . -exec @ ;", [3]],
    ["anywhere behind find's -execdir", "find . -execdir cat @ ;", [4]],
    ["behind find's -ok", "find . -ok cat @ ;", [4]],
    ["behind the end of switches of find", "find -- @", [2]],
    ["as a file that find writes", "find . -fprintf @ x", [3]],
    ["behind xargs", "xargs cat @", [2]],
    ["behind parallel", "parallel echo ::: @", [3]],
    ["behind ssh", "ssh host @", [2]],
    ["behind sudo", "sudo -n ls @", [3]],
    ["behind doas", "doas ls @", [2]],
    ["as a setting of git", "git -c @ log", [2]],
    ["as a folder of git", "git -C @ log", [2]],
    ["as git's command", "git @", [1]],
    ["as git's program at the other end", "git fetch --upload-pack=@ origin", [2]],
    ["as the address of a repository", "git clone @", [2]],
    ["as the address of a repository that runs a program", "git clone ext::@", [2]],
    ["as a program of tar", "tar -cf a.tar --to-command=@ x", [3]],
    ["as an action of tar", "tar -cf a.tar --checkpoint-action @ x", [4]],
    ["as a compressor of tar", "tar -I @ -cf a.tar x", [2]],
    ["as tar's switches", "tar @ file", [1]],
    ["as rsync's remote shell", "rsync -e @ a b", [2]],
    ["as another machine of rsync", "rsync -a @ b", [2]],
    ["to an editor", "vim -- @", [2]],
    ["to a pager", "less -- @", [2]],
    ["to make", "make @", [1]],
    ["to a package manager", "npm run build -- @", [4]],
    ["to curl", "curl -o out @", [3]],
    ["as what a database runs", "psql -c @", [2]],
    ["as what sort starts", "sort --compress-program=@ x", [1]],
  ])("is refused %s", (_where, line, places) => {
    expect(placesIn(line)).toEqual(places);
  });

  it.each([
    "cat -- @",
    "grep -rn -e @ .",
    "grep -F -- @ notes.txt",
    "grep --regexp=@ -r .",
    "head -n @ notes.txt",
    "find . -name @",
    "ls -l -- @",
    "wc -l -- src/@",
    "jq . @",
    "awk {print} @",
    "awk -v x=@ {print} file",
    "sed -n 1p @",
    "bash /opt/tool.sh @",
    "python3 /opt/tool.py @",
    "timeout 5 cat -- @",
    "env LC_ALL=C sort -- @",
    "git log --oneline -- @",
    "git grep -e @",
    "date --date=@",
    "tar -tzf --force-local @",
    "my-own-tool @ --name=@",
  ])("is taken in: %s", (line) => {
    expect(placesIn(line)).toEqual([]);
  });

  it.each([
    ["sh", ["stdin"]],
    ["sh -s x", ["stdin"]],
    ["bash -", ["stdin"]],
    ["python3 -", ["stdin"]],
    ["python3 /dev/stdin", ["stdin"]],
    ["python3 -i /opt/tool.py", ["stdin"]],
    ["node", ["stdin"]],
    ["perl", ["stdin"]],
    ["timeout 5 sh", ["stdin"]],
    ["xargs rm", ["stdin"]],
    ["psql shop", ["stdin"]],
    ["crontab -", ["stdin"]],
    ["awk -f -", ["stdin"]],
    ["sed -f - file", ["stdin"]],
    ["make -f -", ["stdin"]],
    ["tar -cf a.tar -T -", ["stdin"]],
    ["python3 /opt/tool.py", []],
    ["sort", []],
    ["wc -l", []],
    ["tee -- x", []],
  ])("on the standard input of `%s` is refused where that is code", (line, places) => {
    expect(placesIn(line, X)).toEqual(places);
    expect(placesIn(line, "text of the operator")).toEqual([]);
  });
});

/** Each gives a call the code, the script or the program behind something that starts it, or an option that writes or runs. */
const REFUSED = [
  ...["prlimit --as=1", "setarch x86_64", "fakeroot", "choom -n 1 --", "perf stat", "valgrind", "chronic", "unbuffer"],
  ...["numactl -N0", "firejail", "bwrap --bind / /", "cpulimit -l 5 --", "systemd-cat", "cgexec -g x", "faketime now"],
  ...["tini --", "dumb-init", "rlwrap", "proxychains", "eatmydata", "systemd-inhibit", "ssh-agent", "my-own-wrapper"],
  ...["timeout 5", "nice -n 5", "nohup", "setsid", "stdbuf -oL", "ionice -c3", "taskset 1", "flock lock", "strace -f"],
  ...["ltrace", "busybox", "env A=1", "env -u A", "chrt 5", "time", "xargs", "sudo", "doas", "unshare", "chroot /"],
  ...["watch", "script", "parallel", "ssh host", "docker exec box", "systemd-run", "xvfb-run", "prlimit nice -n 5"],
].map((wrapper) => `${wrapper} sh -c @`);
const REFUSED_OTHERWISE = [
  "prlimit bun -e @",
  "prlimit --as=1 deno eval @",
  "arch -x86_64 sh -c @",
  "arch -arm64 python3 -c @",
  "prlimit bash -lc @",
  "prlimit --nofile=64 bash -e -u -c @",
  "prlimit --nofile=64 bash @",
  "fakeroot python3 -c @",
  "fakeroot python3 -m @",
  "fakeroot python3 @",
  "setarch x86_64 perl -e @",
  "setarch x86_64 awk @",
  "setarch x86_64 sed -e @",
  "chronic node -e @",
  "chronic node --require=@ x.js",
  "unbuffer find . -exec @ ;",
  "prlimit xargs @",
  "prlimit sudo @",
  "prlimit env @",
  "prlimit env A=1 @",
  "prlimit timeout 5 @",
  "prlimit --exec=/bin/sh -c @",
  "/lib64/ld-linux-x86-64.so.2 /bin/sh -c @",
  "find . -exec sh -c @ ;",
  "prlimit sort --output=@ x",
  "prlimit sort --compress-program=@ x",
  "sort --output=@ x",
  "sort -o @ x",
  "sort --compress-program @ x",
  "split --filter=@ x",
  "split --filter @ x",
  "iconv --output=@ x",
  "shuf --output=@ x",
  "rg --pre=@ x y",
  "rg --pre @ x y",
  "tcpdump -w @",
  "tcpdump -z @ -w x",
  "strace -o @ ls",
  "openssl rand -out @ 16",
  "gcc -o @ x.c",
  "gcc -wrapper @ x.c",
  "hyperfine @",
  "tmux new-session @",
  "pandoc --filter @ x",
  "git log --output=@",
];

/** Each is taken as it was: what the call gives is data to the program. */
const TAKEN = [
  "arch -x86_64 grep -c -- @ x",
  "prlimit --as=1 echo -- @",
  "prlimit --as=1 python3 /opt/tool.py @",
  "prlimit --as=1 bash /opt/tool.sh @",
  "fakeroot node /opt/tool.js --name=@",
  "setarch x86_64 grep -c -- @ notes.txt",
  "nice -n 5 echo -- @",
  "timeout 5 python3 /opt/tool.py -- @",
  "env LC_ALL=C sort -- @",
  "stdbuf -oL grep -F -- @ x",
  "grep -rn -- @ .",
  "grep -e @ sh",
  "grep sh -- @",
  "rg -n -- @ src",
  "ag -- @ src",
  "git log --grep=@",
  "git log --author=@ --oneline",
  "git show --stat @",
  "git grep -n -e @",
  "git diff -- @",
  "systemctl status @",
  "systemctl is-active @",
  "journalctl -u @",
  "apt-cache show @",
  "apt-cache search bash @",
  "dpkg-query -s @",
  "which @",
  "whatis sh @",
  "cat -- @",
  "head -n 5 -- @",
  "wc -l -- @",
  "cp -- @ kept",
  "tee -- @",
  "mkdir -p -- @",
  "touch -- @",
  "ls -l -- @",
  "du -sh -- @",
  "stat -- @",
  "file -- @",
  "diff -u a @",
  "jq . @",
  "sort -k 2 -- @",
  "sort --key=@ x",
  "uniq -c @",
  "split -l 10 @",
  "sha256sum -- @",
  "date --date=@",
  "ping -c 1 -- @",
  "dig @",
  "host @",
  "psql-report --name @",
  "my-own-tool --mode=fast @",
  "my-own-tool --output=@",
  "my-own-tool watch @",
  "my-own-tool list at @",
  "my-own-tool git @",
  "my-own-tool --format json curl @",
  "pytest -k @",
  "redis-cli GET @",
  "aws s3 ls @",
  "openssl x509 -noout -in @",
  "unzip -l @",
  "tar -tzf --force-local @",
  "java -jar /opt/tool.jar @",
  "php /opt/tool.php @",
  "ruby /opt/tool.rb @",
  "perl /opt/tool.pl @",
];

/** Each only reads what the call names, or writes it to its standard output. */
const READ = [
  ...["cp @ kept", "cp -t out @", "ln -s @ link", "install @ kept", "dd if=in/@ of=out", "tee kept", "gzip -c @"],
  ...["gzip -l @", "xz --stdout @", "zstd -t @", "sed -n 1p @", "sed -e s/a/b/ @", "yq .a @", "find @ -name x"],
  ...["touch -r @ kept", "truncate -r @ kept", "chmod --reference=@ kept", "uniq @", "split -l 10 @", "zip a.zip @"],
  ...["unzip -l @", "unrar l @", "qpdf --show-npages @", "pdftotext @ -", "pdftotext -f 1 @", "mkdir -m @ kept"],
  ...["xxd @", "tar -tf --force-local @", "cat @", "diff a @", "git log -- @"],
  ...["my-own-tool rm @", "my-own-tool touch @"],
];

describe("validateCommand on programs that reach other machines", () => {
  it.each([
    "kubectl get pods --namespace=@",
    "kubectl get pods -n @",
    "kubectl --namespace @ get pods",
    "kubectl logs web --tail=@",
    "kubectl get pods --selector=@",
    "oc describe pod web --namespace=@",
    "docker logs --tail=@ web",
    "podman logs --since=@ web",
  ])("takes %s", (line) => {
    expect(placesIn(line)).toEqual([]);
  });

  it.each([
    "kubectl delete pods --namespace=@ --all",
    "kubectl exec web --namespace=@ -- id",
    "kubectl get pods --server=@",
    "kubectl get pods --kubeconfig=@",
    "kubectl get @",
    "kubectl get pods -o @",
    "docker run @",
    "docker --host=@ logs web",
  ])("refuses %s with the true reason", (line) => {
    const [fault] = validateCommand({ command: wordsOf(line), params: {} });
    expect(fault?.message).toContain("its words choose which machine or cluster it acts on, and what is done there");
    expect(fault?.message).toMatch(/Write these words as literals, .* behind `--(?:namespace|tail)=`/);
    expect(fault?.message).not.toContain("starts other programs");
  });

  it.each(["curl @", "curl https://example.com/@", "wget -q @", "http GET @"])(
    "says of %s how to write an http-client",
    (line) => {
      const [fault] = validateCommand({ command: wordsOf(line), params: {} });
      expect(fault?.message).toContain("Write an `http-client` component that has the address in `base_url`");
      expect(fault?.message).not.toContain("Name the program itself");
    },
  );
});

describe("validateCommand on operands", () => {
  it.each([...READ, "tee -- @", "touch @", "cp a @", "mkdir -p -- @"])("takes %s", (line) => {
    expect(placesIn(line)).toEqual([]);
  });
});

describe("commandFaults", () => {
  it.each([...REFUSED, ...REFUSED_OTHERWISE])("refuses %s", (line) => {
    const [fault] = validateCommand({ command: wordsOf(line), params: {}, stdin: undefined });
    expect(fault?.message).toMatch(/^expected nothing of a call .*(?:Name the program itself|Write )/);
    expect(wordsOf(line)[Number(fault?.at)]).toContain(X);
  });

  it.each(TAKEN)("takes %s", (line) => {
    expect(placesIn(line)).toEqual([]);
  });

  it("refuses a command within one word, behind a program that it does not know", () => {
    const command = ["my-own-wrapper", `sh -c ${X}`];
    expect(validateCommand({ command, params: {} })).toMatchObject([{ at: 1 }]);
    expect(validateCommand({ command: ["my-own-tool", `the shell sh says ${X}`], params: {} })).toEqual([]);
    expect(validateCommand({ command: ["my-own-tool", `hello ${X}`], params: {} })).toEqual([]);
  });

  it("refuses the standard input of an interpreter behind a program that it does not know", () => {
    expect(placesIn("prlimit --as=1 sh", X)).toEqual(["stdin"]);
    expect(placesIn("prlimit --as=1 python3 -", X)).toEqual(["stdin"]);
    expect(placesIn("prlimit --as=1 python3 /opt/tool.py", X)).toEqual([]);
  });

  it("takes a path where a file is written, since it stays in the folder", () => {
    const params = { x: { type: "string", format: "path" } };
    expect(validateCommand({ command: ["sort", `--output=${X}`, "notes.txt"], params })).toEqual([]);
    expect(validateCommand({ command: ["sort", `--compress-program=${X}`, "notes.txt"], params })).toHaveLength(1);
  });

  it("names the interpreter that could be started, and why", () => {
    const [fault] = validateCommand({ command: ["prlimit", "--as=1", "sh", "-c", X], params: {} });
    expect(fault?.message).toContain("`sh` among the words may be started, and it would be run as code");
    const [written] = validateCommand({ command: ["sort", `--output=${X}`], params: {} });
    expect(written?.message).toContain("say `format: path` of the parameter");
  });
});

describe("a shell component", () => {
  it.each([
    [
      "a program that is not there",
      "command: [no-such-program-here]",
      /command\.0: expected a program that is in PATH/,
    ],
    ["a line instead of words", "command: [ls -l]", /command\.0: expected the name of one program/],
    ["a command as one text", "command: ls -l", /command: expected a list of words/],
    ["a number among the words", "command: [head, -n, 5]", /command\.2: expected a word \(quote/],
    ["a root that has no meaning", 'command: [cat, "${output.x}"]', /has no meaning here/],
    ["the whole input", 'command: [cat, "${input}"]', /must name an input/],
    ["neither command nor actions", "stdin: x", /command: is missing; expected a list of words/],
    ["both", "command: [ls]\nactions: [{ id: a, command: [ls] }]", /command: expected in the entry of `actions`/],
    ["an unknown key", "command: [ls]\ntimeout: 5", /unknown key `timeout`.*timeout_ms/],
    [
      "a parameter that nothing uses",
      "command: [ls]\nparams: { x: { type: string } }",
      /params\.x: expected a parameter/,
    ],
    [
      "variables with a value of the model's",
      'command: [ls]\nenv: { A: "${input.x}" }',
      /`..input.x.` has no meaning here/,
    ],
    [
      "a path whose default leaves",
      'command: [cat, --, "${input.x | ..}"]\nparams: { x: { format: path } }',
      /default that is a relative path/,
    ],
    [
      "a path behind half a name",
      'command: [cat, --, "file_${input.x}"]\nparams: { x: { format: path } }',
      /expected a path .* as a whole word/,
    ],
    [
      "a path behind a folder outside",
      'command: [cat, --, "/etc/${input.x}"]\nparams: { x: { format: path } }',
      /expected a path .* as a whole word/,
    ],
  ])("is refused with %s", (_what, lines, message) => {
    const faults = faultsOf(toolWith(lines));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(message);
    expect(faults[0]).toMatch(/^\S+postel\.yaml:\d+:\d+ components\.0/);
  });

  it("is refused where its folder is not there, or paths have none", () => {
    const [gone] = faultsOf("\n  - id: tool\n    type: shell\n    command: [ls]\n    cwd: gone\n");
    expect(gone).toContain("components.0.cwd: expected an existing folder");
    const path = 'command: [cat, --, "${input.x}"]\n    params: { x: { format: path } }';
    const [none] = faultsOf(`\n  - id: tool\n    type: shell\n    ${path}\n`);
    expect(none).toContain("components.0.cwd: is missing; expected the folder that paths");
  });

  it("is refused where a call could write the program, through a link too", () => {
    const bin = join(place.workspace, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "tool"), "#!/bin/sh\necho hi\n");
    chmodSync(join(bin, "tool"), 0o755);
    symlinkSync(join(bin, "tool"), join(place.folder, "linked"));
    for (const program of ["bin/tool", "./bin/tool", join(bin, "tool"), join(place.folder, "linked")])
      expect(faultsOf(toolWith(`command: ["${program}"]`))).toEqual([expect.stringContaining("outside of `cwd`")]);
  });

  it("with an agent that wants a tool of its actions names them as an HTTP service does", () => {
    const several = toolWith("actions: [{ id: list, command: [ls] }, { id: count, command: [ls, -l] }]");
    const config = configOf(place, several);
    expect(config.agents[0]?.tools.map(({ tool }) => tool)).toEqual(["tool.list", "tool.count"]);
  });
});
