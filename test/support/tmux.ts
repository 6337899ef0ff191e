// A terminal for a test: a program in a window of tmux, keys sent to it, its screen read.
import { execFile, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

/** A machine of CI without tmux fails; anybody else's does without the tests of terminals. */
export const hasTerminal = process.env.CI !== undefined || spawnSync("tmux", ["-V"]).status === 0;

const run = promisify(execFile);

/** Milliseconds until a screen must show what is waited for, on a machine that does other things. */
const PATIENCE_MS = 40_000;
const LOOK_MS = 50;

export interface TerminalOptions {
  /** The program and its words: no shell reads them. */
  readonly argv: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  /** Beside what tmux gives: `TERM`. Nothing else is inherited but `PATH` and `HOME`. */
  readonly env?: Readonly<Record<string, string>>;
  /** File for every byte that the program writes, as it writes it. */
  readonly record?: string;
}

export interface Terminal {
  /** As they would be typed, character for character. */
  type(text: string): Promise<void>;
  /** As it would be pasted, all at once. */
  paste(text: string): Promise<void>;
  /** Keys by tmux's names: `Enter`, `Down`, `C-c`, `Escape`. */
  press(...keys: readonly string[]): Promise<void>;
  /** What stands on the screen, without blanks at the ends of lines and empty lines at its end. */
  screen(): Promise<string>;
  /** The screen with colours, as escape sequences. */
  coloured(): Promise<string>;
  /** All that was ever written, what has scrolled away included. */
  history(): Promise<string>;
  /** The first screen that matches. Throws with the last screen where none does in time. */
  until(wanted: RegExp | string): Promise<string>;
  /** Of other columns and rows from now on. */
  resize(columns: number, rows: number): Promise<void>;
  /** Sends the program a signal, as from elsewhere. */
  signal(name: NodeJS.Signals): Promise<void>;
  /** The program's exit status, once it has ended. */
  exit(): Promise<number>;
  /** Ends the program and the window. */
  close(): Promise<void>;
}

export async function startTerminal(options: TerminalOptions): Promise<Terminal> {
  const { argv, columns = 80, rows = 24, cwd = process.cwd(), env = {}, record } = options;
  const name = `postel-${randomUUID()}`;
  /** Made for the program to start, and again for its exit status. */
  const sign = join(tmpdir(), name);
  // A server of its own for each: one that ends takes nothing of another's with it.
  const tmux = async (...args: readonly string[]) => (await run("tmux", ["-L", name, ...args])).stdout;
  const inherited = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" };
  const variables = Object.entries({ ...inherited, ...env }).map(([key, value]) => `${key}=${value}`);
  await tmux(
    ...["-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", String(columns), "-y", String(rows), "-c", cwd],
    // How a program ended is not always known to tmux: where it misses the signal it never hears of it.
    ...["sh", "-c", 'while [ ! -e "$0" ]; do sleep 0.02; done; rm "$0"; trap : INT HUP; "$@"; echo $? > "$0"', sign],
    ...["env", "-i", "TERM=tmux-256color", "LANG=C.UTF-8", ...variables, ...argv],
  );
  // The program starts once its window stays after its end.
  await tmux("set-option", "-g", "remain-on-exit", "on");
  await tmux("set-option", "-g", "history-limit", "100000");
  if (record !== undefined) await tmux("pipe-pane", "-t", "t", `cat > '${record}'`);
  writeFileSync(sign, "");
  const capture = async (...flags: readonly string[]) =>
    (await tmux("capture-pane", "-p", "-t", "t", ...flags)).replaceAll(/[ \t]+$/gm, "").trimEnd();
  const terminal: Terminal = {
    type: async (text) => void (await tmux("send-keys", "-t", "t", "-l", "--", text)),
    paste: async (text) => {
      await tmux("set-buffer", "--", text);
      await tmux("paste-buffer", "-p", "-t", "t");
    },
    press: async (...keys) => void (await tmux("send-keys", "-t", "t", ...keys)),
    screen: () => capture(),
    coloured: () => capture("-e"),
    history: () => capture("-S", "-"),
    async until(wanted) {
      const end = performance.now() + PATIENCE_MS;
      for (;;) {
        const screen = await terminal.screen();
        if (typeof wanted === "string" ? screen.includes(wanted) : wanted.test(screen)) return screen;
        if (performance.now() > end) throw new Error(`The screen never showed ${String(wanted)}. It shows:\n${screen}`);
        await sleep(LOOK_MS);
      }
    },
    resize: async (wide, high) => {
      await tmux("resize-window", "-t", "t", "-x", String(wide), "-y", String(high));
    },
    async signal(signal) {
      const shell = await tmux("display-message", "-p", "-t", "t", "#{pane_pid}");
      const { stdout: program } = await run("pgrep", ["-P", shell.trim()]);
      process.kill(Number(program), signal);
    },
    async exit() {
      const end = performance.now() + PATIENCE_MS;
      for (;;) {
        const status = existsSync(sign) ? /^\d+(?=\n)/.exec(readFileSync(sign, "utf8"))?.[0] : undefined;
        // Then all that it wrote stands there.
        if (status && (await tmux("display-message", "-p", "-t", "t", "#{pane_dead}")).startsWith("1"))
          return Number(status);
        if (performance.now() > end) throw new Error(`The program goes on. Its screen:\n${await terminal.screen()}`);
        await sleep(LOOK_MS);
      }
    },
    close: async () => {
      await run("tmux", ["-L", name, "kill-server"]).catch(() => undefined);
      rmSync(sign, { force: true });
    },
  };
  return terminal;
}
