import { spawnSync } from 'node:child_process';
import type { SubjectName } from './job.ts';

/** Debian packages of subjects that are not ours, each with a command that succeeds where it is installed. */
const PACKAGES: readonly {
  readonly name: string;
  readonly subjects: readonly SubjectName[];
  readonly probe: readonly [string, ...string[]];
}[] = [
  {
    name: 'python3-openvswitch',
    subjects: ['python-idl'],
    probe: ['/usr/bin/python3', '-c', 'import ovs.db.idl'],
  },
  { name: 'python3-ovsdbapp', subjects: ['ovsdbapp'], probe: ['/usr/bin/python3', '-c', 'import ovsdbapp'] },
  // The drivers of ovn-nbctl are Python too.
  {
    name: 'python3-minimal',
    subjects: ['ovn-nbctl', 'ovn-nbctl-daemon'],
    probe: ['/usr/bin/python3', '--version'],
  },
  { name: 'ovn-common', subjects: ['ovn-nbctl', 'ovn-nbctl-daemon'], probe: ['ovn-nbctl', '--version'] },
];

/** Leaves out the subjects that are not there and can't be installed; says which and how to get them. */
export function availableSubjects(wanted: readonly SubjectName[]): readonly SubjectName[] {
  const needed = PACKAGES.filter(({ subjects }) => subjects.some((subject) => wanted.includes(subject)));
  const missing = needed.filter(({ probe }) => !succeeds(probe));
  if (missing.length > 0 && process.getuid?.() === 0) {
    const names = missing.map(({ name }) => name);
    console.error(`installing ${names.join(', ')}`);
    succeeds(['apt-get', 'update']);
    succeeds(['apt-get', 'install', '-y', '--no-install-recommends', ...names]);
  }
  const absent = missing.filter(({ probe }) => !succeeds(probe));
  for (const { name, subjects } of absent) {
    console.error(`${subjects.join(', ')} left out: apt-get install ${name}`);
  }
  return wanted.filter((subject) => !absent.some(({ subjects }) => subjects.includes(subject)));
}

function succeeds([command, ...words]: readonly [string, ...string[]]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}
