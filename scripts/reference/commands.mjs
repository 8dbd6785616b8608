// The commands of the program, as they explain themselves.

import { load } from './program.mjs';

/** A section per command with its own help. */
export async function commandReference() {
  const names = [...(await printed('--help')).matchAll(/^ {2}([a-z]+(?: [a-z]+)?) {2,}\S/gm)].map(
    ([, name]) => name,
  );
  const sections = [];
  for (const name of names) {
    const help = (await printed(...name.split(' '), '--help')).trimEnd();
    sections.push(`### ${name}\n\n\`\`\`text\n${help}\n\`\`\`\n`);
  }
  return sections.join('\n');
}

/** What the program prints; the commands that run for a long time are among those that it lists. */
async function printed(...words) {
  const [{ runCli }, { SERVICES }] = await Promise.all([load('cli/run'), load('main/services')]);
  let text = '';
  const out = (more) => {
    text += more;
  };
  const code = await runCli(words, {}, '', { out, err: out, services: SERVICES({}) });
  if (code !== 0) throw new Error(`ovn-gitops ${words.join(' ')} ended with ${code}: ${text}`);
  return text;
}
