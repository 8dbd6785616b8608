import { fetch as gitFetch, listServerRefs } from 'isomorphic-git';
import type { HttpClient } from 'isomorphic-git';
import { isSystemError } from './attempt.ts';
import { isNotFound, openReader } from './git-object.ts';
import type { Order, Origin } from './origin.ts';
import type { PackBounds } from './pack-scan.ts';
import { scanPack } from './pack-scan.ts';
import { quote } from './pkt-line.ts';
import { peelToCommit } from './revision.ts';
import { SourceFault } from './source-error.ts';
import { qualifiedRef } from './source-options.ts';
import { readTip, TIP } from './store.ts';
import { wholeFiles } from './store-files.ts';
import type { TransportOptions } from './transport.ts';
import { openTransport } from './transport.ts';

/** A server that speaks smart HTTP as the origin of revisions. */
export function remoteOrigin(url: string, options: TransportOptions): Origin {
  const { label, limits } = options;
  const transport = openTransport(options);
  const bounds = { objectBytes: limits.packBytes, inflatedBytes: limits.packBytes * INFLATION };
  const server = (signal: AbortSignal): Server => ({ http: transport.client(signal), url, label, bounds });
  return {
    label,
    find: async (ref, signal) => {
      const name = qualifiedRef(ref);
      if (name === undefined) return 'commit' in ref ? ref.commit : '';
      // One list could be wrong in ways that no check sees, e.g. from a replica that is behind.
      const commit = (await findRef(server(signal), name)) ?? (await findRef(server(signal), name));
      if (commit === undefined) throw new SourceFault('REF_MISSING', `${label} has no ${name}`);
      return commit;
    },
    bring: async (order, signal) => {
      const name = qualifiedRef(order.ref);
      const found = await (name === undefined
        ? bringCommit(server(signal), order)
        : bringRef(server(signal), order, name));
      return peelToCommit(openReader([order.gitdir]), found);
    },
    close: () => {
      transport.close();
      return Promise.resolve();
    },
  };
}

// Text is compressed to a quarter or so; this leaves room for more.
const INFLATION = 16;
// Deep enough for ancestry and blame of the last days, small enough for a repository of any age.
const FIRST_DEPTH = 50;

interface Server {
  readonly http: HttpClient;
  readonly url: string;
  readonly label: string;
  readonly bounds: PackBounds;
}

async function findRef({ http, url, label }: Server, name: string): Promise<string | undefined> {
  const refs = await translated(label, () =>
    listServerRefs({ http, url, protocolVersion: 2, prefix: name, peelTags: true }),
  );
  const found = refs.find(({ ref }) => ref === name);
  return found?.peeled ?? found?.oid;
}

async function bringRef(server: Server, order: Order, remoteRef: string): Promise<string> {
  const shallow = { remoteRef, singleBranch: true, depth: FIRST_DEPTH };
  if ((await readTip(order.gitdir)) === undefined) return download(server, order, shallow);
  try {
    // No depth from now on: with it a server sends again what we have, and ancestry is lost.
    return await download(server, order, { remoteRef, singleBranch: true });
  } catch (cause) {
    // The server may not know our tip any more and have sent all of its history.
    if (!(cause instanceof SourceFault) || cause.error.code !== 'TOO_LARGE') throw cause;
    return download(server, order, shallow);
  }
}

async function bringCommit(server: Server, order: Order): Promise<string> {
  const { commit, gitdir } = order;
  const depth = (await readTip(gitdir)) === undefined ? { depth: FIRST_DEPTH } : {};
  try {
    return await download(server, order, { remoteRef: commit, singleBranch: true, ...depth });
  } catch (cause) {
    if (!(cause instanceof SourceFault) || cause.error.code !== 'COMMIT_MISSING') throw cause;
  }
  // Many servers hand out only what a ref points to: ask for all branches and look whether it is among what comes.
  await download(server, order, { remoteRef: 'HEAD', singleBranch: false });
  if ((await openReader([gitdir]).read(commit)) !== undefined) return commit;
  throw new SourceFault('COMMIT_MISSING', `${server.label} has no commit ${commit} on any branch`);
}

async function download(
  { http, url, label, bounds }: Server,
  { store, gitdir }: Order,
  what: { readonly remoteRef: string; readonly singleBranch: boolean; readonly depth?: number },
): Promise<string> {
  const fs = wholeFiles(store.scratch, (pack) => scanPack(pack, bounds));
  const { fetchHead } = await translated(label, () =>
    // Given a `ref` of ours, it says "have" for what that points to. What it writes below refs/remotes is never read.
    gitFetch({ fs, http, gitdir, url, ref: TIP, remote: 'origin', tags: false, ...what }),
  );
  if (fetchHead === null) throw new SourceFault('REF_MISSING', `${label} has no commits`);
  return fetchHead;
}

/** Our own faults pass as they are; whatever else isomorphic-git throws is because of what the server sent. */
async function translated<T>(label: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof SourceFault || isSystemError(cause)) throw cause;
    if (isNotFound(cause)) {
      throw new SourceFault('REF_MISSING', `${label} no longer lists the ref`, { kind: 'transient' });
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SourceFault('BAD_RESPONSE', `${label} sent what can't be understood: ${quote(reason)}`);
  }
}
