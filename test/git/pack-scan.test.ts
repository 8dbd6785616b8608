import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scanPack } from '../../src/git/pack-scan.ts';
import type { GitRepository } from '../support/git-repository.ts';
import { makeFolder, makeRepository, removeFolder } from '../support/git-repository.ts';

let folder: string;
let work: GitRepository;
const roomy = { objectBytes: 1_000_000, inflatedBytes: 100_000_000 };

beforeEach(async () => {
  folder = await makeFolder();
  work = await makeRepository(folder);
});

afterEach(() => removeFolder(folder));

async function packOf(): Promise<Buffer> {
  await work.git('gc', '--quiet');
  const packs = join(work.directory, '.git/objects/pack');
  const name = (await readdir(packs)).find((entry) => entry.endsWith('.pack')) ?? '';
  return readFile(join(packs, name));
}

function codeOf(pack: Uint8Array, bounds = roomy): Promise<string> {
  return scanPack(pack, bounds).then(
    () => 'fine',
    (fault: { error: { code: string } }) => fault.error.code,
  );
}

function sealed(body: Buffer): Buffer {
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

test('a pack of git with deltas, empty and large objects passes', async () => {
  const lines = Array.from({ length: 4000 }, (_, index) => `line: ${(index * 7919) % 10_007}\n`);
  await work.commit('One', { 'a.yaml': lines.join(''), 'empty.yaml': '', 'b.yaml': 'b'.repeat(200_000) });
  for (let index = 0; index < 10; index += 1) {
    lines[index * 100] = `changed: ${index}\n`;
    await work.commit(`Change ${index}`, { 'a.yaml': lines.join('') });
  }
  const pack = await packOf();
  const listed = await work.git('verify-pack', '-v', ...(await indexes()));
  expect(listed).toMatch(/chain length = \d+/u);
  expect(await codeOf(pack)).toBe('fine');
  expect(await codeOf(pack, { ...roomy, objectBytes: 199_999 })).toBe('TOO_LARGE');
  expect(await codeOf(pack, { ...roomy, inflatedBytes: 200_000 })).toBe('TOO_LARGE');
});

async function indexes(): Promise<readonly string[]> {
  const names = await readdir(join(work.directory, '.git/objects/pack'));
  return names.filter((name) => name.endsWith('.idx')).map((name) => join('.git/objects/pack', name));
}

test('a pack with any byte changed, cut or added is refused', async () => {
  await work.commit('One', { 'a.yaml': 'a: 1\n' });
  const pack = await packOf();
  for (let at = 0; at < pack.length; at += 7) {
    const changed = Buffer.from(pack);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    expect([at, await codeOf(changed)]).toEqual([at, 'PACK_INCOMPLETE']);
    expect([at, await codeOf(pack.subarray(0, at))]).toEqual([at, 'PACK_INCOMPLETE']);
  }
  const body = pack.subarray(0, -20);
  expect(await codeOf(sealed(Buffer.concat([body, Buffer.from([0])])))).toBe('PACK_INCOMPLETE');
  expect(await codeOf(sealed(body.subarray(0, -3)))).toBe('PACK_INCOMPLETE');
});

test('what unfolds to more than it says, or to more than allowed, is not unfolded', async () => {
  const bomb = deflateSync(Buffer.alloc(5_000_000));
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\u0001', 'latin1');
  // A blob that says it has 10 bytes, and one that says it has 5000000.
  const lying = sealed(Buffer.concat([header, Buffer.from([0x3a]), bomb]));
  expect(await codeOf(lying)).toBe('PACK_INCOMPLETE');
  const size = Buffer.from([0x30 | (5_000_000 & 15) | 0x80, ...sevenBits(5_000_000 >> 4)]);
  const honest = sealed(Buffer.concat([header, size, bomb]));
  expect(await codeOf(honest)).toBe('TOO_LARGE');
  expect(await codeOf(honest, { objectBytes: 5_000_000, inflatedBytes: 5_000_000 })).toBe('fine');
});

test('a small delta that makes a large object is not applied', async () => {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\u0002', 'latin1');
  const base = Buffer.concat([Buffer.from([0x31]), deflateSync(Buffer.from('a'))]);
  // Sizes of base and result: 1 and 5000000; the instructions do not matter.
  const delta = Buffer.from([1, ...sevenBits(5_000_000), 0]);
  const entry = Buffer.from([0x60 | delta.length, base.length]);
  const pack = sealed(Buffer.concat([header, base, entry, deflateSync(delta)]));
  expect(await codeOf(pack)).toBe('TOO_LARGE');
  expect(await codeOf(pack, { ...roomy, objectBytes: 5_000_000 })).toBe('fine');
});

function sevenBits(value: number): readonly number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest >>= 7) bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  return bytes;
}
