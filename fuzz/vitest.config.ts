// Runs each fuzz target for a moment in the ordinary test run. Long runs: node fuzz/run.mjs --help
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['fuzz/**/*.test.ts'],
    testTimeout: 360_000,
    hookTimeout: 300_000,
    pool: 'forks',
    maxWorkers: 2,
  },
})
