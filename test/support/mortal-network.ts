import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import type { Step } from '../../src/model/fault-point.ts';
import { appliedKey, type AppliedRecord, parseApplied } from '../../src/model/fence.ts';
import type { UnitName } from '../../src/model/nb.ts';
import type { NorthboundDatabase } from '../../src/nb/northbound.ts';
import { openTestNorthbound } from './apply-harness.ts';
import { watchAtomicity } from './atomicity.ts';
import { dumpOf } from './canonical.ts';
import { type Death, readDeaths, writeDeaths } from './dying-fault-point.ts';
import { type ImmortalProgram, keepRunning } from './immortal-program.ts';
import {
  eventually,
  type Installation,
  type InstallationOptions,
  type Program,
  startInstallation,
} from './installation.ts';
import type { Revision } from './revision-cycle.ts';

/** The two kinds of programs. */
export type ProgramName = 'controller' | 'worker';

/** An installation whose programs die at chosen steps and are started again. */
export interface MortalNetwork {
  readonly installation: Installation;
  /** States of units that were of no revision; changes by hand make some. */
  readonly torn: readonly string[];
  /** Commits the next revision of the cycle. */
  push(): Promise<void>;
  /** Commits a file that is no spec; push() takes it away. */
  pushBad(): Promise<void>;
  /** Has a program die at these steps, one after the other. */
  arm(program: ProgramName, deaths: readonly Death[]): void;
  /** Deaths that a program has still before it. */
  armed(program: ProgramName): number;
  /** How often a program has died. */
  deaths(program: ProgramName): number;
  /** Steps that a program has passed, the oldest first. */
  trail(program: ProgramName): readonly Step[];
  /** Bytes of the Northbound's log: every transaction that changes anything adds to it. */
  written(): number;
  /** True when the newest good revision is in force, every unit is Ready, and the rows are those of a fresh Northbound. */
  isSettled(): Promise<boolean>;
  /** Why not. */
  state(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts one with a controller and a worker from `build`, on the first revision of the cycle. */
export async function startMortalNetwork(
  build: string,
  cycle: readonly Revision[],
  options: Pick<InstallationOptions, 'redis' | 'redisCaFile'> = {},
): Promise<MortalNetwork> {
  const parts = options.redis === undefined ? (['redis', 'northbound'] as const) : (['northbound'] as const);
  const installation = await startInstallation(parts, { root: build, ...options });
  const network = new Network(installation, cycle);
  await network.start();
  return network;
}

/** Waits until the controller has looked so often again, and expects that nothing was written meanwhile. */
export async function expectQuiet(
  network: MortalNetwork,
  { looks, comparisons }: { readonly looks: number; readonly comparisons: number },
): Promise<void> {
  const written = network.written();
  const passed = network.trail('controller').length;
  await eventually('the controller has looked', () => {
    const since = network.trail('controller').slice(passed);
    return (
      since.filter((step) => step === 'tip fetched').length >= looks &&
      since.filter((step) => step === 'comparison rung for').length >= comparisons
    );
  });
  expect(network.written()).toBe(written);
}

/** The newest revision is in force and everything is told; nothing is written any more; no program had to be started again. */
export async function expectRecovery(network: MortalNetwork): Promise<void> {
  try {
    await eventually('the network is as Git says', () => network.isSettled(), 90_000);
    await expectQuiet(network, { looks: 2, comparisons: 0 });
    expect([network.deaths('controller'), network.deaths('worker')]).toEqual([0, 0]);
  } catch (error) {
    const state = await network.state().catch(String);
    const logs = network.installation.logs().slice(-4_000);
    throw new Error(`${(error as Error).message}\n${state}\n${logs}`, { cause: error });
  }
}

class Network implements MortalNetwork {
  readonly installation: Installation;
  readonly #cycle: readonly Revision[];
  readonly #programs = new Map<ProgramName, ImmortalProgram>();
  #witness: NorthboundDatabase | undefined;
  #watch: { readonly torn: string[] } = { torn: [] };
  #pushes = 0;
  /** The newest good commit. */
  #head = '';

  constructor(installation: Installation, cycle: readonly Revision[]) {
    this.installation = installation;
    this.#cycle = cycle;
  }

  async start(): Promise<void> {
    this.#witness = await openTestNorthbound(this.installation.servers.northbound);
    this.#watch = watchAtomicity(this.#witness, 'test');
    await this.push();
    for (const program of ['controller', 'worker'] as const) {
      mkdirSync(this.#directory(program));
      const environment = {
        OVN_GITOPS_DEATHS: this.#directory(program),
        OVN_GITOPS_LOCK: '1s',
        OVN_GITOPS_COMPARE: '10s',
        // No northd is there whose pace could be kept.
        OVN_GITOPS_GATHER: '0s',
      };
      const { installation } = this;
      const start = (): Promise<Program> =>
        program === 'controller'
          ? installation.startController(environment)
          : installation.startWorker(environment);
      this.#programs.set(program, await keepRunning(start));
    }
    await eventually('the first revision is there', () => this.isSettled());
  }

  get torn(): readonly string[] {
    return this.#watch.torn;
  }

  async push(): Promise<void> {
    this.#pushes += 1;
    const files = { ...this.#revision().files, 'bad.yaml': '# nothing\n' };
    this.#head = await this.installation.repository.commit(`push ${this.#pushes}`, files);
  }

  async pushBad(): Promise<void> {
    await this.installation.repository.commit('bad', { 'bad.yaml': 'kind: [' });
  }

  arm(program: ProgramName, deaths: readonly Death[]): void {
    writeDeaths(this.#directory(program), deaths);
  }

  armed(program: ProgramName): number {
    return readDeaths(this.#directory(program)).length;
  }

  deaths(program: ProgramName): number {
    return this.#programs.get(program)?.deaths ?? 0;
  }

  trail(program: ProgramName): readonly Step[] {
    const text = readFileSync(path.join(this.#directory(program), 'trail'), 'utf8');
    return text.trimEnd().split('\n') as Step[];
  }

  written(): number {
    return statSync(path.join(this.installation.directory, 'servers', 'northbound.db')).size;
  }

  async isSettled(): Promise<boolean> {
    const { store } = this.installation;
    try {
      const [source, units] = [await store.source(), await store.units()];
      if (source?.serving?.commit !== this.#head) return false;
      if (source.condition !== 'Ready' && source.reason !== 'Invalid') return false;
      if (units.some((unit) => unit.condition !== 'Ready')) return false;
      // An old status may be Ready too.
      if (units.some((unit) => unit.sequence !== this.#applied(unit.unit)?.sequence)) return false;
      if (units.map((unit) => unit.unit).join(' ') !== this.#revision().units.join(' ')) return false;
    } catch {
      // Redis may be away.
      return false;
    }
    return (await dumpOf(this.installation.servers.northbound)) === this.#revision().dump;
  }

  async state(): Promise<string> {
    const { store, servers } = this.installation;
    const told = await Promise.all([store.source(), store.units()]).catch((error: unknown) => String(error));
    const isRight = (await dumpOf(servers.northbound)) === this.#revision().dump;
    const trails = (['controller', 'worker'] as const).map(
      (one) => `${one}: ${this.trail(one).slice(-15).join(', ')}`,
    );
    return [`head ${this.#head}, rows ${isRight ? 'right' : 'wrong'}`, JSON.stringify(told), ...trails].join(
      '\n',
    );
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#programs.values()].map((program) => program.stop()));
    await this.#witness?.close();
    await this.installation.stop();
  }

  #applied(unit: UnitName): AppliedRecord | undefined {
    return parseApplied(this.#witness?.record(appliedKey('test', unit)));
  }

  #revision(): Revision {
    const revision = this.#cycle[this.#pushes % this.#cycle.length];
    if (revision === undefined) throw new Error('the cycle is empty');
    return revision;
  }

  #directory(program: ProgramName): string {
    return path.join(this.installation.directory, `deaths-of-${program}`);
  }
}
