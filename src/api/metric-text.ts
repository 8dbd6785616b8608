/** A metric with all its samples. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly samples: readonly Sample[];
}

/** One value of a metric. */
export interface Sample {
  /** What a histogram puts behind its name. */
  readonly suffix?: '_bucket' | '_sum' | '_count';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Metrics in the text format of Prometheus, version 0.0.4. A metric without samples is left out. */
export function metricText(metrics: readonly Metric[]): string {
  const lines = metrics
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, help, type, samples }) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map((sample) => `${name}${sample.suffix ?? ''}${labelText(sample.labels)} ${sample.value}`),
    ]);
  return `${lines.join('\n')}\n`;
}

/** The samples of a histogram from counts per class, the last of them without an upper bound. */
export function histogramSamples(
  bounds: readonly number[],
  counts: readonly number[],
  sum: number,
): readonly Sample[] {
  let count = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index): Sample => {
    count += counts[index] ?? 0;
    const le = bound === Number.POSITIVE_INFINITY ? '+Inf' : String(bound);
    return { suffix: '_bucket', labels: { le }, value: count };
  });
  return [...buckets, { suffix: '_sum', value: sum }, { suffix: '_count', value: count }];
}

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value
    .replaceAll('\\', String.raw`\\`)
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);
}
