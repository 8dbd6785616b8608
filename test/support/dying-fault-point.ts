import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Step } from '../../src/model/fault-point.ts';

/**
 * Takes the place of src/model/fault-point.ts in programs under test (mortal-build.ts). The directory that OVN_GITOPS_DEATHS
 * names has the steps that were reached, in `trail`, and the steps at which to die, in `deaths`: lines `ARRIVALS STEP`, of
 * which the first one counts. A death is taken from the list, so that the next process lives until the next one.
 */
export function reached(step: Step): void {
  const directory = process.env['OVN_GITOPS_DEATHS'];
  if (directory === undefined) return;
  appendFileSync(path.join(directory, 'trail'), `${step}\n`);
  const [next, ...later] = readDeaths(directory);
  if (next?.step !== step) return;
  const arrivals = next.arrivals - 1;
  writeDeaths(directory, arrivals === 0 ? later : [{ step, arrivals }, ...later]);
  if (arrivals > 0) return;
  // A transaction is on its way when the work that is under way has been done, and its reply is not looked at before that.
  if (step === 'transaction sent') setImmediate(die);
  else die();
}

/** A step, and at which arrival there a program dies, from 1. */
export interface Death {
  readonly step: Step;
  readonly arrivals: number;
}

/** Deaths that are still to be died. */
export function readDeaths(directory: string): readonly Death[] {
  let text: string;
  try {
    text = readFileSync(path.join(directory, 'deaths'), 'utf8');
  } catch {
    return [];
  }
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [arrivals = '', ...step] = line.split(' ');
    return { step: step.join(' ') as Step, arrivals: Number(arrivals) };
  });
}

/** Says which deaths to die; readers see all of them or none. */
export function writeDeaths(directory: string, deaths: readonly Death[]): void {
  const unfinished = path.join(directory, `deaths-${process.pid}`);
  writeFileSync(unfinished, deaths.map(({ step, arrivals }) => `${arrivals} ${step}\n`).join(''));
  renameSync(unfinished, path.join(directory, 'deaths'));
}

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
