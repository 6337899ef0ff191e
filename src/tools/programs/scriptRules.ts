// Assesses awk and sed scripts, git settings, and file modes.
import type { Risk } from "../risk/Risk.ts";
import type { ArgumentRule } from "./ProgramRow.ts";
import { type Arguments, findOptions } from "./parseArgv.ts";

/** The scripts of a call: values of script options, or the operand if there are none. */
function findScripts(args: Arguments, options: ReadonlySet<string>): readonly string[] {
  const brought = findOptions(args, options);
  const [first] = args.operands;
  const values = brought.flatMap(({ names, value }) =>
    names.some((name) => EXPRESSIONS.has(name)) ? [value ?? ""] : [],
  );
  return brought.length > 0 ? values : first ? [first.word] : [];
}

const EXPRESSIONS = new Set(["e", "expression", "source"]);
const AWK_BRINGS = new Set(["f", "file", "e", "source", "E", "exec"]);
const SED_BRINGS = new Set(["e", "expression", "f", "file"]);

export const awkRule: ArgumentRule = (args, program) => {
  const inPlace = findOptions(args, new Set(["i", "include"])).length > 0;
  const found = findScripts(args, AWK_BRINGS).some(awkActs);
  return found || inPlace
    ? { rule: "code", reason: `\`${program}\` starts programs or writes files from within its text` }
    : undefined;
};

/** Maximum characters of a script that are analysed; a longer one counts as having effects. */
const MOST_CHARS = 40_000;

/** Strings and regular expressions are removed first; a `>` counts only after `print` or `printf`. */
function awkActs(text: string): boolean {
  if (text.length > MOST_CHARS) return true;
  const bare = withoutLiterals(text);
  return (
    /\bsystem\b|\bgetline\b|@|(?<!\|)\|(?!\|)/.test(bare) ||
    bare.split(/[;{}\n]/).some((statement) => /\bprintf?\b.*>/.test(statement))
  );
}

function withoutLiterals(text: string): string {
  let bare = "";
  let operand = false;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "#") {
      const end = text.indexOf("\n", at);
      if (end < 0) break;
      at = end - 1;
    } else if (sign === '"' || (sign === "/" && !operand)) {
      const end = closing(text, at);
      // Without an end it is no literal.
      if (end < 0) return bare + text.slice(at);
      at = end;
      bare += " ";
      operand = true;
    } else {
      bare += sign;
      if (!/\s/.test(sign)) operand = /[\w)\]$]/.test(sign);
    }
  }
  return bare;
}

/** Offset of the character that closes the literal which begins at `from`. */
function closing(text: string, from: number): number {
  const sign = text.charAt(from);
  for (let at = from + 1; at < text.length && text.charAt(at) !== "\n"; at++) {
    if (text.charAt(at) === "\\") at++;
    else if (text.charAt(at) === sign) return at;
  }
  return -1;
}

export const sedRule: ArgumentRule = (args, program) => {
  const acts = findScripts(args, SED_BRINGS).map(sedActs);
  if (acts.includes("runs")) return { rule: "code", reason: `\`${program}\` runs what its text says` };
  return acts.includes("writes")
    ? { rule: "delete", reason: `\`${program}\` writes files from within its text` }
    : undefined;
};

/** Effect of a sed script other than editing lines; reads each command in order. */
function sedActs(text: string): "runs" | "writes" | undefined {
  if (text.length > MOST_CHARS) return "runs";
  let at = 0;
  const delimited = (from: number, parts: number): number => {
    const sign = text.charAt(from);
    let place = from + 1;
    for (let left = parts; left > 0 && place < text.length; place++) {
      if (text.charAt(place) === "\\") place++;
      else if (text.charAt(place) === sign) left--;
    }
    return place;
  };
  const lineEnd = (from: number): number => {
    const end = text.indexOf("\n", from);
    return end < 0 ? text.length : end;
  };
  while (at < text.length) {
    const sign = text.charAt(at);
    if (/[\s;{}!,~+$\dMI]/.test(sign)) at++;
    else if (sign === "/") at = delimited(at, 1);
    else if (sign === "\\") at = delimited(at + 1, 1);
    else if (sign === "s") {
      at = delimited(at + 1, 2);
      const flags = /^[a-zA-Z\d]*/.exec(text.slice(at, at + 64))?.[0] ?? "";
      if (/e/.test(flags)) return "runs";
      if (/w/.test(flags)) return "writes";
      at += flags.length;
    } else if (sign === "y") at = delimited(at + 1, 2);
    else if (sign === "e") return "runs";
    else if (sign === "w" || sign === "W") return "writes";
    else if (/[aic:btTrR#}]/.test(sign)) at = lineEnd(at + 1);
    else at++;
  }
  return undefined;
}

/** Git settings that do not affect what it runs. */
const TAME_SETTINGS =
  /^(?:user|author|committer|color|column|advice|blame|grep|i18n|log|status|format|versionsort|push\.default|push\.autosetupremote|pull\.(?:rebase|ff)|init\.defaultbranch|fetch\.(?:prune|parallel)|merge\.(?:ff|conflictstyle|renames|stat)|rebase\.(?:autosquash|autostash|stat)|commit\.gpgsign|tag\.(?:gpgsign|sort)|branch\.\w+|gc\.auto|protocol\.version|diff\.(?:renames|renamelimit|context|algorithm|noprefix|mnemonicprefix|colormoved|wordregex|submodule|stat\w*)|http\.(?:version|postbuffer|lowspeed\w+)|core\.(?:quotepath|abbrev|autocrlf|eol|safecrlf|filemode|ignorecase|longpaths|compression|precomposeunicode|bare))\b/i;

/** Settings that name a program, or a source of code or settings. */
const RUNNING_SETTINGS =
  /^(?:alias|pager|browser|man|guitool|includeif|filter|credential|url|protocol|gpg|hook)\.|^include\.|^sequence\.editor|^interactive\.difffilter|^sendemail\.|^core\.(?:editor|pager|sshcommand|hookspath|fsmonitor|gitproxy|askpass|alternaterefscommand|worktree)|\.(?:cmd|command|driver|process|textconv|program|uploadpack|receivepack|vcs|proxy|helper|smudge|clean|packobjectshook|update)$/i;

/** Settings that are given for one command (`-c`). */
export const gitSettings: ArgumentRule = (args, program) =>
  findOptions(args, new Set(["c", "config"])).some(({ value = "" }) => !TAME_SETTINGS.test(value))
    ? { rule: "code", reason: `\`${program}\` runs what its own words say` }
    : undefined;

const CONFIG_READS = new Set(["l", "list", "get", "get-all", "get-regexp", "get-urlmatch", "unset", "unset-all"]);

/** `git config`: a name alone is looked up, a name with a value is set. */
export const gitConfig: ArgumentRule = (args, program) => {
  const operands = args.operands.map(({ word }) => word);
  const words = /^(?:set|get|list|unset)$/.test(operands[0] ?? "") ? operands.slice(1) : operands;
  if (/^(?:get|list|unset)$/.test(operands[0] ?? "") || findOptions(args, CONFIG_READS).length > 0) return undefined;
  const [name = "", value] = words;
  const runs = value !== undefined && (RUNNING_SETTINGS.test(name) || value.startsWith("!"));
  return runs || findOptions(args, new Set(["e", "edit"])).length > 0
    ? { rule: "code", reason: `\`${program}\` changes what git runs` }
    : undefined;
};

/** Modes that remove the owner's read permission, or permissions of everybody or of the owner. */
const TAKEN_FROM_OWNER = /^0{1,2}$|^0?[0-3][0-7]{2}$|(?:^|,)(?:[go]*[ua][ugoa]*)?(?:-[rwxXst]+|=)(?:,|$)/;
const DEEP = new Set(["R", "recursive"]);

/** Modes that grant everything to everybody, set the owner's identity on execution, or remove permissions recursively. */
export const chmodRule: ArgumentRule = (args, program): Risk | undefined => {
  const modes = args.words.filter(
    (word) => /^(?:[0-7]{3,5}|0{1,2}|(?:[ugoa]*[-+=][rwxXst]*,?)+)$/.test(word) && !/^-[Rcfv]+$/.test(word),
  );
  if (modes.some((mode) => /^0?[2467][0-7]{3}$/.test(mode) || /[+=][rwxX]*s/.test(mode)))
    return { rule: "rights", reason: `\`${program}\` lets whoever runs a program have its owner's rights` };
  if (!args.options.some(({ names }) => names.some((name) => DEEP.has(name)))) return undefined;
  const open = modes.some((mode) => /[2367]$/.test(mode) || /(?:^|[oa,])\+[rxX]*w|[oa]=[rxX]*w/.test(mode));
  const lost = modes.some((mode) => TAKEN_FROM_OWNER.test(mode));
  if (open) return { rule: "rights", reason: `\`${program}\` lets everybody write to all that lies below` };
  return lost ? { rule: "rights", reason: `\`${program}\` takes rights away from all that lies below` } : undefined;
};
