// The unit and property tests that stand beside the code. The long runs have configurations of
// their own.
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { doorOfTests } from './scripts/build/door.mjs'

export default defineConfig({
  // A test of one part does not load all that the door of the engine names.
  plugins: [doorOfTests(fileURLToPath(new URL('.', import.meta.url)))],
  test: {
    include: ['{format,engine,server,tools,scripts}/**/*.test.ts'],
    setupFiles: ['fixtures/test-seed.ts'],
    testTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    // Crash tests turn off a disk under work that nobody waits for: in a process, that would be its
    // end.
    onUnhandledError: (error) => error.name !== 'PowerOff',
  },
})
