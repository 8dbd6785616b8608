import { SourceFault } from './source-error.ts';

/** One line of a tree object. */
export interface TreeEntry {
  /** Octal without leading zeros, e.g. `100644`, `40000`. */
  readonly mode: string;
  readonly name: string;
  /** False when the name is not UTF-8, has control characters or can't be a single path component. */
  readonly isNameValid: boolean;
  readonly oid: string;
}

/** Parses the content of a tree object: `mode SP name NUL oid` repeated, oids in binary. Throws OBJECT_DAMAGED. */
export function parseTree(bytes: Uint8Array, oid: string): readonly TreeEntry[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: TreeEntry[] = [];
  for (let at = 0; at < buffer.length;) {
    const space = buffer.indexOf(0x20, at);
    const nul = buffer.indexOf(0, space);
    if (space < 0 || nul < 0 || nul + 21 > buffer.length) {
      throw new SourceFault('OBJECT_DAMAGED', `tree ${oid} is malformed`);
    }
    const raw = buffer.subarray(space + 1, nul);
    const name = raw.toString('utf8');
    entries.push({
      mode: buffer.toString('latin1', at, space).replace(/^0+/u, ''),
      name,
      isNameValid: Buffer.from(name).equals(raw) && isPathComponent(name),
      oid: buffer.toString('hex', nul + 1, nul + 21),
    });
    at = nul + 21;
  }
  return entries;
}

/** True for a file name that can be printed and compared without surprises. */
export function isPathComponent(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\\\p{Cc}\u202A-\u202E\u2066-\u2069]/u.test(name);
}

/** Files and folders that start with a dot belong to tools (.git, .github, .gitkeep): they are never specs. */
export function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** True for the names that hold specs. */
export function isYaml(name: string): boolean {
  return /\.ya?ml$/iu.test(name) && !isHidden(name);
}
