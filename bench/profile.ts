import { readFileSync } from 'node:fs';
import { type Profiler, type Runtime, Session } from 'node:inspector/promises';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

let profile: Profiler.Profile | undefined;

/** Runs something under the CPU profiler; the profile is kept for `printHotSpots`. */
export async function profiled<T>(work: () => Promise<T>): Promise<T> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
  const result = await work();
  ({ profile } = await session.post('Profiler.stop'));
  session.disconnect();
  return result;
}

/** How many functions are shown. */
const SHOWN = 45;

/** The functions that most of the time was spent in themselves, by their place in the source. */
export function printHotSpots(): string {
  if (profile === undefined) return '';
  const { nodes, samples = [], timeDeltas = [] } = profile;
  const self = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    self.set(id, (self.get(id) ?? 0) + (timeDeltas[index] ?? 0) / 1000);
  }
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node.id])));
  const places = new Map(nodes.map((node) => [node.id, placeOf(node.callFrame)]));
  const own = new Map<string, number>();
  const whole = new Map<string, number>();
  for (const [id, ms] of self) {
    const place = places.get(id) ?? '';
    own.set(place, (own.get(place) ?? 0) + ms);
    const seen = new Set<string>();
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const caller = places.get(at) ?? '';
      if (!seen.has(caller)) whole.set(caller, (whole.get(caller) ?? 0) + ms);
      seen.add(caller);
    }
  }
  return `${listed('self ms', own)}\n${listed('total ms', whole)}`;
}

function listed(title: string, times: ReadonlyMap<string, number>): string {
  const lines = [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([place, ms]) => `${ms.toFixed(0).padStart(8)}  ${place}`);
  return [title.padStart(8), ...lines].join('\n');
}

const maps = new Map<string, SourceMap | undefined>();

function placeOf({ functionName, url, lineNumber, columnNumber }: Runtime.CallFrame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (!url.startsWith('file:')) return `${name} ${url}`;
  const file = fileURLToPath(url);
  const entry = mapOf(file)?.findEntry(lineNumber, columnNumber);
  if (entry === undefined || !('originalSource' in entry)) {
    return `${name} ${path.relative(process.cwd(), file)}:${lineNumber + 1}`;
  }
  const source = path.relative(process.cwd(), path.resolve(path.dirname(file), entry.originalSource));
  return `${name} ${source}:${entry.originalLine + 1}`;
}

function mapOf(file: string): SourceMap | undefined {
  if (maps.has(file)) return maps.get(file);
  let map: SourceMap | undefined;
  try {
    map = new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    // A package: it has no map, and its own lines are good enough.
  }
  maps.set(file, map);
  return map;
}
