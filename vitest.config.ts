import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Tests start real servers: give them time, and keep to the two cores that CI has.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    setupFiles: ['test/support/configure-fast-check.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Golden files are written only when asked for, and a forgotten `.only` fails.
    update: process.env['UPDATE'] === '1' ? 'all' : 'none',
    allowOnly: false,
    coverage: { provider: 'v8', include: ['src/**/*.ts'] },
  },
});
