// Runs one target in a worker thread under a watchdog, and keeps what is found: as a file of
// `fixtures/found`, which every later run tries first.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { digest, type Finding, type Job, type Report, sharedBytes, watch } from './protocol.ts'
import type { FuzzTarget } from './target.ts'

export type Options = {
  readonly seed: number
  readonly seconds: number
  readonly inputMsMax: number
  readonly findingsMax: number
  readonly keep: boolean
}

/** Where things are: the bundled worker, the corpus, what was found. */
export type Places = { readonly worker: URL; readonly corpus: string; readonly found: string }

const CORPUS_FILES_MAX = 200
/** The corpus is part of the repository, which stays small. */
const CORPUS_FILE_BYTES_MAX = 8192
const HANGS_MAX = 3
/**
 * An input that seems to hang gets this many times as long, alone: the machine may just be busy.
 */
const PATIENCE = 3

type Outcome =
  | { readonly kind: 'report'; readonly report: Report }
  | { readonly kind: 'hang'; readonly input: Uint8Array }
  | { readonly kind: 'death'; readonly error: unknown }

/** Fuzzes `target` for `seconds`. An input that hangs ends its worker; the next one goes on. */
export async function fuzz(target: FuzzTarget, options: Options, places: Places): Promise<Report> {
  const end = performance.now() + options.seconds * 1000
  const inputs = [
    ...filesOf(join(places.corpus, target.name)),
    ...filesOf(places.found, `${target.name}-`),
  ]
  const hangs: Finding[] = []
  const tooSlow = new Set<string>()
  for (let round = 0; ; round++) {
    const seconds = Math.max(0, (end - performance.now()) / 1000)
    const left = inputs.filter((input) => !tooSlow.has(digest(input)))
    const job = { ...options, seconds, seed: options.seed + round, inputs: left, alone: false }
    const outcome = await work(target, job, places)
    if (outcome.kind === 'report') return withFindings(outcome.report, hangs)
    if (outcome.kind === 'death') throw outcome.error
    tooSlow.add(digest(outcome.input))
    const finding = await confirmHang(target, outcome.input, options, places)
    if (finding !== null) hangs.push(finding)
    if (hangs.length >= Math.min(HANGS_MAX, options.findingsMax) || performance.now() > end)
      return withFindings(NOTHING, hangs)
  }
}

const NOTHING: Report = {
  executions: 0,
  pool: 0,
  covered: 0,
  refusedSeeds: 0,
  findings: [],
  kept: [],
}

const withFindings = (report: Report, more: readonly Finding[]): Report => ({
  ...report,
  findings: [...more, ...report.findings],
})

/** Runs one input alone. The findings of the report say how it went. */
export async function replay(
  target: FuzzTarget,
  input: Uint8Array,
  inputMsMax: number,
  places: Places,
): Promise<readonly Finding[]> {
  const times = { seed: 0, seconds: 0, inputMsMax, findingsMax: 1 }
  const outcome = await work(
    target,
    { ...times, inputs: [input], alone: true, keep: false },
    places,
  )
  if (outcome.kind === 'report') return outcome.report.findings
  if (outcome.kind === 'death') throw outcome.error
  const message = `still running after ${inputMsMax} ms`
  return [{ kind: 'hang', message, input: outcome.input }]
}

async function confirmHang(
  target: FuzzTarget,
  input: Uint8Array,
  { inputMsMax }: Options,
  places: Places,
): Promise<Finding | null> {
  const findings = await replay(target, input, inputMsMax * PATIENCE, places)
  return findings.find(({ kind }) => kind === 'hang') ?? null
}

function work(
  target: FuzzTarget,
  options: Omit<Job, 'target' | 'shared'>,
  places: Places,
): Promise<Outcome> {
  const shared = new SharedArrayBuffer(sharedBytes(target.inputBytesMax))
  const workerData: Job = { ...options, target: target.name, shared }
  return new Promise((resolve) => {
    const worker = new Worker(places.worker, { workerData, execArgv: ['--enable-source-maps'] })
    const end = (outcome: Outcome): void => {
      watchdog.stop()
      resolve(outcome)
      void worker.terminate()
    }
    const watchdog = watch(shared, options.inputMsMax, (input) => end({ kind: 'hang', input }))
    worker.on('message', (report: Report) => end({ kind: 'report', report }))
    worker.on('error', (error) => end({ kind: 'death', error }))
  })
}

function filesOf(folder: string, prefix = ''): Uint8Array[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix))
  // A target's name may begin another's: what is left is the digest, without a hyphen.
  const own = names.filter((name) => !name.slice(prefix.length).includes('-'))
  return own.sort().map((name) => new Uint8Array(readFileSync(join(folder, name))))
}

/**
 * Writes what was found; returns the path from `found`'s parent, for the command that replays it.
 */
export function keepFinding(target: FuzzTarget, { input }: Finding, found: string): string {
  mkdirSync(found, { recursive: true })
  const name = `${target.name}-${digest(input)}`
  writeFileSync(join(found, name), input)
  return name
}

/** Makes `kept`, as far as it is small, the corpus of the target. */
export function keepCorpus(target: FuzzTarget, kept: readonly Uint8Array[], corpus: string): void {
  const folder = join(corpus, target.name)
  mkdirSync(folder, { recursive: true })
  const small = kept.filter((input) => input.length <= CORPUS_FILE_BYTES_MAX)
  const files = new Map(small.slice(0, CORPUS_FILES_MAX).map((input) => [digest(input), input]))
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name))
  for (const [name, input] of files) writeFileSync(join(folder, name), input)
}
