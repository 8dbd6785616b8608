/** The seed of random choices in tests: printed in their names; OVN_GITOPS_SEED repeats a run. */
export const SEED: number = Number(process.env['OVN_GITOPS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** How many times more random tests try than in `npm test`; `npm run soak` sets it. */
export const EFFORT: number = Number(process.env['OVN_GITOPS_EFFORT'] ?? 1);

/** Numbers in [0, 1) that depend on nothing but the seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
