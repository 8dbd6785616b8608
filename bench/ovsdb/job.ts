/**
 * Who is measured. `planner` is what the reconciler compares with; `raw` keeps nothing of what it gets; `raw-rows` follows
 * the database and keeps the rows as JSON gave them.
 */
export type SubjectName = (typeof SUBJECTS)[number];

export const SUBJECTS = [
  'ours',
  'planner',
  'raw',
  'raw-rows',
  'python-idl',
  'ovsdbapp',
  'ovn-nbctl',
  'ovn-nbctl-daemon',
] as const;

/** What a subject does. */
export type Task =
  /** Fill an empty database. */
  | { readonly kind: 'load'; readonly in: 'one-transaction' | 'units' }
  /** From nothing to a usable replica. */
  | { readonly kind: 'open' }
  /** Add one port to the large switch, `count` times; each is taken out again, untimed. */
  | { readonly kind: 'change'; readonly count: number }
  /** Say how long after a writer sent it each of `count` new ports arrives. */
  | { readonly kind: 'follow'; readonly count: number }
  /** Lose the connection and be in step again, `count` times. */
  | { readonly kind: 'reconnect'; readonly count: number }
  /** Compare so many rows, or all, with what they should be, which they are; `count` times. */
  | { readonly kind: 'compare'; readonly rows: number | 'all'; readonly count: number };

/** What a subject's process is told, as JSON in its first argument. */
export interface Job {
  readonly subject: SubjectName;
  readonly task: Task;
  readonly socketPath: string;
  /** The processes whose CPU time counts as the server's. */
  readonly serverPids: readonly number[];
  /** Number of switch ports of the workload. */
  readonly ports: number;
  /** The units as JSON (`Workload.units`), for subjects in other languages. */
  readonly workloadFile: string;
}

/** What a subject's process prints as its last line of JSON. Every line `"next"` before
 * it asks the writer for a port. */
export interface Measurement {
  /** Wall-clock time of the whole task, ms. */
  readonly wallMs: number;
  /** CPU time of the subject's process in that time, ms. */
  readonly cpuMs: number;
  readonly serverCpuMs: number;
  /** On the wire, where the subject can tell. */
  readonly bytesIn?: number;
  readonly bytesOut?: number;
  /** MB, the largest resident set (VmHWM in proc(5)). */
  readonly peakRssMb: number;
  /** One entry a repetition for tasks with a count, ms. */
  readonly latenciesMs?: readonly number[];
  /** Rows in the replica at the end. */
  readonly rows?: number;
  /** MB that the replica takes on the heap, garbage collected. */
  readonly heapMb?: number;
  /** The longest time in which the event loop was not free, ms. */
  readonly stallMs?: number;
  /** What a reader must know to compare. */
  readonly note?: string;
}
