// The unit and property tests that stand beside the code. The long runs have configurations of
// their own.
import { defineConfig } from 'vitest/config'

export default defineConfig({
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
