import { compareText } from '../../lib/order.ts';
import type { DesiredRevision } from '../../reconcile/desired-revisions.ts';
import type { Result } from '../../lib/result.ts';
import type { Command } from '../command.ts';
import { desiredFromPath } from '../desired-from-path.ts';
import { type Fault, printFault } from '../fault.ts';
import type { CliParts } from '../parts.ts';

/** `ovn-gitops lock PATH` */
export const LOCK: Command = {
  name: 'lock',
  summary: 'Pin the automatic addresses of all ports in ovn-gitops.lock.yaml, to be committed.',
  positionals: ['PATH'],
  options: { check: { description: 'write nothing; end with 2 when the file is not up to date' } },
  exitCodes: ['0  the file is up to date', '2  with --check: it is not', '1  the repository is not valid'],
  async run(input, parts) {
    const path = input.positionals[0] ?? '.';
    const result = await desiredWithoutMisfits(parts, path);
    if (!result.ok) {
      printFault(parts, result.error, 'text');
      return 1;
    }
    const text = lockFile(result.value);
    const before = await parts.readFiles(path, undefined);
    const file = before.ok ? before.value.files.find((one) => one.path === LOCK_FILE) : undefined;
    if ((await file?.text()) === text) {
      parts.out(`${LOCK_FILE} is up to date\n`);
      return 0;
    }
    if (input.isSet('check')) {
      parts.err(`${LOCK_FILE} is not up to date; run "ovn-gitops lock" and commit it\n`);
      return 2;
    }
    await parts.writeFile(`${path}/${LOCK_FILE}`, text);
    parts.out(`${LOCK_FILE} written; commit it\n`);
    return 0;
  },
};

const LOCK_FILE = 'ovn-gitops.lock.yaml';

/**
 * The desired state, with those lines of the lock file left out that do not fit any more (a subnet was renumbered):
 * writing the file anew is what mends them. Anything else that is wrong stays wrong.
 */
async function desiredWithoutMisfits(parts: CliParts, path: string): Promise<Result<DesiredRevision, Fault>> {
  const result = await desiredFromPath(parts, path, undefined);
  if (result.ok) return result;
  const errors = (result.error.diagnostics ?? []).filter((diagnostic) => diagnostic.severity === 'error');
  if (errors.length === 0 || errors.some(({ place }) => place.file !== LOCK_FILE)) return result;
  const lines = new Set(errors.map(({ place }) => place.line));
  return desiredFromPath(parts, path, undefined, (file, text) =>
    file === LOCK_FILE ? withoutLines(text, lines) : text,
  );
}

function withoutLines(text: string, lines: ReadonlySet<number>): string {
  const kept = text.split('\n').filter((_, index) => !lines.has(index + 1));
  // A map that lost its last entry must stay a map.
  const hasEntries = kept.some((line) => line.startsWith('    '));
  return kept.map((line) => (line === '  ports:' && !hasEntries ? '  ports: {}' : line)).join('\n');
}

/** The text of the lock file: every address that a Port did not fix itself, in canonical order. */
function lockFile(revision: DesiredRevision): string {
  const lines: string[] = [];
  const ports = [...revision.compiled.addresses].toSorted(([a], [b]) => compareText(a, b));
  for (const [name, { addresses }] of ports) {
    const given = addresses.filter(({ automatic, locked }) => automatic || locked === true);
    const pinned = given.map(({ address }) => `"${address}"`);
    if (pinned.length > 0) lines.push(`    "${name}": [${pinned.join(', ')}]`);
  }
  const entries = lines.length === 0 ? '  ports: {}' : ['  ports:', ...lines].join('\n');
  return `# Written by "ovn-gitops lock": the automatic addresses of ports, pinned. Commit this file.
apiVersion: ovn-gitops.io/v1
kind: AddressLock
metadata:
  name: addresses
spec:
${entries}
`;
}
