import { spawnSync } from 'node:child_process';

/** Runs ovn-nbctl against an endpoint and gives back what it prints; throws with its complaint. */
export function nbctl(endpoint: string, ...args: readonly string[]): string {
  const done = spawnSync('ovn-nbctl', [`--db=${endpoint}`, '--timeout=30', ...args], { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`ovn-nbctl ${args.join(' ')}: ${done.stderr}`);
  return done.stdout;
}
