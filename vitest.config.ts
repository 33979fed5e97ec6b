// The unit and property tests beside the code, and each fuzz target for a moment.
//
// Test files share the modules that their process has loaded: loading them again for each of some
// hundred files would be a large part of the run.
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { COMPILED, compiledSources } from './scripts/test-compile.mjs'
import { testDoor } from './scripts/test-door.ts'
import { memoryFolder } from './scripts/test-memory.ts'
import { LongestFirst } from './scripts/test-order.ts'

/** Files that replace modules, or load them again: each has a separate process. */
const ALONE = [
  'engine/runtime/tuning.test.ts',
  'engine/store/storage/{lock-koffi,natives-off}.test.ts',
  'server/page/manage/{dialogs,keys-tasks}.test.ts',
  'server/testing/new-setting.test.ts',
  'tools/new-layer.test.ts',
]

/**
 * Their threads exhaust a small heap on purpose, which ends the process if objects first fill a large
 * young heap.
 */
const SMALL_HEAPS = [
  'engine/ai/template/thread.test.ts',
  'engine/threads/threads.test.ts',
  'server/bodies/bodies.test.ts',
]

/** It replaces the machine's clock. */
const SIMULATION = 'scripts/fire/simulate/simulate.test.ts'

/** Tests in which native packages matter. */
const NATIVE = [
  'engine/store/storage/{file-system,zstd}*.test.ts',
  'engine/store/catalog/kill*.test.ts',
  'engine/write/indexer/pool*.test.ts',
  'server/testing/main.test.ts',
  'server/embed/embed*.test.ts',
]

/** Sessions of random work, of which drills run more. */
const SESSIONS = [
  'engine/store/catalog/manifest.test.ts',
  'engine/testing/{crash,faults,snapshot}.test.ts',
]
const MANY_SESSIONS = {
  SVC_CRASH_SESSIONS: '400',
  SVC_FAULT_SESSIONS: '400',
  SVC_MANIFEST_SESSIONS: '2000',
  SVC_SNAPSHOT_SESSIONS: '400',
}

const LAYERS = '{format,engine,server,tools,scripts}/**'
const DRILLS = '*.drill.test.ts'

const ROOT = fileURLToPath(new URL('.', import.meta.url))
const folder = process.env[COMPILED]

/**
 * Most code of tests runs a few times, so that optimizing it costs more than it saves. Later releases
 * of Node optimize in steps, and do not have the option.
 */
const LATE_OPTIMIZATION =
  Number(process.versions.node.split('.')[0]) < 22
    ? ['--interrupt-budget=400000', '--always-sparkplug']
    : []

/**
 * Workers are more than processors, so that threads of a collector would wait for each other. The
 * young heap begins with 32 MiB, so that few objects live long enough to be copied, and the old one
 * is not collected while the modules are loaded. Not for fuzzers and `SMALL_HEAPS`.
 */
const FEW_COLLECTIONS = [
  '--single-threaded-gc',
  '--min-semi-space-size=32',
  '--max-semi-space-size=64',
  '--initial-heap-size=512',
]

/** For tests that replace no module. */
const plugins = folder === undefined ? [] : [compiledSources(folder, ROOT)]

export default defineConfig({
  // A test of one part must not load all modules of the engine's index file.
  plugins: [testDoor(ROOT)],
  test: {
    setupFiles: ['fixtures/test-seed.ts', 'fixtures/test-folder.ts', 'fixtures/test-equality.ts'],
    env: { SVC_TEST_MEMORY: memoryFolder(), SVC_TEST_DISK: tmpdir() },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    execArgv: LATE_OPTIMIZATION,
    // Tests that start servers, kill them and sync files wait half of their time, so three workers
    // use two processors.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // A busy machine may take seconds for what takes milliseconds.
    expect: { poll: { timeout: 20_000 } },
    coverage: { provider: 'v8' },
    // Crash tests turn off a disk during running work; in a real process, that would be the end.
    onUnhandledError: (error) => error.name !== 'PowerOff',
    projects: [
      {
        extends: true,
        plugins,
        test: {
          name: 'shared',
          include: [`${LAYERS}/*.test.ts`],
          exclude: [...ALONE, ...SMALL_HEAPS, SIMULATION, `**/${DRILLS}`],
          execArgv: FEW_COLLECTIONS,
          isolate: false,
        },
      },
      {
        extends: true,
        plugins,
        test: { name: 'small-heaps', include: SMALL_HEAPS, isolate: false },
      },
      {
        extends: true,
        plugins,
        test: {
          name: 'without-natives',
          include: NATIVE,
          env: { SVC_NATIVES: 'off' },
          execArgv: FEW_COLLECTIONS,
          isolate: false,
        },
      },
      // Kills, failures and load of whole servers for minutes: `npm run drills`.
      {
        extends: true,
        plugins,
        test: {
          name: 'drills',
          include: [`${LAYERS}/${DRILLS}`, ...SESSIONS],
          env: MANY_SESSIONS,
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'alone', include: ALONE, execArgv: FEW_COLLECTIONS },
      },
      {
        extends: true,
        plugins,
        test: { name: 'simulation', include: [SIMULATION], execArgv: FEW_COLLECTIONS },
      },
      {
        extends: true,
        plugins,
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
