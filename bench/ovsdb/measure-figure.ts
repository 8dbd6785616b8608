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
  readonly runs: number;
  /** Load averages of the last minute, at the beginning and at the end. */
  readonly load: readonly [before: number, after: number];
  /** One entry a run. */
  readonly measurements: ReadonlyMap<SubjectName, readonly Measurement[]>;
  /** Why a subject has no measurements. */
  readonly failures: ReadonlyMap<SubjectName, string>;
}

/**
 * Measures the subjects of a figure in turn, run by run, so that whatever else the machine does hits all alike; who
 * begins changes with every run. A subject that fails is left out from then on.
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
  const failures = new Map<SubjectName, string>();
  for (let run = 0; run < runs; run += 1) {
    for (const subject of [
      ...subjects.slice(run % subjects.length),
      ...subjects.slice(0, run % subjects.length),
    ]) {
      if (failures.has(subject)) continue;
      const progress = `${figure.key} ${ports} ports, run ${run + 1} of ${runs}: ${subject}`;
      try {
        const measurement = await measureOnce(figure, ports, subject, databases);
        measurements.get(subject)?.push(measurement);
        console.error(`${progress} ${Math.round(measurement.wallMs)} ms`);
      } catch (error) {
        failures.set(subject, String(error));
        measurements.delete(subject);
        console.error(`${progress} failed: ${String(error)}`);
      }
    }
  }
  return { figure, ports, runs, load: [before, loadAverage()], measurements, failures };
}

function measureOnce(
  { task, content, isCluster }: Figure,
  ports: number,
  subject: SubjectName,
  databases: Databases,
): Promise<Measurement> {
  const workloadFile = databases.workloadFile(ports);
  const work = ({ socketPath, pids }: Served): Promise<Measurement> =>
    startSubject({ subject, task, socketPath, serverPids: pids, ports, workloadFile });
  return isCluster ? databases.serveCluster(content, ports, work) : databases.serve(content, ports, work);
}

function loadAverage(): number {
  return os.loadavg()[0] ?? 0;
}
