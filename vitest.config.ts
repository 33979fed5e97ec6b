// The unit and property tests beside the code, and each fuzz target for a moment.
//
// Test files share the modules that their process has loaded: loading them again for each of some
// hundred files would be a large part of the run.
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { testDoor } from './scripts/test-door.ts'
import { memoryFolder } from './scripts/test-memory.ts'
import { LongestFirst } from './scripts/test-order.ts'

/** Files that replace modules (`vi.mock`) or the machine's clock: each has a separate process. */
const ALONE = [
  'engine/followers/following/backlog.test.ts',
  'engine/time/backoff.test.ts',
  'scripts/fire/simulate/simulate.test.ts',
  'server/testing/new-setting.test.ts',
  'server/parse/hostile.test.ts',
  'tools/new-layer.test.ts',
]

/** Tests in which native packages matter. */
const NATIVE = [
  'engine/store/storage/{file-system,zstd}*.test.ts',
  'engine/store/catalog/kill*.test.ts',
  'engine/write/indexer/pool*.test.ts',
  'server/testing/main.test.ts',
  'server/embed/embed*.test.ts',
  'scripts/fire/kill/kill.test.ts',
]

const LAYERS = '{format,engine,server,tools,scripts}/**'
const DRILLS = '*.drill.test.ts'

export default defineConfig({
  // A test of one part must not load all modules of the engine's index file.
  plugins: [testDoor(fileURLToPath(new URL('.', import.meta.url)))],
  test: {
    setupFiles: ['fixtures/test-seed.ts', 'fixtures/test-folder.ts'],
    env: { SVC_TEST_MEMORY: memoryFolder(), SVC_TEST_DISK: tmpdir() },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Tests that start servers, kill them and sync files wait half of their time, so three workers
    // use two processors.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // A busy machine may take seconds for what takes milliseconds.
    expect: { poll: { timeout: 20_000 } },
    // Crash tests turn off a disk during running work; in a real process, that would be the end.
    onUnhandledError: (error) => error.name !== 'PowerOff',
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: [`${LAYERS}/*.test.ts`],
          exclude: [...ALONE, `**/${DRILLS}`],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'without-natives',
          include: NATIVE,
          env: { SVC_NATIVES: 'off' },
          isolate: false,
        },
      },
      // Kills, failures and load of whole servers for minutes: `npm run drills`.
      {
        extends: true,
        test: {
          name: 'drills',
          include: [`${LAYERS}/${DRILLS}`, 'engine/testing/crash.test.ts'],
          env: { SVC_CRASH_SESSIONS: '400' },
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
      {
        extends: true,
        test: {
          // Long runs: node fuzz/run.mjs --help
          name: 'fuzz',
          include: ['fuzz/**/*.test.ts'],
          testTimeout: 360_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
