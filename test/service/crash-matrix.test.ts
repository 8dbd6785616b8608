import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptedKey } from '../../src/model/fence.ts';
import type { Step } from '../../src/model/fault-point.ts';
import type { Death } from '../support/dying-fault-point.ts';
import { eventually } from '../support/installation.ts';
import { makeMortalBuild } from '../support/mortal-build.ts';
import {
  expectQuiet,
  type MortalNetwork,
  type ProgramName,
  startMortalNetwork,
} from '../support/mortal-network.ts';
import { nbctl } from '../support/nbctl.ts';
import { makeRevisionCycle, type Revision } from '../support/revision-cycle.ts';
import { EFFORT, SEED, seededRandom } from '../support/seed.ts';

/** What leads a program to a step. */
type Cause = 'push' | 'hand edit' | 'lost record' | 'time';

/** Every step, with the programs that pass it. */
const MATRIX: Readonly<Record<Step, Partial<Readonly<Record<ProgramName, Cause>>>>> = {
  'tip fetched': { controller: 'push' },
  'files parsed': { controller: 'push', worker: 'push' },
  'specs validated': { controller: 'push', worker: 'push' },
  'rows compiled': { controller: 'push', worker: 'push' },
  'revision planned': { controller: 'push' },
  'acceptance to be written': { controller: 'push' },
  'acceptance written': { controller: 'push' },
  'acceptance kept': { controller: 'push' },
  'history told': { controller: 'push' },
  'acceptance told': { controller: 'push' },
  'lost acceptance restored': { controller: 'lost record' },
  'open units planned': { controller: 'push' },
  'open units rung for': { controller: 'push' },
  'change of rows seen': { controller: 'push' },
  'foreign change planned': { controller: 'hand edit' },
  'foreign change rung for': { controller: 'hand edit' },
  'fresh replica read': { controller: 'time' },
  'comparison rung for': { controller: 'time' },
  'rings to be delivered': { controller: 'push' },
  'lost jobs forgotten': { controller: 'push' },
  'rings delivered': { controller: 'push' },
  'job taken': { worker: 'push' },
  'acceptance read': { worker: 'push' },
  'unit planned': { worker: 'push' },
  'transaction built': { worker: 'push' },
  'unit committed': { worker: 'push' },
  'receipt told': { worker: 'push' },
  'drift told': { worker: 'hand edit' },
  'status to be told': { worker: 'push' },
  'status told': { worker: 'push' },
  'removal told': { worker: 'push' },
  'proof told': { worker: 'push' },
  'job to be put off': { worker: 'push' },
  'job put off': { worker: 'push' },
  'job to be ended': { worker: 'push' },
  'transaction to be sent': { controller: 'push', worker: 'push' },
  'transaction sent': { controller: 'push', worker: 'push' },
  'reply seen': { controller: 'push', worker: 'push' },
};

const STEPS = Object.keys(MATRIX) as Step[];
/** Each step once in `npm test`; in a long run also at later arrivals, when the program is warm. */
const ARRIVALS = EFFORT === 1 ? [1] : [1, 2, 3];
const TRIALS = ARRIVALS.flatMap((arrivals) =>
  STEPS.flatMap((step, index) =>
    (['controller', 'worker'] as const).flatMap((program) => {
      const cause = MATRIX[step][program];
      return cause === undefined ? [] : [{ number: index + 1, step, program, cause, arrivals }];
    }),
  ),
);
const NETWORKS = 3;
const STORMS = 3 * EFFORT;
const LIMIT = 3_600_000;
/** A machine on which much else runs. */
const PATIENCE = 120_000;

let directory: string;
let cycle: readonly Revision[];
const networks: MortalNetwork[] = [];
const free: MortalNetwork[] = [];

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'mortal-'));
  [cycle] = await Promise.all([makeRevisionCycle(), makeMortalBuild(path.join(directory, 'build'))]);
  await Promise.all(Array.from({ length: NETWORKS }, addNetwork));
}, LIMIT);

afterAll(async () => {
  await Promise.all(networks.map((network) => network.stop()));
  rmSync(directory, { recursive: true, force: true });
}, LIMIT);

describe.concurrent('the network ends as Git says and all is Ready', () => {
  test.each(TRIALS)(
    'when the $program dies at step $number, $step (arrival $arrivals)',
    async ({ step, program, cause, arrivals }) => {
      await onNetwork(async (network) => {
        const torn = network.torn.length;
        const deaths = network.deaths(program);
        const passed = network.trail(program).length;
        network.arm(program, [{ step, arrivals }]);
        for (let attempt = 1; network.armed(program) > 0; attempt += 1) {
          if (attempt > 8) throw new Error(`the ${program} does not pass "${step}"`);
          await CAUSES[cause](network);
          await eventually(
            'the program is dead or the work done',
            async () => network.armed(program) === 0 || (cause !== 'time' && (await network.isSettled())),
          );
        }
        await eventually('it is dead', () => network.deaths(program) > deaths);
        await eventually('the network is as Git says', () => network.isSettled(), PATIENCE);
        if (cause !== 'hand edit') expect(network.torn.slice(torn)).toEqual([]);
        if (program === 'controller' && step === 'transaction sent' && arrivals === 1) {
          // It is in force though nobody saw the reply, so that it is not written again.
          const since = network.trail(program).slice(passed);
          expect(since.filter((one) => one === 'transaction sent' || one === 'reply seen')).toEqual([step]);
        }
      });
    },
    LIMIT,
  );

  test.each(Array.from({ length: STORMS }, (_, storm) => ({ seed: SEED + storm })))(
    'when both die again and again while they recover (seed $seed)',
    async ({ seed }) => {
      await onNetwork((network) => storm(network, seededRandom(seed)));
    },
    LIMIT,
  );
});

test(
  'once there, nothing is written any more',
  async () => {
    await Promise.all(free.map((network) => expectQuiet(network, { looks: 3, comparisons: 1 })));
  },
  LIMIT,
);

/** Pushes, bad pushes and hand edits while both programs die at steps that chance chooses, also while they recover. */
async function storm(network: MortalNetwork, random: () => number): Promise<void> {
  const below = (limit: number): number => Math.floor(random() * limit);
  const isByHand = random() < 0.3;
  const torn = network.torn.length;
  for (const program of ['controller', 'worker'] as const) {
    const steps = STEPS.filter((step) => ['push', 'hand edit'].includes(MATRIX[step][program] ?? ''));
    const deaths: Death[] = Array.from({ length: 1 + below(4) }, () => ({
      step: steps[below(steps.length)] ?? 'tip fetched',
      arrivals: 1 + below(3),
    }));
    network.arm(program, deaths);
  }
  for (let push = below(3); push >= 0; push -= 1) {
    if (random() < 0.3) await network.pushBad();
    await sleep(below(700));
    if (isByHand) editByHand(network);
    await network.push();
    await sleep(below(1500));
  }
  for (const program of ['controller', 'worker'] as const) network.arm(program, []);
  await eventually('the network is as Git says', () => network.isSettled(), PATIENCE);
  if (!isByHand) expect(network.torn.slice(torn)).toEqual([]);
  if (EFFORT > 1) await expectQuiet(network, { looks: 2, comparisons: 0 });
}

const CAUSES: Readonly<Record<Cause, (network: MortalNetwork) => Promise<void>>> = {
  push: (network) => network.push(),
  'hand edit': async (network) => editByHand(network),
  'lost record': async (network) => {
    await network.push();
    await eventually('it is in force', () => network.isSettled());
    await network.pushBad();
    await eventually(
      'the bad commit is refused',
      async () => (await network.installation.store.source())?.reason === 'Invalid',
    );
    const { northbound } = network.installation.servers;
    nbctl(northbound, 'remove', 'NB_Global', '.', 'external_ids', `"${acceptedKey('test')}"`);
  },
  time: async () => {},
};

function editByHand(network: MortalNetwork): void {
  const { northbound } = network.installation.servers;
  nbctl(northbound, '--if-exists', 'ls-del', 'shop-1', '--', '--if-exists', 'lr-del', 'lab');
}

/** Lends a network to a test. One on which a test has failed is not used again. */
async function onNetwork(use: (network: MortalNetwork) => Promise<void>): Promise<void> {
  const network = await freeNetwork();
  try {
    await use(network);
    free.push(network);
  } catch (error) {
    const state = await network.state().catch(String);
    await addNetwork();
    throw new Error(`${(error as Error).message}\n${state}\n${network.installation.logs().slice(-4000)}`, {
      cause: error,
    });
  }
}

async function freeNetwork(): Promise<MortalNetwork> {
  for (;;) {
    const network = free.shift();
    if (network !== undefined) return network;
    await sleep(20);
  }
}

async function addNetwork(): Promise<void> {
  const network = await startMortalNetwork(path.join(directory, 'build'), cycle);
  networks.push(network);
  free.push(network);
}
