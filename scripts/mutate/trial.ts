// Runs the tests of a room again and again, each time with another fault in one of its files. The
// files on the disk do not change: Vite serves the faulty source.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node'
import { testDoor } from '../test-door.ts'
import { memoryFolder } from '../test-memory.ts'
import type { Mutation } from './mutations.ts'

/** A fault that runs for ever is noticed. */
const TRIAL_MS = 60_000

export class Trials {
  readonly #root: string
  #vitest: Vitest | null = null
  #specs: TestSpecification[] = []
  #served: { readonly file: string; readonly source: string } | null = null

  constructor(root: string) {
    this.#root = root
  }

  /** Starts the tests below `room`. Returns whether they exist, and pass without a fault. */
  async open(room: string): Promise<boolean> {
    const serve = (file: string): string | null =>
      this.#served?.file === file ? this.#served.source : null
    const vitest = await createVitest(
      'test',
      {
        config: false,
        root: this.#root,
        dir: join(this.#root, room),
        include: ['**/*.test.ts'],
        exclude: ['**/*.drill.test.ts'],
        setupFiles: ['fixtures/test-seed.ts', 'fixtures/test-folder.ts'],
        env: { SVC_TEST_MEMORY: memoryFolder(), SVC_TEST_DISK: tmpdir() },
        watch: false,
        reporters: [{}],
        bail: 1,
        testTimeout: TRIAL_MS,
        isolate: false,
        pool: 'forks',
        // As in vitest.config.ts: crash tests turn off a disk.
        onUnhandledError: (error) => error.name !== 'PowerOff',
      },
      { plugins: [testDoor(this.#root), { name: 'svc-fault', enforce: 'pre', load: serve }] },
    )
    this.#vitest = vitest
    await vitest.standalone()
    this.#specs = await vitest.globTestSpecifications()
    return this.#specs.length > 0 && (await this.#pass())
  }

  /** Returns whether a test fails with this fault. */
  async notices(file: string, source: string, { start, end, text }: Mutation): Promise<boolean> {
    const path = join(this.#root, file)
    this.#served = { file: path, source: source.slice(0, start) + text + source.slice(end) }
    this.#vitest!.invalidateFile(path)
    const isNoticed = !(await this.#pass())
    this.#served = null
    this.#vitest!.invalidateFile(path)
    return isNoticed
  }

  async close(): Promise<void> {
    await this.#vitest?.close()
  }

  async #pass(): Promise<boolean> {
    const { testModules, unhandledErrors } = await this.#vitest!.runTestSpecifications(this.#specs)
    return unhandledErrors.length === 0 && testModules.every((module) => module.ok())
  }
}
