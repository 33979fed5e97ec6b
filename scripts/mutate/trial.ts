// Runs the tests of a room again and again, each time with another fault in one of its files. The
// files on the disk do not change: each test file is bundled with the faulty source, and Vite serves
// the bundle, since fetching hundreds of modules for each fault takes most of the time.
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildContext, context, type Plugin } from 'esbuild'
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node'
import { memoryFolder } from '../test-memory.ts'
import { type Mutation, withLoopChecks } from './mutations.ts'

/** A fault that runs for ever is noticed: by the limit of a test, or by the checks of loops. */
const TRIAL_MS = 60_000
const LOOPS_MAX = 100_000_000
const LOOP_CHECK = `if (++globalThis.svcLoops > ${LOOPS_MAX}) throw new Error('endless');`

type Bundle = {
  readonly spec: TestSpecification
  readonly context: BuildContext
  /** Files that are part of it. */
  readonly inputs: ReadonlySet<string>
  /** Without a fault. */
  readonly text: string
}

export class Trials {
  readonly #root: string
  #vitest: Vitest | null = null
  #bundles: Bundle[] = []
  readonly #served = new Map<string, string>()
  #fault: { readonly path: string; readonly source: string } | null = null

  constructor(root: string) {
    this.#root = root
  }

  /** Starts the tests below `room`. Returns whether they exist, and pass without a fault. */
  async open(room: string): Promise<boolean> {
    const serve = (file: string): string | null => this.#served.get(file) ?? null
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
        maxWorkers: 1,
        // As in vitest.config.ts: crash tests turn off a disk.
        onUnhandledError: (error) => error.name !== 'PowerOff',
      },
      { plugins: [{ name: 'svc-bundle', enforce: 'pre', load: serve }] },
    )
    this.#vitest = vitest
    await vitest.standalone()
    for (const spec of await vitest.globTestSpecifications()) {
      this.#bundles.push(await this.#bundle(spec))
    }
    return this.#bundles.length > 0 && (await this.#pass(this.#bundles))
  }

  async #bundle(spec: TestSpecification): Promise<Bundle> {
    const made = await context({
      entryPoints: [spec.moduleId],
      absWorkingDir: this.#root,
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      packages: 'external',
      outdir: 'out',
      plugins: [this.#sources()],
    })
    const { metafile, outputFiles } = await made.rebuild()
    const inputs = new Set(Object.keys(metafile!.inputs).map((name) => join(this.#root, name)))
    const text = outputFiles![0]!.text
    this.#served.set(spec.moduleId, text)
    return { spec, context: made, inputs, text }
  }

  /** Serves the fault, and to other modules their own addresses. */
  #sources(): Plugin {
    return {
      name: 'svc-sources',
      setup: ({ onLoad }) => {
        onLoad({ filter: /\.ts$/ }, ({ path }) => {
          const source =
            this.#fault?.path === path ? this.#fault.source : readFileSync(path, 'utf8')
          const url = JSON.stringify(pathToFileURL(path).href)
          return { contents: source.replaceAll('import.meta.url', url), loader: 'ts' }
        })
      },
    }
  }

  /** Returns whether a test fails with this fault. */
  async notices(file: string, source: string, { start, end, text }: Mutation): Promise<boolean> {
    const path = join(this.#root, file)
    const reached = this.#bundles.filter(({ inputs }) => inputs.has(path))
    if (reached.length === 0) return false
    const faulty = source.slice(0, start) + text + source.slice(end)
    this.#fault = {
      path,
      source: `globalThis.svcLoops = 0;${withLoopChecks(file, faulty, LOOP_CHECK)}`,
    }
    for (const { spec, context: made } of reached) {
      const { outputFiles } = await made.rebuild()
      this.#served.set(spec.moduleId, outputFiles![0]!.text)
    }
    this.#fault = null
    const isNoticed = !(await this.#pass(reached))
    for (const { spec, text: sound } of reached) this.#served.set(spec.moduleId, sound)
    return isNoticed
  }

  async close(): Promise<void> {
    for (const bundle of this.#bundles) await bundle.context.dispose()
    await this.#vitest?.close()
  }

  async #pass(bundles: readonly Bundle[]): Promise<boolean> {
    for (const { spec } of bundles) this.#vitest!.invalidateFile(spec.moduleId)
    const { testModules, unhandledErrors } = await this.#vitest!.runTestSpecifications(
      bundles.map(({ spec }) => spec),
    )
    return unhandledErrors.length === 0 && testModules.every((module) => module.ok())
  }
}
