// Formats a command so that it can be pasted into a shell.

/**
 * @param text of the command, such as `["postel", "chat"]`. @param flags with their values; those without a value are
 * omitted.
 */
export function formatShellCommand(
  text: readonly string[],
  flags: Readonly<Record<string, string | undefined>>,
): string {
  const flagWords = Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  return [...text, ...flagWords].map(shellWord).join(" ");
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
