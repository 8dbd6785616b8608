import path from 'node:path';
import type { Result } from '../lib/result.ts';
import { fail, ok } from '../lib/result.ts';

/** Where the parts of a running `ovn-gitops up` are; kept in its state directory for the other commands. */
export interface Endpoints {
  readonly redis: string;
  readonly northbound: string;
  readonly southbound: string;
  readonly repository: string;
  readonly owner: string;
  readonly page: string;
}

/** The file's place in a state directory. */
export function endpointsFile(state: string): string {
  return path.join(state, 'endpoints.json');
}

/** Reads it; the failure says that nothing runs there. */
export async function readEndpoints(
  state: string,
  read: (file: string) => Promise<string>,
): Promise<Result<Endpoints, string>> {
  try {
    const found = JSON.parse(await read(endpointsFile(state))) as Partial<Endpoints>;
    if (typeof found.redis === 'string' && typeof found.owner === 'string') return ok(found as Endpoints);
  } catch {
    // Absent and unreadable mean the same to the user.
  }
  return fail(
    `nothing runs in ${state}: start "ovn-gitops up" there, or name the installation's Redis with --redis`,
  );
}
