// Runs the tests of a room again and again, each time with another fault in one of its files. The
// files on the disk do not change: each test file is bundled with the faulty source, and Vite serves
// an import of the bundle instead of the test file. Fetching and transforming hundreds of modules for
// each fault would take most of the time.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BuildContext, context, type Plugin } from 'esbuild'
import { createVitest, type TestSpecification, type Vitest } from 'vitest/node'
import { withAddress } from '../test-compile.mjs'
import { memoryFolder } from '../test-memory.ts'
import { type Mutation, withLoopChecks } from './mutations.ts'

/** A fault that runs for ever ends: by the limit of a test, or by the checks of loops. */
const TRIAL_MS = 60_000
const ENDLESS = 'EndlessLoop'
/** Processor time: other work on the machine, and clocks that tests replace, do not count. */
const LOOP_CLOCK = `const svcNow = () => process.cpuUsage().user / 1000, svcEnd = svcNow() + ${TRIAL_MS};
let svcLoops = 0;`
const LOOP_CHECK = `if ((++svcLoops & 63) === 0 && svcNow() > svcEnd)
throw Object.assign(new Error('a loop was ended'), { name: '${ENDLESS}' });`

const FOLDERS = ['engine', 'fixtures', 'format', 'scripts', 'server', 'tools']
const ADDRESS = /import\.meta\.(?:url|dirname|filename)/

/** A test that replaces a module of its own: in a bundle, that module has no file. */
const MOCKS = /\bvi\.mock\((?:import\()?'\./

type Bundle = {
  readonly spec: TestSpecification
  readonly context: BuildContext
  /** Files that are part of it. */
  readonly inputs: ReadonlySet<string>
  /** Path of the bundled code. */
  readonly outfile: string
}

/** `timed out`: a test failed at the limit of time, because of the fault or of a busy machine. */
type Outcome = 'noticed' | 'timed out' | 'missed'

type Failure = { readonly message: string; readonly isTimeout: boolean }

export class Trials {
  readonly #root: string
  #vitest: Vitest | null = null
  #bundles: Bundle[] = []
  /** Below `node_modules`, so that Vite leaves it as it is, and packages are found. */
  readonly #folder: string
  #fault: { readonly path: string; readonly source: string } | null = null

  constructor(root: string) {
    this.#root = root
    this.#folder = join(root, 'node_modules/.svc-mutate', `bundles-${process.pid}`)
  }

  /**
   * Starts the tests below `room`, and below `folders` that test it as well. @throws unless they
   * pass without a fault
   */
  async open(room: string, folders: readonly string[] = []): Promise<void> {
    const serve = (file: string): string | null => {
      const bundle = this.#bundles.find(({ spec }) => spec.moduleId === file)
      return bundle === undefined ? null : `import ${JSON.stringify(bundle.outfile)}`
    }
    mkdirSync(this.#folder, { recursive: true })
    const vitest = await createVitest(
      'test',
      {
        config: false,
        root: this.#root,
        include: [room, ...folders].map((folder) => `${folder}/**/*.test.ts`),
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
    const sources = this.#sources(room)
    for (const spec of await vitest.globTestSpecifications()) {
      if (MOCKS.test(readFileSync(spec.moduleId, 'utf8'))) continue
      this.#bundles.push(await this.#bundle(spec, sources))
    }
    if (this.#bundles.length === 0) throw new Error(`${room} has no tests`)
    const failure = await this.#failure(this.#bundles)
    if (failure === null) return
    const words = failure.isTimeout ? 'is too slow' : 'fails'
    throw new Error(`${room} ${words} without a fault: ${failure.message}`)
  }

  async #bundle(spec: TestSpecification, sources: Plugin): Promise<Bundle> {
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
      plugins: [sources],
    })
    const { metafile, outputFiles } = await made.rebuild()
    const inputs = new Set(Object.keys(metafile!.inputs).map((name) => join(this.#root, name)))
    const outfile = join(this.#folder, `${this.#bundles.length}.mjs`)
    writeFileSync(outfile, outputFiles![0]!.text)
    return { spec, context: made, inputs, outfile }
  }

  /** Serves the fault, and to other modules their own addresses. */
  #sources(room: string): Plugin {
    const addressed = FOLDERS.flatMap((folder) =>
      readdirSync(join(this.#root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((name) => name.endsWith('.ts'))
        .filter((name) => ADDRESS.test(readFileSync(join(this.#root, name), 'utf8'))),
    )
    // Files that esbuild reads by itself are parsed once.
    const filter = new RegExp([`${room}/.*`, ...addressed].map((path) => `/${path}$`).join('|'))
    return {
      name: 'svc-sources',
      setup: ({ onLoad }) => {
        onLoad({ filter }, ({ path }) => {
          const source =
            this.#fault?.path === path ? this.#fault.source : readFileSync(path, 'utf8')
          const contents = LOOP_CLOCK + withLoopChecks(path, withAddress(source, path), LOOP_CHECK)
          return { contents, loader: 'ts' }
        })
      },
    }
  }

  /** Runs the tests with this fault. */
  async run(file: string, source: string, { start, end, text }: Mutation): Promise<Outcome> {
    const path = join(this.#root, file)
    const reached = this.#bundles.filter(({ inputs }) => inputs.has(path))
    this.#fault = { path, source: source.slice(0, start) + text + source.slice(end) }
    try {
      // The test beside the file notices most faults.
      const isBeside = ({ spec }: Bundle): boolean =>
        spec.moduleId === path.replace('.ts', '.test.ts')
      const failure =
        (await this.#failureOf(reached.filter(isBeside))) ??
        (await this.#failureOf(reached.filter((bundle) => !isBeside(bundle))))
      if (failure === null) return 'missed'
      return failure.isTimeout ? 'timed out' : 'noticed'
    } finally {
      this.#fault = null
    }
  }

  /** Bundles the tests with the present fault and runs them, as `#failure` does. */
  async #failureOf(bundles: readonly Bundle[]): Promise<Failure | null> {
    for (const { context: made, outfile } of bundles) {
      const { outputFiles } = await made.rebuild()
      writeFileSync(outfile, outputFiles![0]!.text)
    }
    return bundles.length === 0 ? null : this.#failure(bundles)
  }

  async close(): Promise<void> {
    for (const bundle of this.#bundles) await bundle.context.dispose()
    await this.#vitest?.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Runs tests. Returns the first failure, or null if all pass. */
  async #failure(bundles: readonly Bundle[]): Promise<Failure | null> {
    const { testModules, unhandledErrors } = await this.#vitest!.runTestSpecifications(
      bundles.map(({ spec }) => spec),
    )
    const failed = testModules.find((module) => !module.ok())
    if (failed === undefined) {
      const hasPassed = unhandledErrors.length === 0
      return hasPassed ? null : { message: 'an error of no test', isTimeout: false }
    }
    const tests = [...failed.children.allTests('failed')]
    const errors = [...failed.errors(), ...tests.flatMap((test) => test.result().errors ?? [])]
    const isTimeout =
      tests.some((test) => (test.diagnostic()?.duration ?? 0) >= TRIAL_MS) ||
      errors.some(({ name, cause }) => name === ENDLESS || cause?.name === ENDLESS)
    return { message: `${failed.moduleId}: ${errors[0]?.message ?? 'no test failed'}`, isTimeout }
  }
}
