import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Source } from '../../src/git/source.ts';
import type { SourceOptions } from '../../src/git/source-options.ts';
import type { GitHttpServer, GitHttpServerOptions } from '../support/git-http-server.ts';
import { startGitHttpServer } from '../support/git-http-server.ts';
import type { GitRepository } from '../support/git-repository.ts';
import { makeFolder, makeRepository, removeFolder } from '../support/git-repository.ts';
import { errorOf, openIn, textsOf, valueOf } from './support.ts';

let folder: string;
let work: GitRepository;
let server: GitHttpServer;
const closers: { close(): Promise<void> }[] = [];

beforeEach(async () => {
  folder = await makeFolder();
  work = await makeRepository(folder);
  await work.git('init', '--quiet', '--bare', '--initial-branch=main', join(folder, 'served/net.git'));
  await work.git('remote', 'add', 'origin', join(folder, 'served/net.git'));
  server = await serve();
});

afterEach(async () => {
  for (const closer of closers.splice(0).toReversed()) await closer.close();
  await removeFolder(folder);
});

async function serve(options: Partial<GitHttpServerOptions> = {}): Promise<GitHttpServer> {
  const started = await startGitHttpServer({ root: join(folder, 'served'), ...options });
  closers.push(started);
  return started;
}

async function open(options: Partial<SourceOptions> = {}, base = server.url): Promise<Source> {
  const source = await openIn(folder, `${base}/net.git`, options);
  closers.push(source);
  return source;
}

async function push(subject: string, files: Parameters<GitRepository['commit']>[1]): Promise<string> {
  const commit = await work.commit(subject, files);
  await work.git('push', '--quiet', '--force', 'origin', 'main');
  return commit;
}

async function packs(): Promise<number> {
  const names = await readdir(join(folder, 'store/current/objects/pack'));
  return names.filter((name) => name.endsWith('.pack')).length;
}

test('a branch is followed over HTTP, and only changes are downloaded', async () => {
  const bulk = Object.fromEntries(
    Array.from({ length: 50 }, (_, index) => [`bulk-${index}.yaml`, randomText(index, 4000)]),
  );
  const first = await push('One', { ...bulk, 'a.yaml': 'a: 1\n' });
  const source = await open();
  expect(valueOf(await source.fetch()).commit).toBe(first);
  const downloaded = server.sentBytes();
  expect(downloaded).toBeGreaterThan(50_000);
  const second = await push('Two', { 'a.yaml': 'a: 2\n' });
  const revision = valueOf(await source.fetch());
  expect(revision).toMatchObject({ commit: second, subject: 'Two', parents: [first] });
  expect(server.sentBytes() - downloaded).toBeLessThan(8_000);
  expect((await textsOf(valueOf(await source.files(second))))['a.yaml']).toBe('a: 2\n');
  expect((await textsOf(valueOf(await source.files(first))))['a.yaml']).toBe('a: 1\n');
  expect(await source.relation(first, second)).toBe('descendant');
});

test('a poll that finds nothing new only lists the one ref', async () => {
  await push('One', { 'a.yaml': 'a: 1\n' });
  await work.git('push', '--quiet', 'origin', 'main:other', 'main:main-too');
  const source = await open();
  valueOf(await source.fetch());
  const before = server.requests.length;
  valueOf(await source.fetch());
  expect(server.requests.slice(before)).toEqual([
    'GET /net.git/info/refs?service=git-upload-pack',
    'POST /net.git/git-upload-pack',
  ]);
});

test('a server that only speaks the old protocol is followed, too', async () => {
  const first = await push('One', { 'a.yaml': 'a: 1\n' });
  await work.git('tag', '--annotate', '--message', 'Release', 'v1');
  await work.git('push', '--quiet', 'origin', 'v1');
  const old = await serve({ isOld: true });
  const source = await open({}, old.url);
  expect(valueOf(await source.fetch()).commit).toBe(first);
  const second = await push('Two', { 'a.yaml': 'a: 2\n' });
  expect(valueOf(await source.fetch()).commit).toBe(second);
  const tagged = await open({ ref: { tag: 'v1' }, store: join(folder, 'tagged') }, old.url);
  expect(valueOf(await tagged.fetch()).commit).toBe(first);
});

test('tags and commits are followed, also commits that no ref points to', async () => {
  const first = await push('One', { 'a.yaml': 'a: 1\n' });
  await work.git('tag', '--annotate', '--message', 'Release', 'v1');
  await work.git('push', '--quiet', 'origin', 'v1');
  const second = await push('Two', { 'a.yaml': 'a: 2\n' });
  await push('Three', { 'a.yaml': 'a: 3\n' });
  const tagged = await open({ ref: { tag: 'v1' }, store: join(folder, 'tagged') });
  expect(valueOf(await tagged.fetch()).commit).toBe(first);
  const pinned = await open({ ref: { commit: second }, store: join(folder, 'pinned') });
  expect(valueOf(await pinned.fetch()).subject).toBe('Two');
  expect(await textsOf(valueOf(await pinned.files(second)))).toEqual({ 'a.yaml': 'a: 2\n' });
  expect(errorOf(await pinned.revision('1'.repeat(40)))).toMatchObject({
    code: 'COMMIT_MISSING',
    kind: 'permanent',
  });
});

test('history behind a shallow first fetch: related commits are told apart from rewritten ones', async () => {
  const commits: string[] = [];
  for (let index = 0; index < 60; index += 1)
    commits.push(await work.commit(`c${index}`, { 'a.yaml': `a: ${index}\n` }));
  await work.git('push', '--quiet', 'origin', 'main');
  const source = await open();
  const tip = valueOf(await source.fetch()).commit;
  expect(await source.log(tip, 100)).toHaveLength(50);
  await work.git('reset', '--quiet', '--hard', 'HEAD~1');
  const rewritten = await push('Rewritten', { 'a.yaml': 'a: other\n' });
  expect(valueOf(await source.fetch()).commit).toBe(rewritten);
  expect(await source.relation(tip, rewritten)).toBe('rewound');
  await work.git('checkout', '--quiet', '--orphan', 'fresh');
  await work.commit('Unrelated', { 'a.yaml': 'a: new\n' });
  await work.git('push', '--quiet', '--force', 'origin', 'fresh:main');
  const unrelated = valueOf(await source.fetch()).commit;
  expect(await source.relation(rewritten, unrelated)).toBe('rewound');
});

test('an accepted revision outlives force push, gc at the server and the renewal of our store', async () => {
  const base = await push('A', { 'a.yaml': 'a: 1\n', 'b.yaml': 'b: 1\n' });
  const lost = await push('C', { 'a.yaml': 'a: 3\n' });
  const events: string[] = [];
  const source = await open({ limits: { packs: 2 }, log: (event) => events.push(event) });
  valueOf(await source.fetch());
  await source.accept(lost, 1);
  await work.git('reset', '--quiet', '--hard', base);
  await push('B', { 'a.yaml': 'a: 2\n' });
  const served = join(folder, 'served/net.git');
  await work.git('-C', served, 'reflog', 'expire', '--expire=now', '--all');
  await work.git('-C', served, 'gc', '--quiet', '--prune=now');
  await expect(work.git('-C', served, 'cat-file', '-e', lost)).rejects.toThrow();
  let tip = '';
  for (let index = 0; index < 4; index += 1) {
    tip = await push(`D${index}`, { 'b.yaml': `b: ${index}\n` });
    expect(valueOf(await source.fetch()).commit).toBe(tip);
    await source.accept(tip, index + 2);
  }
  expect(events).toContain('git.store_renewed');
  expect(await packs()).toBeLessThanOrEqual(3);
  expect(await textsOf(valueOf(await source.files(lost)))).toEqual({
    'a.yaml': 'a: 3\n',
    'b.yaml': 'b: 1\n',
  });
  expect(await source.relation(lost, tip)).toBe('rewound');
  expect(await source.relation(base, tip)).toBe('descendant');
  expect((await source.accepted()).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  // What is out of use is removed later, and nothing that was accepted goes with it.
  const generations = async (): Promise<number> =>
    (await readdir(join(folder, 'store'))).filter((name) => name.startsWith('generation-')).length;
  expect(await generations()).toBeGreaterThan(1);
  const later = await open({ clock: () => Date.now() + 7_200_000 });
  tip = await push('E', { 'b.yaml': 'b: e\n' });
  expect(valueOf(await later.fetch()).commit).toBe(tip);
  expect(await generations()).toBe(1);
  expect(await textsOf(valueOf(await source.files(lost)))).toEqual({
    'a.yaml': 'a: 3\n',
    'b.yaml': 'b: 1\n',
  });
  // Real git agrees that nothing is missing of what is accepted.
  const current = join(folder, 'store/current');
  expect(await work.git('-C', current, 'rev-parse', 'refs/ovn-gitops/accepted/1')).toBe(lost);
  expect(await work.git('-C', current, 'show', `${lost}:a.yaml`)).toBe('a: 3');
});

test('credentials are sent, trimmed, and a wrong password is one clear failure after one request', async () => {
  await push('One', { 'a.yaml': 'a: 1\n' });
  const login = { username: 'bot', password: 's3cret-token' };
  const guarded = await serve({ login });
  const good = await open({ credentials: { username: ' bot', password: 's3cret-token\n' } }, guarded.url);
  valueOf(await good.fetch());
  const bad = await open({ credentials: { username: 'bot', password: 'wr0ng-token' } }, guarded.url);
  const before = guarded.requests.length;
  const error = errorOf(await bad.fetch());
  expect(error).toMatchObject({ code: 'AUTH_FAILED', kind: 'permanent' });
  expect(guarded.requests.length - before).toBe(1);
  expect(JSON.stringify(error)).not.toContain('wr0ng-token');
  const inUrl = await open({}, guarded.url.replace('http://', 'http://bot:s3cret-token@'));
  valueOf(await inUrl.fetch());
  expect(inUrl.label).not.toContain('s3cret');
  const header = `Basic ${Buffer.from('bot:s3cret-token').toString('base64')}`;
  valueOf(await (await open({ credentials: { headers: { Authorization: header } } }, guarded.url)).fetch());
});

test('a certificate of our own authority is accepted when it is configured, and refused otherwise', async () => {
  await push('One', { 'a.yaml': 'a: 1\n' });
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=git', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
    ].concat(['-keyout', key, '-out', cert], subject),
    { stdio: 'ignore' },
  );
  const tls = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
  const secure = await serve({ tls });
  expect(errorOf(await (await open({}, secure.url)).fetch())).toMatchObject({
    code: 'CERTIFICATE_REFUSED',
    kind: 'permanent',
  });
  valueOf(await (await open({ ca: tls.cert }, secure.url)).fetch());
});

test('an empty repository, a missing one and a missing branch are told apart', async () => {
  const source = await open();
  expect(errorOf(await source.fetch())).toMatchObject({ code: 'REF_MISSING', kind: 'permanent' });
  const elsewhere = await openIn(folder, `${server.url}/nowhere.git`);
  closers.push(elsewhere);
  expect(errorOf(await elsewhere.fetch()).code).toBe('REPOSITORY_MISSING');
  await push('One', { 'a.yaml': 'a: 1\n' });
  const before = server.requests.length;
  const other = await open({ ref: { branch: 'nope' } });
  expect(errorOf(await other.fetch()).code).toBe('REF_MISSING');
  expect(server.requests.slice(before)).toHaveLength(4);
  await server.close();
  expect(errorOf(await source.fetch())).toMatchObject({ code: 'UNREACHABLE', kind: 'transient' });
});

test('a branch that was deleted keeps what is accepted, and is followed again when restored', async () => {
  const commit = await push('One', { 'a.yaml': 'a: 1\n' });
  const source = await open();
  valueOf(await source.fetch());
  await source.accept(commit, 1);
  await work.git('push', '--quiet', 'origin', 'main:keep');
  const served = join(folder, 'served/net.git');
  await work.git('-C', served, 'update-ref', '-d', 'refs/heads/main');
  expect(errorOf(await source.fetch()).code).toBe('REF_MISSING');
  expect(await textsOf(valueOf(await source.files(commit)))).toEqual({ 'a.yaml': 'a: 1\n' });
  const later = await push('Two', { 'a.yaml': 'a: 2\n' });
  expect(valueOf(await source.fetch()).commit).toBe(later);
});

test('a file that moves into the managed path is complete although the server thinks that we have it', async () => {
  await push('One', { 'drafts/a.yaml': randomText(1, 3000), 'net/b.yaml': 'b: 1\n' });
  const source = await open({ path: 'net', limits: { packs: 1 } });
  valueOf(await source.fetch());
  // Renew, so that the store may hold no more than it needs.
  valueOf(await renewBy(source));
  await work.git('mv', 'drafts/a.yaml', 'net/a.yaml');
  const moved = await push('Move', {});
  valueOf(await source.fetch());
  expect(Object.keys(await textsOf(valueOf(await source.files(moved))))).toEqual(['a.yaml', 'b.yaml']);
});

async function renewBy(source: Source): ReturnType<Source['fetch']> {
  await push('Two', { 'net/b.yaml': 'b: 2\n' });
  return source.fetch();
}

/** Text that does not compress, the same for the same seed. */
function randomText(seed: number, length: number): string {
  let state = seed + 1;
  let text = '';
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return `text: ${text}\n`;
}
