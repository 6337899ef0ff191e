// The section on documents of docs/guides/tools.md: its files are written and loaded, and what a model is told is what the page shows.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "@jest/globals";
import { blocksOf, isShown } from "../../support/pages.ts";

it("docs/guides/tools.md shows documents as they are served", async () => {
  const section = /^## `openapi`$([\s\S]*?)^## /m.exec(readFileSync("docs/guides/tools.md", "utf8"))?.[1] ?? "";
  const folder = mkdtempSync(join(tmpdir(), "postel-page-"));
  try {
    for (const { file, text } of blocksOf(section)) if (file !== "") writeFileSync(join(folder, file), text);
    const [, words = ""] = /^`postel (.*?)` shows/m.exec(section) ?? [];
    const env = { ...process.env, ORDERS_KEY: "a-key-of-the-orders" };
    const command = [resolve("src/main.ts"), ...words.split(" ")];
    const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: folder, env });
    const shown = blocksOf(section).find(({ language }) => language === "text")?.text ?? "";
    expect({ stdout, isShown: isShown(stdout, shown) }).toEqual({ stdout, isShown: true });
    expect(stdout).not.toContain("a-key-of-the-orders");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
