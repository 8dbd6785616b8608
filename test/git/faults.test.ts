import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Source } from '../../src/git/source.ts';
import type { SourceOptions } from '../../src/git/source-options.ts';
import type { GitFaultProxy, SeenRequest } from '../support/git-fault-proxy.ts';
import { startGitFaultProxy } from '../support/git-fault-proxy.ts';
import type { GitHttpServer } from '../support/git-http-server.ts';
import { startGitHttpServer } from '../support/git-http-server.ts';
import type { GitRepository } from '../support/git-repository.ts';
import { makeFolder, makeRepository, removeFolder } from '../support/git-repository.ts';
import { errorOf, openIn, textsOf, valueOf } from './support.ts';

let folder: string;
let work: GitRepository;
let server: GitHttpServer;
let proxy: GitFaultProxy;
let first: string;
const closers: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = await makeFolder();
  work = await makeRepository(folder);
  await work.git('init', '--quiet', '--bare', '--initial-branch=main', join(folder, 'served/net.git'));
  await work.git('remote', 'add', 'origin', join(folder, 'served/net.git'));
  server = await startGitHttpServer({ root: join(folder, 'served') });
  proxy = await startGitFaultProxy(server.url);
  closers.push(server, proxy);
  first = await push('One', { 'a.yaml': 'a: 1\n' });
});

afterEach(async () => {
  for (const closer of closers.splice(0).toReversed()) await closer.close();
  await removeFolder(folder);
});

async function open(options: Partial<SourceOptions> = {}): Promise<Source> {
  const source = await openIn(folder, `${proxy.url}/net.git`, options);
  closers.push(source);
  return source;
}

async function push(subject: string, files: Parameters<GitRepository['commit']>[1]): Promise<string> {
  const commit = await work.commit(subject, files);
  await work.git('push', '--quiet', '--force', 'origin', 'main');
  return commit;
}

function spoil(purpose: SeenRequest['purpose'], fault: ReturnType<GitFaultProxy['fault']>): void {
  proxy.fault = (request) => (request.purpose === purpose ? fault : undefined);
}

async function expectRecovery(source: Source, commit: string): Promise<void> {
  proxy.fault = () => undefined;
  expect(valueOf(await source.fetch()).commit).toBe(commit);
  expect(Object.keys(await textsOf(valueOf(await source.files(commit))))).toContain('a.yaml');
}

test('a list of refs that is cut anywhere is never taken for a short one', async () => {
  const source = await open();
  const other = await open({ ref: { branch: 'gone' }, store: join(folder, 'other') });
  for (const asked of [source, other]) {
    for (const kind of ['cut', 'shorten'] as const) {
      // Before anything, in a length, after the service line and its flush, in the middle of a packet.
      for (const after of [0, 2, 34, 50, 100]) {
        spoil('advertisement', { kind, after });
        expect(await fetchCode(asked)).toBe(cutCode(kind, after, 'REF_LIST_INCOMPLETE'));
      }
    }
  }
  for (const kind of ['cut', 'shorten'] as const) {
    for (const after of [0, 2, 34, 60]) {
      spoil('list', { kind, after });
      expect(await fetchCode(source)).toBe(cutCode(kind, after, 'REF_LIST_INCOMPLETE'));
    }
  }
  await expectRecovery(source, first);
});

async function fetchCode(source: Source): Promise<string> {
  const error = errorOf(await source.fetch());
  expect(error.kind).toBe('transient');
  return error.code;
}

/** A reset before the first byte can't be told from a server that is down. */
function cutCode(kind: 'cut' | 'shorten', after: number, code: string): string {
  return kind === 'cut' && after === 0 ? 'UNREACHABLE' : code;
}

test('a branch that only the first list lacks is not missing', async () => {
  const source = await open();
  // A complete list without any ref, as from a replica that is behind.
  proxy.fault = ({ purpose, number }) =>
    purpose === 'list' && number === 1 ? { kind: 'replace', status: 200, body: '0000' } : undefined;
  expect(valueOf(await source.fetch()).commit).toBe(first);
  expect(proxy.seen.filter(({ purpose }) => purpose === 'list')).toHaveLength(2);
});

test('a pack that is cut anywhere leaves the store as it was', async () => {
  const source = await open();
  valueOf(await source.fetch());
  await source.accept(first, 1);
  const stored = await readdir(join(folder, 'store/current/objects/pack'));
  const second = await push('Two', { 'a.yaml': 'a: 2\n', 'b.yaml': 'b: 1\n'.repeat(1000) });
  for (const kind of ['cut', 'shorten'] as const) {
    for (const after of [0, 3, 8, 20, 60, 200, 400]) {
      spoil('pack', { kind, after });
      expect(await fetchCode(source)).toBe(cutCode(kind, after, 'PACK_INCOMPLETE'));
      expect(await readdir(join(folder, 'store/current/objects/pack'))).toEqual(stored);
      expect((await readFile(join(folder, 'store/current/refs/heads/tip'), 'utf8')).trim()).toBe(first);
    }
  }
  expect(await textsOf(valueOf(await source.files(first)))).toEqual({ 'a.yaml': 'a: 1\n' });
  expect(errorOf(await source.files(second)).code).toBe('OBJECT_MISSING');
  await expectRecovery(source, second);
});

test('a pack with a wrong byte, but whole packets, is refused before it is stored', async () => {
  const source = await open();
  const answer = await capturePack(source);
  // Inside the first object: the header and the count stay right.
  const at = answer.indexOf('PACK') + 30;
  answer.writeUInt8(answer.readUInt8(at) ^ 0xff, at);
  spoil('pack', { kind: 'replace', status: 200, body: answer });
  const fresh = await open({ store: join(folder, 'fresh') });
  expect(errorOf(await fresh.fetch())).toMatchObject({ code: 'PACK_INCOMPLETE', kind: 'transient' });
  expect(await readdir(join(folder, 'fresh/current/objects/pack'))).toEqual([]);
});

async function capturePack(source: Source): Promise<Buffer> {
  let answer = Buffer.alloc(0);
  const capabilities = 'side-band-64k ofs-delta agent=test';
  const lines = [`want ${first} ${capabilities}\n`, '', 'done\n'];
  const body = lines.map((line) =>
    line === '' ? '0000' : (line.length + 4).toString(16).padStart(4, '0') + line,
  );
  const response = await fetch(`${server.url}/net.git/git-upload-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
    body: body.join(''),
  });
  answer = Buffer.from(await response.arrayBuffer());
  valueOf(await source.fetch());
  return answer;
}

test('a server that stalls is given up, wherever it stalls', async () => {
  const limits = { idleMs: 150, connectMs: 2000 };
  const source = await open({ limits });
  for (const purpose of ['advertisement', 'list', 'pack'] as const) {
    for (const after of [0, 30]) {
      spoil(purpose, { kind: 'stall', after });
      expect(errorOf(await source.fetch())).toMatchObject({ code: 'TIMED_OUT', kind: 'transient' });
    }
  }
  const hurried = await open({ limits: { totalMs: 150 } });
  expect(errorOf(await hurried.fetch()).code).toBe('TIMED_OUT');
  spoil('advertisement', { kind: 'stall', after: 0 });
  const patient = await open();
  const stop = new AbortController();
  const pending = patient.fetch(stop.signal);
  stop.abort();
  expect(errorOf(await pending).code).toBe('ABORTED');
  const closing = patient.fetch();
  await patient.close();
  expect(errorOf(await closing).code).toBe('ABORTED');
  // The store is not left locked.
  await expectRecovery(await open(), first);
});

test('a redirect to another host is refused and the password does not go there', async () => {
  const elsewhere = await startGitFaultProxy(server.url);
  closers.push(elsewhere);
  const source = await open({ credentials: { username: 'bot', password: 's3cret' } });
  proxy.fault = ({ path }) => ({ kind: 'redirect', to: `${elsewhere.url.replace('//', '//x:y@')}${path}` });
  const error = errorOf(await source.fetch());
  expect(error).toMatchObject({ code: 'REDIRECTED', kind: 'permanent' });
  expect(error.message).toContain(elsewhere.url);
  expect(JSON.stringify(error)).not.toMatch(/s3cret|x:y/u);
  expect(elsewhere.seen).toEqual([]);
});

test('a redirect on the same host is followed with the password, but not for ever', async () => {
  const source = await open({ credentials: { username: 'bot', password: 's3cret' } });
  await work.git(
    'clone',
    '--quiet',
    '--bare',
    join(folder, 'served/net.git'),
    join(folder, 'served/moved.git'),
  );
  proxy.fault = ({ path }) =>
    path.startsWith('/net.git')
      ? { kind: 'redirect', to: path.replace('/net.git', '/moved.git') }
      : undefined;
  expect(valueOf(await source.fetch()).commit).toBe(first);
  const followed = proxy.seen.filter(({ path }) => path.startsWith('/moved.git'));
  expect(followed.length).toBeGreaterThan(2);
  expect(followed.every(({ headers }) => headers.authorization?.startsWith('Basic ') === true)).toBe(true);
  proxy.fault = ({ path }) => ({ kind: 'redirect', to: path });
  expect(errorOf(await source.fetch()).code).toBe('REDIRECTED');
});

test('answers that no Git server gives are named, without control characters', async () => {
  const source = await open();
  const cases = [
    { status: 200, body: '<html>\u001B[31mSign in</html>', code: 'BAD_RESPONSE' },
    { status: 503, body: 'busy', code: 'UNREACHABLE' },
    { status: 429, body: 'slow down', code: 'UNREACHABLE' },
    { status: 403, body: 'no', code: 'AUTH_FAILED' },
    { status: 203, body: 'Sign in', code: 'AUTH_FAILED' },
    { status: 404, body: 'no', code: 'REPOSITORY_MISSING' },
    { status: 418, body: 'tea', code: 'BAD_RESPONSE' },
  ];
  for (const { status, body, code } of cases) {
    spoil('advertisement', { kind: 'replace', status, body });
    const error = errorOf(await source.fetch());
    expect([status, error.code]).toEqual([status, code]);
    expect(error.message).not.toContain('\u001B');
    expect(error.message).toContain(`${proxy.url}/net.git`);
  }
  await expectRecovery(source, first);
});

test('more bytes than allowed are not read', async () => {
  const source = await open({ limits: { packBytes: 150 } });
  const error = errorOf(await source.fetch());
  expect(error).toMatchObject({ code: 'TOO_LARGE', kind: 'permanent' });
});

test('a small pack that unfolds to much is refused', async () => {
  const source = await open({ limits: { packBytes: 1_000_000 } });
  valueOf(await source.fetch());
  await push('Bomb', { 'assets/zeros.bin': Buffer.alloc(8_000_000) });
  expect(errorOf(await source.fetch())).toMatchObject({ code: 'TOO_LARGE', kind: 'permanent' });
  expect(await textsOf(valueOf(await source.files(first)))).toEqual({ 'a.yaml': 'a: 1\n' });
});

test('a store that lost objects is renewed, and accepted revisions are carried over', async () => {
  const source = await open();
  valueOf(await source.fetch());
  await source.accept(first, 1);
  const second = await push('Two', { 'a.yaml': 'a: 2\n' });
  valueOf(await source.fetch());
  const pack = join(folder, 'store/current/objects/pack');
  const names = (await readdir(pack)).filter((name) => name.endsWith('.pack'));
  expect(names).toHaveLength(2);
  // The second pack is damaged; the first still has what was accepted.
  for (const name of names) {
    const bytes = await readFile(join(pack, name));
    const listed = execFileSync('git', ['show-index'], {
      input: await readFile(join(pack, name.replace('.pack', '.idx'))),
    });
    if (listed.toString().includes(second)) await writeFile(join(pack, name), bytes.subarray(0, 30));
  }
  const events: string[] = [];
  const again = await open({ log: (event) => events.push(event) });
  expect(valueOf(await again.fetch()).commit).toBe(second);
  expect(events).toContain('git.store_renewed');
  expect(await textsOf(valueOf(await again.files(second)))).toEqual({ 'a.yaml': 'a: 2\n' });
  expect(await textsOf(valueOf(await again.files(first)))).toEqual({ 'a.yaml': 'a: 1\n' });
  expect(await again.relation(first, second)).toBe('descendant');
});

test('revisions are read while another program fetches and renews', async () => {
  const reader = await open();
  const writer = await open({ limits: { packs: 1 } });
  valueOf(await writer.fetch());
  await writer.accept(first, 1);
  const done = new AbortController();
  const reading = (async () => {
    let reads = 0;
    while (!done.signal.aborted) {
      expect(await textsOf(valueOf(await reader.files(first)))).toEqual({ 'a.yaml': 'a: 1\n' });
      reads += 1;
    }
    return reads;
  })();
  for (let index = 0; index < 6; index += 1) {
    await push(`More ${index}`, { 'b.yaml': `b: ${index}\n` });
    valueOf(await writer.fetch());
  }
  done.abort();
  expect(await reading).toBeGreaterThan(0);
});
