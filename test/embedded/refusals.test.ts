import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ChildExit } from '../../src/embedded/supervised-child.ts';
import { makeDirectory } from '../../src/embedded/make-directory.ts';
import { startEmbedded } from '../../src/embedded/start-embedded.ts';
import { until } from '../support/ovsdb-server.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a state directory', () => {
  test('is made with what is missing above it, for this user only', () => {
    const wanted = path.join(folder, 'a', 'b');
    expect(makeDirectory(wanted)).toBe(wanted);
    expect(statSync(wanted).mode & 0o777).toBe(0o700);
    expect(makeDirectory(wanted)).toBe(wanted);
  });

  test.each([
    ['a file', 'file', 'a file is in the way'],
    ['below a file', 'file/below', 'a file is in the way'],
    ['where nothing can be made', '/proc/nothing/here', 'nothing can be made there'],
  ])('that is %s is refused with a sentence', async (_, where, message) => {
    writeFileSync(path.join(folder, 'file'), '');
    const started = await startEmbedded({ directory: path.resolve(folder, where), parts: ['redis'] });
    expect(started).toMatchObject({
      ok: false,
      error: { code: 'DIRECTORY_UNUSABLE', message: expect.stringContaining(message) as string },
    });
  });

  test('whose lock cannot be written is refused with a sentence', async () => {
    mkdirSync(path.join(folder, `lock.${process.pid}`));
    const started = await startEmbedded({ directory: folder, parts: ['redis'] });
    expect(started).toMatchObject({ ok: false, error: { code: 'DIRECTORY_UNUSABLE' } });
  });
});

describe('a server that cannot be kept', () => {
  test('at the start is a failed start', async () => {
    mkdirSync(path.join(folder, 'log', 'redis.log'), { recursive: true });
    const started = await startEmbedded({ directory: folder, parts: ['redis'] });
    expect(started).toMatchObject({
      ok: false,
      error: { code: 'START_FAILED', message: expect.stringContaining('EISDIR') as string },
    });
  });

  test.each(['run/redis.pid', 'log/redis.log'])(
    'later, for want of %s, is reported and tried until it works',
    async (name) => {
      const exits: ChildExit[] = [];
      const started = await startEmbedded({
        directory: folder,
        parts: ['redis'],
        onExit: (_, exit) => exits.push(exit),
      });
      if (!started.ok) throw new Error(started.error.message);
      try {
        const file = path.join(folder, name);
        rmSync(file);
        mkdirSync(file);
        const first = started.value.pids.redis ?? 0;
        process.kill(first, 'SIGKILL');
        await until(() => exits.filter(({ reason }) => reason?.includes('EISDIR')).length >= 2);
        rmSync(file, { recursive: true });
        await until(
          () => statSync(path.join(folder, 'run/redis.pid'), { throwIfNoEntry: false })?.isFile() === true,
        );
        await until(() => started.value.pids.redis !== undefined);
        expect(started.value.pids.redis).not.toBe(first);
      } finally {
        await started.value.stop();
      }
    },
  );
});
