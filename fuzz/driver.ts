// Runs one target in a worker thread under a watchdog, and stores findings as files of
// `fixtures/found`, which every later run tries first.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  digest,
  type Finding,
  type FindingKind,
  inputAt,
  type Job,
  type Report,
  sharedBytes,
  watch,
} from './protocol.ts'
import type { FuzzTarget } from './target.ts'

export type Options = {
  readonly seed: number
  readonly seconds: number
  readonly inputMsMax: number
  readonly findingsMax: number
  readonly keep: boolean
}

/** The locations of the bundled worker, of the corpus and of earlier findings. */
export type Places = { readonly worker: URL; readonly corpus: string; readonly found: string }

const CORPUS_FILES_MAX = 200
/** Largest corpus file; the corpus is part of the repository, which must stay small. */
const CORPUS_FILE_BYTES_MAX = 8192
/** Number of workers that may end without a report before a run is abandoned. */
const LOSSES_MAX = 3
const HEAP_MIB_MAX = 512
/**
 * An input that seems to hang is run again alone with this many times the time limit, because the
 * machine may be busy.
 */
const HANG_RETRY_FACTOR = 3

type Outcome =
  | { readonly kind: 'report'; readonly report: Report }
  /** The worker ended, or was ended, while it ran an input. */
  | { readonly kind: 'loss'; readonly finding: Finding }

/** Fuzzes `target` for `seconds`. An input that hangs ends its worker; a new worker continues. */
export async function fuzz(target: FuzzTarget, options: Options, places: Places): Promise<Report> {
  const end = performance.now() + options.seconds * 1000
  const inputs = [
    ...filesOf(join(places.corpus, target.name)),
    ...filesOf(places.found, `${target.name}-`),
  ]
  const findings: Finding[] = []
  const deadly = new Set<string>()
  for (let round = 0; ; round++) {
    const seconds = Math.max(0, (end - performance.now()) / 1000)
    const left = inputs.filter((input) => !deadly.has(digest(input)))
    const job = { ...options, seconds, seed: options.seed + round, inputs: left, alone: false }
    const outcome = await work(target, job, places)
    if (outcome.kind === 'report') return withFindings(outcome.report, findings)
    const { input } = outcome.finding
    deadly.add(digest(input))
    findings.push(...(await replay(target, input, options.inputMsMax * HANG_RETRY_FACTOR, places)))
    const isEnough = findings.length >= Math.min(LOSSES_MAX, options.findingsMax)
    // On a busy machine an input may seem to hang: without another round nothing would have run.
    const isOver = performance.now() > end && round + 1 >= LOSSES_MAX
    if (isEnough || isOver) return withFindings(NOTHING, findings)
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

/** Runs one input alone. The findings of the report contain the outcome. */
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
  return outcome.kind === 'report' ? outcome.report.findings : [outcome.finding]
}

function work(
  target: FuzzTarget,
  options: Omit<Job, 'target' | 'shared'>,
  places: Places,
): Promise<Outcome> {
  const shared = new SharedArrayBuffer(sharedBytes(target.inputBytesMax))
  const workerData: Job = { ...options, target: target.name, shared }
  return new Promise((resolve) => {
    const worker = new Worker(places.worker, {
      workerData,
      execArgv: ['--enable-source-maps'],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB_MAX },
    })
    const end = (outcome: Outcome): void => {
      watchdog.stop()
      resolve(outcome)
      void worker.terminate()
    }
    const lose = (kind: FindingKind, message: string): void =>
      end({ kind: 'loss', finding: { kind, message, input: inputAt(shared) } })
    const slow = `still running after ${options.inputMsMax} ms`
    const watchdog = watch(shared, options.inputMsMax, () => lose('hang', slow))
    worker.on('message', (report: Report) => end({ kind: 'report', report }))
    worker.on('error', (error) => lose('death', error.stack ?? error.message))
  })
}

function filesOf(folder: string, prefix = ''): Uint8Array[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.startsWith(prefix))
  // The name of a target may be the prefix of another one's; only a digest, which has no hyphen,
  // may follow it.
  const own = names.filter((name) => !name.slice(prefix.length).includes('-'))
  return own.sort().map((name) => new Uint8Array(readFileSync(join(folder, name))))
}

/**
 * Writes a finding to disk; returns its path relative to the parent of `found`, for the command
 * that replays it.
 */
export function keepFinding(target: FuzzTarget, { input }: Finding, found: string): string {
  mkdirSync(found, { recursive: true })
  const name = `${target.name}-${digest(input)}`
  writeFileSync(join(found, name), input)
  return name
}

/** Replaces the corpus of the target by `kept`, without large inputs. */
export function keepCorpus(target: FuzzTarget, kept: readonly Uint8Array[], corpus: string): void {
  const folder = join(corpus, target.name)
  mkdirSync(folder, { recursive: true })
  const small = kept.filter((input) => input.length <= CORPUS_FILE_BYTES_MAX)
  const files = new Map(small.slice(0, CORPUS_FILES_MAX).map((input) => [digest(input), input]))
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name))
  for (const [name, input] of files) writeFileSync(join(folder, name), input)
}
