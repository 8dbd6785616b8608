import * as fc from 'fast-check';
import { EFFORT, SEED } from './seed.ts';

// One seed for a whole run, so that one number repeats it; fast-check names it, and the path to the failure, by itself.
fc.configureGlobal({ seed: SEED, ...(EFFORT === 1 ? {} : { numRuns: 100 * EFFORT }) });
