import os from 'node:os';
import type { Databases, Served } from './databases.ts';
import type { Figure } from './figures.ts';
import type { Measurement, SubjectName } from './job.ts';
import { startSubject } from './start-subject.ts';

/** One figure at one size. */
export interface Series {
  readonly figure: Figure;
  /** Switch ports of the workload. */
  readonly ports: number;
  /** Load averages of the last minute, at the beginning and at the end. */
  readonly load: readonly [before: number, after: number];
  /** One entry a run. */
  readonly measurements: ReadonlyMap<SubjectName, readonly Measurement[]>;
}

/**
 * Measures the subjects of a figure in turn, run by run, so that whatever else the machine does hits all alike; who
 * begins changes with every run.
 */
export async function measureFigure(
  figure: Figure,
  ports: number,
  subjects: readonly SubjectName[],
  runs: number,
  databases: Databases,
): Promise<Series> {
  const before = loadAverage();
  const measurements = new Map<SubjectName, Measurement[]>(subjects.map((subject) => [subject, []]));
  for (let run = 0; run < runs; run += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(run + turn) % subjects.length];
      if (subject === undefined) continue;
      const measurement = await serve(figure, ports, databases, ({ socketPath, pids }) =>
        startSubject({
          subject,
          task: figure.task,
          socketPath,
          serverPids: pids,
          ports,
          workloadFile: databases.workloadFile(ports),
        }),
      );
      measurements.get(subject)?.push(measurement);
      console.error(`${figure.key} ${ports} ports, run ${run + 1}: ${subject} ${brief(measurement)}`);
    }
  }
  return { figure, ports, load: [before, loadAverage()], measurements };
}

function serve<T>(
  { isCluster, content }: Figure,
  ports: number,
  databases: Databases,
  work: (served: Served) => Promise<T>,
): Promise<T> {
  return isCluster ? databases.serveCluster(content, ports, work) : databases.serve(content, ports, work);
}

function brief({ wallMs, latenciesMs }: Measurement): string {
  return latenciesMs === undefined ? `${wallMs.toFixed(0)} ms` : `${latenciesMs.length} times`;
}

function loadAverage(): number {
  return os.loadavg()[0] ?? 0;
}
