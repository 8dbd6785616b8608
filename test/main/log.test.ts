import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFileLog } from '../../src/main/log.ts';

let folder: string;
let complaints: string[];
const complain = (sentence: string): void => void complaints.push(sentence);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-test-'));
  complaints = [];
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a log file', () => {
  test('is made with its first line, for this user only', () => {
    const file = path.join(folder, 'log');
    const log = openFileLog(file, 'up', complain);
    expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
    log('started', { part: 'redis' });
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      name: 'up',
      part: 'redis',
      msg: 'started',
    });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('that everybody could read is closed to the others', () => {
    const file = path.join(folder, 'log');
    writeFileSync(file, '');
    chmodSync(file, 0o644);
    openFileLog(file, 'up', complain)('started', {});
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('on a full disk loses lines, and says so once', () => {
    const file = path.join(folder, 'log');
    symlinkSync('/dev/full', file);
    const log = openFileLog(file, 'up', complain);
    log('one', {});
    log('two', {});
    expect(complaints).toEqual([expect.stringContaining(`left out of the log ${file}: ENOSPC`)]);
  });

  test('that could not be opened for a while tells how many lines are missing', () => {
    const file = path.join(folder, 'later', 'log');
    const log = openFileLog(file, 'up', complain);
    log('one', {});
    log('two', {});
    symlinkSync(folder, path.join(folder, 'later'));
    log('three', {});
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ lost: 2 }, { msg: 'three' }]);
    expect(complaints).toHaveLength(1);
  });
});
