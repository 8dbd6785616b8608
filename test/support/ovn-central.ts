import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOvsdbServer, until } from './ovsdb-server.ts';

const SCHEMAS = '/usr/share/ovn';

export interface OvnCentral {
  /** `unix:PATH` of the Northbound and Southbound servers. */
  readonly nb: string;
  readonly sb: string;
  readonly dir: string;
  /** The process of ovn-northd. */
  readonly northdPid: number;
  /** Waits until ovn-northd has translated everything that is in NB now. */
  settle(): void;
  /** The whole log of ovn-northd. */
  northdLog(): string;
  /** The lines of the log of ovn-northd that say that something is wrong with its input. */
  northdComplaints(): readonly string[];
  /** What becomes of a packet; throws when a flow does not parse. */
  trace(options: {
    readonly datapath?: string;
    readonly flow: string;
    /** The state of the connection at each step through conntrack; ovn-trace assumes established. */
    readonly ct?: readonly string[];
    readonly form?: 'minimal' | 'summary' | 'detailed';
  }): string;
  nbctl(...command: readonly string[]): string;
  sbctl(...command: readonly string[]): string;
  stop(): Promise<void>;
}

/** Starts real Northbound and Southbound servers and a real ovn-northd on private sockets. */
export async function startCentral(): Promise<OvnCentral> {
  const dir = mkdtempSync(path.join(tmpdir(), 'ovn-central-'));
  const nb = await startOvsdbServer({ schemaFile: `${SCHEMAS}/ovn-nb.ovsschema` });
  const sb = await startOvsdbServer({ schemaFile: `${SCHEMAS}/ovn-sb.ovsschema` });
  const logFile = path.join(dir, 'northd.log');
  const northd = spawn(
    'ovn-northd',
    [
      `--ovnnb-db=${nb.endpoint}`,
      `--ovnsb-db=${sb.endpoint}`,
      '-vconsole:off',
      '-vfile:info',
      `--log-file=${logFile}`,
      `--unixctl=${path.join(dir, 'northd.ctl')}`,
    ],
    { stdio: 'ignore', env: { ...process.env, OVN_RUNDIR: dir } },
  );
  const nbctl = (...command: readonly string[]): string =>
    run('ovn-nbctl', [`--db=${nb.endpoint}`, '--timeout=60', ...command]);
  await until(() => existsSync(logFile));
  nbctl('--wait=sb', 'init');
  const log = (): string => readFileSync(logFile, 'utf8');
  return {
    nb: nb.endpoint,
    sb: sb.endpoint,
    dir,
    northdPid: northd.pid ?? 0,
    nbctl,
    sbctl: (...command) => run('ovn-sbctl', [`--db=${sb.endpoint}`, '--timeout=60', ...command]),
    settle: () => {
      nbctl('--wait=sb', 'sync');
    },
    northdLog: log,
    northdComplaints: () => log().split('\n').filter(isComplaint),
    trace: ({ datapath, flow, ct = [], form = 'minimal' }) =>
      run('ovn-trace', [
        `--db=${sb.endpoint}`,
        `--${form}`,
        '--no-friendly-names',
        ...ct.map((flags) => `--ct=${flags}`),
        ...(datapath === undefined ? [] : [datapath]),
        flow,
      ]),
    stop: async () => {
      await end(northd);
      await nb.stop();
      await sb.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

function isComplaint(line: string): boolean {
  // A machine that is busy makes its timers complain, which says nothing about the input.
  return /\|(?:WARN|ERR|EMER)\|/.test(line) && !line.includes('|timeval|');
}

/** Runs a command to its end; a warning on its error output is a failure: that is where the tools report bad flows. */
function run(command: string, arguments_: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, arguments_, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  if (status !== 0 || stderr.split('\n').some(isComplaint)) {
    throw new Error(`${command} ${arguments_.join(' ')}: ${stderr}`);
  }
  return stdout;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}
