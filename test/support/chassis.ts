import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startOvsdbServer, until } from './ovsdb-server.ts';

/** A node of a test: a real ovsdb-server, ovs-vswitchd and ovn-controller on private sockets. */
export interface TestChassis {
  readonly name: string;
  /** SIGKILL of ovn-controller: its Chassis row stays, and nothing is installed any more. */
  killController(): Promise<void>;
  stop(): Promise<void>;
}

let count = 0;

/**
 * Starts a chassis. ovs-vswitchd runs with its dummy datapath (`--enable-dummy`), so that no privilege and no kernel
 * module is needed: flows are installed for real, packets are not forwarded.
 */
export async function startChassis(name: string, southbound: string): Promise<TestChassis> {
  count += 1;
  const directory = mkdtempSync(path.join(tmpdir(), 'chassis-'));
  const database = await startOvsdbServer({ schemaFile: '/usr/share/openvswitch/vswitch.ovsschema' });
  const env = {
    ...process.env,
    ...Object.fromEntries(
      ['OVS_RUNDIR', 'OVS_LOGDIR', 'OVS_DBDIR', 'OVN_RUNDIR', 'OVN_LOGDIR'].map((key) => [key, directory]),
    ),
  };
  const vsctl = (...args: readonly string[]): void => {
    const done = spawnSync('ovs-vsctl', [`--db=${database.endpoint}`, '--no-wait', ...args], {
      env,
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(done.stderr);
  };
  vsctl('init');
  vsctl(
    'set',
    'Open_vSwitch',
    '.',
    `external_ids:system-id=${name}`,
    `external_ids:ovn-remote=${southbound}`,
    'external_ids:ovn-encap-type=geneve',
    // Tunnel addresses are unique in the Southbound (ovn-sb(5), Encap); nothing is ever sent.
    `external_ids:ovn-encap-ip=127.0.0.${count}`,
  );
  const start = (program: string, ...args: readonly string[]) => {
    const child = spawn(
      program,
      [...args, '-vconsole:off', `--log-file=${path.join(directory, `${program}.log`)}`, database.endpoint],
      { env, stdio: 'ignore' },
    );
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    return {
      end: async (signal: NodeJS.Signals) => {
        if (child.exitCode === null && child.signalCode === null) child.kill(signal);
        await exited;
      },
    };
  };
  const vswitchd = start(
    'ovs-vswitchd',
    '--enable-dummy=override',
    '--disable-system',
    `--unixctl=${path.join(directory, 'ovs-vswitchd.ctl')}`,
  );
  const controller = start('ovn-controller');
  const list = (): string =>
    spawnSync('ovn-sbctl', [`--db=${southbound}`, '--bare', '--columns=name', 'list', 'Chassis_Private'], {
      encoding: 'utf8',
    }).stdout;
  await until(() => list().split('\n').includes(name));
  return {
    name,
    killController: () => controller.end('SIGKILL'),
    stop: async () => {
      await controller.end('SIGTERM');
      await vswitchd.end('SIGTERM');
      await database.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
