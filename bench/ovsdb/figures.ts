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
const [RECONNECTS, COMPARISONS] = [5, 10];

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
      task: { kind: 'reconnect', count: RECONNECTS },
      content: 'large',
      subjects: ['ours', 'raw-rows', 'python-idl'],
    },
    {
      ...single,
      key: 'f1',
      title: 'all rows compared with what they should be',
      task: { kind: 'compare', rows: 'all', count: COMPARISONS },
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
