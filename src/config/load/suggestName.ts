// Suggests the known name that was probably meant by a mistyped one. Suggests close matches only.

/** `did you mean …`, or nothing. */
export function suggestName(name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  return nearest ? ` (did you mean \`${nearest}\`?)` : "";
}

/** The known name within two edits of `name` (one, for names of up to four characters), or undefined. */
function nearestName(name: string, known: Iterable<string>): string | undefined {
  const maxDistance = name.length <= 4 ? 1 : 2;
  const normalizedName = normalize(name);
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > maxDistance + 2) continue;
    const distance = editDistance(normalizedName, normalize(candidate));
    if (distance <= maxDistance && (!best || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name;
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ .]/g, "");
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i += 1) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j += 1) {
      const substitutionCost = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(substitutionCost, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
