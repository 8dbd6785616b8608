/**
 * How long to wait before the next attempt, in milliseconds: 0, 1, 2, 4, then 8 seconds, shortened by up to half so that
 * clients which lost the same server do not come back together. Every remote is tried before the wait grows.
 */
export function backoffMs(failures: number, remotes: number, random: () => number): number {
  if (failures === 0) return 0;
  const round = Math.floor((failures - 1) / remotes);
  const seconds = round === 0 ? 0 : Math.min(2 ** (round - 1), 8);
  return seconds * 1000 * (1 - random() / 2);
}
