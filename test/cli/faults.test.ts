import { mkdtemp, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Embedded, startEmbedded } from '../../src/embedded/start-embedded.ts';
import { runCli } from '../../src/cli/run.ts';
import { cliParts } from '../../src/main/cli-parts.ts';
import { openStatusStore } from '../../src/queue/status-store.ts';
import { connectRedis } from '../../src/queue/connect-redis.ts';
import { makeRepository } from '../support/git-repository.ts';

let folder: string;
let servers: Embedded;
let redis: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ovn-gitops-test-'));
  await mkdir(path.join(folder, 'specs'));
  const started = await startEmbedded({ directory: path.join(folder, 'servers'), parts: ['redis'] });
  if (!started.ok) throw new Error(started.error.message);
  servers = started.value;
  redis = servers.redis.path;
});

afterAll(async () => {
  await servers?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function run(
  args: readonly string[],
  signal = AbortSignal.timeout(60_000),
): Promise<{ code: number; out: string; err: string }> {
  let [out, err] = ['', ''];
  const parts = {
    ...cliParts({}, signal),
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
  };
  const code = await runCli(args, {}, '1.2.3', parts);
  return { code, out, err };
}

describe('with --format json every error is JSON', () => {
  test.each([
    [['validate', '/nowhere'], '/nowhere does not exist'],
    [['validate', '--nope'], "Unknown option '--nope'"],
    [['plan', '.'], 'say what to compare with'],
    [['plan', '.', '--empty', '--base', 'HEAD'], 'choose one of'],
    [['plan', '.', '--nb', 'unix:/nowhere', '--timeout', '1s'], 'no Northbound answered'],
    [['plan', '.', '--base', 'nosuch'], 'is not in a Git repository'],
    [['apply', '.', '--nb', 'unix:/nowhere', '--timeout', '1s'], 'no Northbound answered'],
    [['status', '--state', '/nowhere'], 'nothing runs in /nowhere'],
    [['history', '--redis', 'nonsense://'], ''],
    [['drift', '--limit=0'], '--limit "0" is not a number'],
  ])('%j', async ([command = '', ...args], message) => {
    const at = args.map((one) => (one === '.' ? path.join(folder, 'specs') : one));
    const { code, out } = await run([command, ...at, '--format', 'json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      error: { message: expect.stringContaining(message) as string },
    });
  });
});

describe('values out of bounds are refused with a sentence', () => {
  test.each([
    [['plan', '.', '--timeout', '99999999d'], '--timeout "99999999d" is not within 1s and 1h'],
    [['dump', '--timeout', '0s'], '--timeout "0s" is not within 1s and 1h'],
    [['up', '--interval', '0s'], '--interval "0s" is not within 1s and 24h'],
    [['up', '--compare', '25d'], '--compare "25d" is not within 10s and 7d'],
    [['controller', '--interval', '30'], '--interval "30" has no unit'],
    [['worker', '--lock', '2h'], '--lock "2h" is not within 1s and 1h'],
    [['plan', '.', '--owner', ''], '--owner "" is not made of'],
    [['apply', '.', '--owner', 'a:b'], '--owner "a:b" is not made of'],
    [['status', '--owner', 'é'], '--owner "é" is not made of'],
    [['up', '--owner', 'x'.repeat(64)], 'is not made of 1 to 63'],
  ])('%j', async (args, message) => {
    const { code, out, err } = await run(args);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toContain(message);
  });
});

test('a folder without YAML files is warned of', async () => {
  const specs = path.join(folder, 'specs');
  expect(await run(['validate', specs])).toMatchObject({
    code: 0,
    err: `warning: no YAML files under ${specs}\n`,
  });
});

test('an interrupt while waiting is called that', async () => {
  const stop = new AbortController();
  const args = ['plan', path.join(folder, 'specs'), '--nb', 'unix:/nowhere'];
  const running = run(args, stop.signal);
  stop.abort();
  expect(await running).toMatchObject({
    code: 130,
    err: expect.stringMatching(/ovn-gitops plan: interrupted\n$/) as string,
  });
});

describe('what stands in the status store', () => {
  const HOSTILE = 'sub\u001B]0;owned\u0007ject\u009B31m\u202Eevil\rX';
  const VISIBLE = String.raw`sub\u001b]0;owned\u0007ject\u009b31m\u202eevil\u000dX`;

  test('does not steer the terminal', async () => {
    const store = await openStatusStore({ redis: { url: redis }, owner: 'default' });
    if (!store.ok) throw new Error(store.error.message);
    await store.value.addRevision({
      sequence: 1,
      commit: 'a'.repeat(40),
      author: 'Ann',
      subject: HOSTILE,
      acceptedAt: 1,
    });
    await store.value.close();
    const text = await run(['history', '--redis', redis]);
    expect(text).toMatchObject({ code: 0, out: expect.stringContaining(VISIBLE) as string });
    expect(text.out).not.toMatch(/(?!\n)\p{Cc}/u);
    const json = await run(['history', '--redis', redis, '--format', 'json']);
    expect(json.out).not.toMatch(/(?!\n)\p{Cc}/u);
    expect(JSON.parse(json.out)).toMatchObject([{ subject: HOSTILE }]);
  });

  test('nor does what an error repeats', async () => {
    expect((await run(['plan\u001B[31m'])).err).toContain(String.raw`"plan\u001b[31m"`);
    const repository = await makeRepository(folder);
    await repository.write({ 'a.yaml': 'kind: "\\e[31m"\n' });
    expect((await run(['validate', repository.directory])).err).not.toContain('\u001B');
  });

  test.each([['status'], ['history'], ['drift'], ['allow', 'abcdef0']])(
    '%s says in a sentence that it may not be read',
    async (...args) => {
      const connected = await connectRedis({ url: redis }, 'fail-fast', undefined);
      if (!connected.ok) throw new Error(connected.error.message);
      await connected.value.redis.call('ACL', 'SETUSER', 'default', '-get', '-zrange', '-lrange');
      try {
        const { code, err } = await run([...args, '--redis', redis]);
        expect(code).toBe(1);
        expect(err).toMatch(/NOPERM.*\n {2}hint: /);
      } finally {
        await connected.value.redis.call('ACL', 'SETUSER', 'default', '+@all');
        connected.value.redis.disconnect();
      }
    },
  );
});
