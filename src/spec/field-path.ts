/** A field of a document, from the root down: keys and list indices as text. */
export type FieldSegments = readonly string[];

/** Writes a path as people read it: `spec.exclude[2]`, `metadata.labels["example.org/team"]`. */
export function fieldPath(segments: readonly (string | number)[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number' || /^(?:0|[1-9][0-9]*)$/.test(segment)) path += `[${segment}]`;
    else if (/^[A-Za-z_][A-Za-z0-9_-]*$/.test(segment)) path += path === '' ? segment : `.${segment}`;
    else path += `[${JSON.stringify(segment)}]`;
  }
  return path;
}

/** Reads what `fieldPath` wrote. */
export function fieldSegments(path: string): FieldSegments {
  const parts = path.matchAll(/\.?([^.[\]"]+)|\[([0-9]+)\]|\[("(?:[^"\\]|\\.)*")\]/g);
  return Array.from(parts, ([, key, index, quoted]) =>
    quoted === undefined ? (key ?? index ?? '') : String(JSON.parse(quoted)),
  );
}
