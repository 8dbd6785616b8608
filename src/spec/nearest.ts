/** The candidate that a mistyped word most likely means; nothing when none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const lower = word.toLowerCase();
  let best: { readonly candidate: string; readonly score: number } | undefined;
  for (const candidate of candidates) {
    const score = distance(lower, candidate.toLowerCase());
    if (
      score <= Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3)) &&
      score < (best?.score ?? Infinity)
    ) {
      best = { candidate, score };
    }
  }
  return best?.candidate ?? contained(lower, candidates);
}

/** `vlanId` means `vlan`: one of them starts or ends with the other. */
function contained(lower: string, candidates: Iterable<string>): string | undefined {
  const related = [...candidates].filter((candidate) => {
    const other = candidate.toLowerCase();
    return other.length > 2 && lower.length > 2 && (isAffix(lower, other) || isAffix(other, lower));
  });
  return related.toSorted((a, b) => b.length - a.length)[0];
}

function isAffix(longer: string, shorter: string): boolean {
  return longer.startsWith(shorter) || longer.endsWith(shorter);
}

/** How many letters must be inserted, removed, changed or swapped with their neighbour. */
function distance(a: string, b: string): number {
  let [beforeLast, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        best = Math.min(best, (beforeLast[column - 2] ?? 0) + 1);
      }
      current.push(best);
    }
    [beforeLast, last] = [last, current];
  }
  return last[b.length] ?? 0;
}
