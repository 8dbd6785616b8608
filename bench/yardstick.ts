import { performance } from 'node:perf_hooks';

/** Rows and round trips of the yardstick: some 10 MB of JSON. */
const [ROWS, ROUNDS] = [10_000, 10];

/**
 * Wall-clock time of a fixed piece of work, ms: how fast this machine is just now, so that figures of two machines, or
 * of a busy and an idle one, can be set in proportion.
 */
export function yardstick(): number {
  const rows = Array.from({ length: ROWS }, (_, index) => ({
    name: `port-${index}`,
    addresses: [`0a:00:00:00:00:01 10.0.${index >> 8}.${index & 255}`],
    options: { chassis: `node-${index % 100}`, unit: `vpc/tenant-${index % 200}` },
  }));
  const text = JSON.stringify(rows);
  const start = performance.now();
  let length = 0;
  for (let round = 0; round < ROUNDS; round += 1) length += JSON.stringify(JSON.parse(text)).length;
  if (length !== text.length * ROUNDS) throw new Error('JSON does not come back as it went');
  return performance.now() - start;
}
