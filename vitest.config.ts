// The unit and property tests that stand beside the code. The long runs have configurations of
// their own.
//
// Test files share the modules that their process has loaded: loading them anew for each of some
// hundred files takes 100 s of the run. Files that replace modules (`vi.mock`) get a process of
// their own.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { doorOfTests } from './scripts/build/door.mjs'

const root = fileURLToPath(new URL('.', import.meta.url))
const FOLDERS = ['format', 'engine', 'server', 'tools', 'scripts']

const tests = FOLDERS.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => join(folder, file)),
)
const replacesModules = (file: string): boolean =>
  readFileSync(join(root, file), 'utf8').includes('vi.mock(')

export default defineConfig({
  // A test of one part does not load all that the door of the engine names.
  plugins: [doorOfTests(root)],
  test: {
    setupFiles: ['fixtures/test-seed.ts'],
    testTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
    // Crash tests turn off a disk under work that goes on: in a process, that would be its
    // end.
    onUnhandledError: (error) => error.name !== 'PowerOff',
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: tests.filter((file) => !replacesModules(file)),
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: tests.filter(replacesModules) } },
    ],
  },
})
