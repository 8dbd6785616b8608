import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCli } from '../../src/cli/run.ts';
import { cliParts } from '../../src/main/cli-parts.ts';
import { makeRepository, removeFolder } from '../support/git-repository.ts';
import { blocksOf, read, ROOT } from './documents.ts';

test('the README shows a real spec and the plan that the program prints for it', async () => {
  const [spec, plan] = blocksOf({ file: 'README.md', text: read('README.md') });
  expect(spec).toMatchObject({ language: 'yaml', text: read('test/docs/readme/head/web.yaml') });
  expect(plan?.language).toBe('text');
  const [command = '', ...shown] = (plan?.text ?? '').split('\n');
  expect(command).toMatch(/^\$ ovn-gitops plan \. /);

  const parent = mkdtempSync(path.join(tmpdir(), 'ovn-gitops-docs-'));
  onTestFinished(() => removeFolder(parent));
  const repository = await makeRepository(parent);
  await repository.commit('Before', filesOf('test/docs/readme/base'));
  await repository.write(filesOf('test/docs/readme/head'));

  let printed = '';
  const parts = {
    ...cliParts({}, new AbortController().signal),
    out: (text: string) => {
      printed += text;
    },
  };
  const words = command.replace('$ ovn-gitops ', '').replace(' . ', ` ${repository.directory} `).split(' ');
  expect(await runCli(words, {}, '', parts)).toBe(2);
  expect(shown.join('\n')).toBe(printed);
});

function filesOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(path.join(ROOT, folder)).map((file) => [file, read(path.join(folder, file))]),
  );
}
