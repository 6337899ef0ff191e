#!/usr/bin/env node
// argv → a cli command, nothing else.
import { runCommandLine } from "./cli/runCommandLine.ts";

process.exitCode = await runCommandLine(process.argv.slice(2));
