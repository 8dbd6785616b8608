import type { Content } from './databases.ts';
import type { SubjectName, Task } from './job.ts';

/** One thing that is measured. */
export interface Figure {
  readonly key: string;
  readonly title: string;
  readonly task: Task;
  readonly content: Content;
  readonly isCluster: boolean;
  readonly subjects: readonly SubjectName[];
  /** How many times the time of `raw-rows` ours may take, where that is agreed. */
  readonly bar?: number;
  /** How many times faster than the Python IDL ours has to be, where that is agreed. */
  readonly lead?: number;
}

const LIBRARIES: readonly SubjectName[] = ['ours', 'raw', 'raw-rows', 'python-idl', 'ovsdbapp'];
const FOLLOWERS: readonly SubjectName[] = ['ours', 'raw-rows', 'python-idl', 'ovsdbapp'];

const COMPARERS: readonly SubjectName[] = ['ours', 'planner', 'raw-rows', 'python-idl'];
/** Repetitions that take long enough to be few. */
const FEW = 5;

/** Everything that is measured, with that many small changes a run. */
export function allFigures(changes: number): readonly Figure[] {
  const single = { content: 'empty', isCluster: false, subjects: LIBRARIES } as const;
  const cluster = { ...single, isCluster: true } as const;
  return [
    {
      ...single,
      key: 'a1',
      title: 'empty Northbound to all rows, one transaction',
      task: { kind: 'load', in: 'one-transaction' },
      bar: 1.15,
      lead: 3,
    },
    {
      ...single,
      key: 'a2',
      title: 'empty Northbound to all rows, one transaction a unit, pipelined',
      task: { kind: 'load', in: 'units' },
      subjects: [...LIBRARIES, 'ovn-nbctl-daemon'],
      bar: 1.15,
      lead: 3,
    },
    {
      ...single,
      key: 'b',
      title: 'first copy of everything, to a usable replica',
      task: { kind: 'open' },
      content: 'full',
      subjects: [...LIBRARIES, 'ovn-nbctl'],
      bar: 1.15,
      lead: 3,
    },
    {
      ...single,
      key: 'c',
      title: 'one port into a switch of 1,000 ports',
      task: { kind: 'change', count: changes },
      content: 'large',
      subjects: [...LIBRARIES, 'ovn-nbctl', 'ovn-nbctl-daemon'],
      bar: 1.5,
    },
    {
      ...single,
      key: 'd',
      title: 'a port added by another client, until the callback',
      task: { kind: 'follow', count: changes },
      content: 'large',
      subjects: FOLLOWERS,
      bar: 1.5,
    },
    {
      ...cluster,
      key: 'e1',
      title: 'cluster of three: empty to all rows, one transaction',
      task: { kind: 'load', in: 'one-transaction' },
    },
    {
      ...cluster,
      key: 'e2',
      title: 'cluster of three: empty to all rows, one transaction a unit, pipelined',
      task: { kind: 'load', in: 'units' },
    },
    {
      ...cluster,
      key: 'e3',
      title: 'cluster of three: one port into a switch of 1,000 ports',
      task: { kind: 'change', count: changes },
      content: 'large',
    },
    {
      ...cluster,
      key: 'e4',
      title: 'cluster of three: connection lost, until the replica is in step again',
      task: { kind: 'reconnect', count: Math.min(FEW, changes) },
      content: 'large',
      subjects: ['ours', 'raw-rows', 'python-idl'],
    },
    {
      ...single,
      key: 'f1',
      title: 'all rows compared with what they should be',
      task: { kind: 'compare', rows: 'all', count: Math.min(FEW, changes) },
      content: 'full',
      subjects: COMPARERS,
    },
    {
      ...single,
      key: 'f2',
      title: '100 rows compared with what they should be',
      task: { kind: 'compare', rows: 100, count: changes },
      content: 'full',
      subjects: COMPARERS,
    },
  ];
}

/** A figure, and how it is measured. */
export interface Measured {
  readonly figure: Figure;
  readonly ports: number;
  readonly runs: number;
}

/** Sizes of the whole bench: 32,400, 112,400 and 152,400 rows, of which the last is there for the reply of 50 MB. */
const SIZES: readonly { readonly ports: number; readonly runs: number; readonly key?: string }[] = [
  { ports: 20_000, runs: 5 },
  { ports: 100_000, runs: 3 },
  { ports: 140_000, runs: 3, key: 'b' },
];

/** Up to how many ports a subject is measured: beyond that it takes minutes or more memory than there is. */
const MOST_PORTS: Partial<Record<SubjectName, number>> = {
  'python-idl': 100_000,
  ovsdbapp: 20_000,
  'ovn-nbctl': 20_000,
  'ovn-nbctl-daemon': 20_000,
};

/** The figures at these sizes, or at all; with so many runs, or as many as is usual for the size. */
export function plannedFigures(
  figures: readonly Figure[],
  sizes: readonly number[] | undefined,
  runs: number | undefined,
): readonly Measured[] {
  const usual = sizes?.map((ports): (typeof SIZES)[number] => ({ ports, runs: 3 })) ?? SIZES;
  return usual.flatMap((size) =>
    figures
      .filter(({ key }) => size.key === undefined || key === size.key)
      .map((figure) => ({
        figure: { ...figure, subjects: figure.subjects.filter((subject) => canTake(subject, size.ports)) },
        ports: size.ports,
        runs: runs ?? size.runs,
      })),
  );
}

function canTake(subject: SubjectName, ports: number): boolean {
  return ports <= (MOST_PORTS[subject] ?? Infinity);
}
