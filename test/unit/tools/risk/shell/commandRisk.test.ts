import { describe, expect, it } from "@jest/globals";
import {
  assessCommand,
  assessCommandLine,
  type CommandPolicy,
} from "../../../../../src/tools/risk/shell/commandRisk.ts";
import { DANGEROUS, HARMLESS, NAMES_AS_DATA } from "../../../../fixtures/risk/programCommands.ts";
import { REACHING, STAYING } from "../../../../fixtures/risk/remoteCommands.ts";

function alarms(lines: readonly string[], policy: CommandPolicy = "on"): readonly string[] {
  return lines.filter((line) => assessCommandLine(line, policy) !== undefined);
}

describe("commandLineDanger", () => {
  it.each(DANGEROUS)("asks about %s", (line) => {
    expect(assessCommandLine(line)).toMatchObject({ reason: expect.stringMatching(/\S/) });
  });

  it("runs harmless commands unasked", () => {
    expect(alarms(HARMLESS)).toEqual([]);
  });

  it("runs commands unasked that hold names of dangerous programs as data", () => {
    expect(alarms(NAMES_AS_DATA)).toEqual([]);
  });

  it.each([
    ["kubectl -n x delete pod y", "delete", "`kubectl delete` deletes what runs in the cluster"],
    ["docker compose down -v", "delete", "`docker compose down` removes containers, or what they keep"],
    ["sort -o /etc/cron.d/x y", "delete", "`sort` writes beyond its own folder"],
    ["mysql -e 'DROP TABLE x'", "drop", "`DROP TABLE` removes x with all that is in it"],
    ["python3 -m timeit x", "code", "`-m timeit` runs code that stands in its own words"],
    ["npx evil", "code", "fetches a package and runs it"],
  ])("says of %s what it would do", (line, rule, reason) => {
    expect(assessCommandLine(line)).toEqual({ rule, reason });
  });

  it("takes a word behind an option that it does not know for the verb too", () => {
    expect(alarms(["kubectl --new-option x delete pod y", "docker --new-option x rm web"])).toHaveLength(2);
  });

  it("judges options behind a verb as the verb's", () => {
    expect(alarms(["git switch -c x", "git commit -c HEAD", "git push -u origin x"])).toEqual([]);
    expect(alarms(["git -c core.pager=id log", "git clone -u id x"])).toHaveLength(2);
  });

  it("looks through programs that it does not know, and no others", () => {
    expect(alarms(["mytool rm -rf x", "mytool --as 1 sh -c id", "mytool --run=/bin/rm -rf x"])).toHaveLength(3);
    expect(alarms(["man rm -rf x", "grep rm -rf x", "git log rm -rf x", "pytest rm -rf x"])).toEqual([]);
  });
});

describe("assessCommandLine on commands that reach far", () => {
  it.each(REACHING)("asks about %s", (line) => {
    expect(assessCommandLine(line)).toMatchObject({ reason: expect.stringMatching(/\S/) });
  });

  it("runs harmless commands of the same programs unasked", () => {
    expect(alarms(STAYING)).toEqual([]);
  });
});

describe("commandLineDanger under `strict`", () => {
  it.each([
    "mytool x",
    "prlimit --nofile=5 ls",
    "npm test",
    "python3 script.py",
    "cp a b",
    "touch x",
    "git commit -m x",
    "git push",
    "docker run alpine",
    "kubectl apply -f x.yaml",
    "sort -o out x",
    "sed -i s/a/b/ x",
    "curl https://x.test",
    "psql -c 'SELECT 1'",
    "rm -rf x",
  ])("asks about %s", (line) => {
    expect(assessCommandLine(line, "strict")).toBeDefined();
  });

  it("runs commands unasked that are known to only read", () => {
    const reading = [
      ...[
        "ls -la",
        "cat x",
        "grep -rn x src",
        "timeout 5 wc -l x",
        "env A=b ls",
        "find . -name x",
        "sort -u x",
        "jq . x",
      ],
      ...[
        "git status",
        "git log -5",
        "git -C x diff",
        "git stash list",
        "docker ps",
        "docker image ls",
        "kubectl get pods",
      ],
      ...["docker compose logs web", "aws s3 ls", "npm ls", "pip list", "systemctl status x", "sysctl -a", "man ls"],
      ...["sed -n 1p x", "awk '{print $1}' x", "redis-cli GET x", "terraform plan", "helm list", "python3 --version"],
    ];
    expect(alarms(reading, "strict")).toEqual([]);
  });

  it("names the program that is not known", () => {
    expect(assessCommand(["nice", "mytool", "x"], "strict")).toEqual({
      rule: "unknown",
      reason: "`mytool` is not known to only read",
    });
  });
});

describe("the cost of commandDanger", () => {
  const MEGABYTE = 1_000_000;

  /** Milliseconds of the processor; the least of three. */
  function cost(run: () => unknown): number {
    const times = [1, 2, 3].map(() => {
      const before = process.threadCpuUsage();
      run();
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...times);
  }

  it.each([
    ["one long word", ["echo", "x".repeat(MEGABYTE)]],
    ["an option of many letters", ["rm", `-${"f".repeat(MEGABYTE)}`]],
    ["a text of awk", ["awk", "{print $1 /a/} ".repeat(MEGABYTE / 15)]],
    ["an open literal of awk", ["awk", `"`.repeat(MEGABYTE)]],
    ["a text of sed", ["sed", "s/a/b/;".repeat(MEGABYTE / 8)]],
    ["an open text of sed", ["sed", "s/".repeat(MEGABYTE / 2)]],
    ["SQL of a client", ["psql", "-c", "SELECT '\\' /*! ".repeat(MEGABYTE / 15)]],
    ["lines of a client", ["sqlite3", "x", "\n".repeat(MEGABYTE)]],
    ["a call of mongosh", ["mongosh", "--eval", `db${".a".repeat(MEGABYTE / 2)}`]],
    ["a path", ["cp", "a", "../".repeat(MEGABYTE / 3)]],
    ["a header of curl", ["curl", "-d", "a".repeat(MEGABYTE)]],
    ["an address of rsync", ["rsync", "a.".repeat(MEGABYTE / 2)]],
    ["a setting of git", ["git", "config", "a.".repeat(MEGABYTE / 2), "x"]],
  ])("is below 50 ms for a megabyte: %s", (_, argv) => {
    expect(cost(() => assessCommand(argv))).toBeLessThan(50);
  });

  it.each(["rm", "git push", "sh -c", "env", "mytool", "--output", "-x", "-o /etc", "kubectl -n", "A=b", "sudo id"])(
    "is below 50 ms for as many words as are judged: %s",
    (unit) => {
      const words = Array.from({ length: 10_000 }, () => unit.split(" "))
        .flat()
        .slice(0, 19_000);
      for (const program of ["mytool", "git", "env", "tar", "npm"])
        expect(cost(() => assessCommand([program, ...words]))).toBeLessThan(50);
    },
  );

  it("asks about more words than are judged", () => {
    const words = Array.from({ length: 30_000 }, () => "x");
    expect(assessCommand(["echo", ...words])).toMatchObject({ rule: "unread" });
  });
});
