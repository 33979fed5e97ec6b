// `npm run bench -- --report`: measures this version and other systems on the same data, stores the
// figures, and rewrites docs/performance.md, its plots, and the table of the README.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '../../../tools/terminal/index.ts'
import { commitOf } from '../../build/commit.mjs'
import { pause } from '../../fire/parts/client.ts'
import { type DataSet, dataOf, generatedData, queriesOf } from './data.ts'
import { measurePeer } from './measure-peer.ts'
import { measureServer, type RoundOptions } from './measure-server.ts'
import { plotName, withReport, withShortTable } from './page.ts'
import { plotOf } from './plot.ts'
import {
  type DataResult,
  type Figures,
  RESULTS_FILE,
  type Results,
  rangesOf,
  type SystemResult,
} from './results.ts'

export type ReportOptions = {
  /** The root of the checkout, with a built server. */
  readonly root: string
  /** A commit or tag of this repository to compare with, or null. */
  readonly release: string | null
  /** `NAME=COMMAND` of servers with the same API, and of scripts that print one line of figures. */
  readonly servers: readonly string[]
  readonly peers: readonly string[]
  /** `NAME=FILE` of more documents. */
  readonly data: readonly string[]
  readonly documents: number
  readonly rounds: number
  readonly searchMs: number
}

export const REPORT_DEFAULTS = { documents: 20_000, rounds: 3, searchMs: 4_000 } as const

type System = { readonly name: string; readonly command: string; readonly isServer: boolean }

const WORDS = '--db-path {db} --http-addr 127.0.0.1:{port} --no-analytics'
const commandOf = (root: string): string =>
  `${process.execPath} ${join(root, 'dist/server/main.js')} ${WORDS}`

/** Writes the report. `progress` gets a line for each round. */
export async function writeReport(
  options: ReportOptions,
  progress: (line: string) => void,
): Promise<void> {
  const { root } = options
  const results = await measureAll(options, progress)
  writeFileSync(join(root, RESULTS_FILE), `${JSON.stringify(results, null, 2)}\n`)
  const rewrite = (file: string, change: (text: string) => string): void =>
    writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')))
  rewrite('docs/performance.md', (text) => withReport(text, results))
  rewrite('README.md', (text) => withShortTable(text, results))
  results.data.forEach((data, n) => {
    writeFileSync(join(root, 'docs/images', plotName(n)), plotOf(data))
  })
}

export async function measureAll(
  options: ReportOptions,
  progress: (line: string) => void,
): Promise<Results> {
  const { root, release, servers, peers, rounds } = options
  const folder = mkdtempSync(join(tmpdir(), 'svc-report-'))
  const tree = join(folder, 'release')
  try {
    if (release !== null) buildRelease(root, tree, release)
    const systems = [
      { name: 'Svc Search', command: commandOf(root), isServer: true },
      ...(release === null
        ? []
        : [{ name: `release ${release}`, command: commandOf(tree), isServer: true }]),
      ...servers.map((words) => ({ ...namedCommand(words), isServer: true })),
      ...peers.map((words) => ({ ...namedCommand(words), isServer: false })),
    ]
    const others: number[] = []
    const data: DataResult[] = []
    for (const set of [generatedData(options.documents), ...options.data.map(dataOf)]) {
      data.push(await measureData(set, systems, folder, options, others, progress))
    }
    return { ...describeMachine(root), rounds, otherProcessors: meanOf(others), data }
  } finally {
    if (release !== null) git(root, 'worktree', 'remove', '--force', tree)
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The systems take turns, so that a disturbance of the machine meets all of them. */
async function measureData(
  data: DataSet,
  systems: readonly System[],
  folder: string,
  { rounds, searchMs }: ReportOptions,
  others: number[],
  progress: (line: string) => void,
): Promise<DataResult> {
  const round: RoundOptions = { data, queries: queriesOf(data), searchMs }
  const figures = new Map<System, Figures[]>(systems.map((system) => [system, []]))
  for (let i = 0; i < rounds; i++) {
    for (const [system, found] of figures) {
      others.push(await busyProcessors())
      progress(`${data.name}, round ${i + 1} of ${rounds}: ${system.name}`)
      const place = mkdtempSync(join(folder, 'round-'))
      const db = join(place, 'db')
      mkdirSync(db)
      found.push(
        system.isServer
          ? await measureServer(system.command, db, round)
          : measurePeer(system.command, place, round),
      )
      rmSync(place, { recursive: true })
    }
  }
  const results = [...figures].map(
    ([{ name, isServer }, found]): SystemResult => ({ name, isServer, figures: rangesOf(found) }),
  )
  const bytes = Buffer.byteLength(JSON.stringify(data.documents))
  return { name: data.name, documents: data.documents.length, bytes, systems: results }
}

function namedCommand(words: string): { name: string; command: string } {
  const at = words.indexOf('=')
  if (at < 1) throw new ToolError(`NAME=COMMAND is expected, not ${words}`)
  return { name: words.slice(0, at), command: words.slice(at + 1) }
}

const git = (root: string, ...words: readonly string[]): string =>
  execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()

/** Builds an earlier commit with the packages that are installed here. */
function buildRelease(root: string, tree: string, release: string): void {
  git(root, 'worktree', 'add', '--detach', tree, release)
  symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'))
  execFileSync(process.execPath, ['scripts/build/build.mjs'], { cwd: tree, stdio: 'pipe' })
}

const describeMachine = (root: string) => ({
  date: new Date().toISOString().slice(0, 10),
  commit: commitOf(root)?.sha.slice(0, 8) ?? 'unknown',
  node: process.version.slice(1),
  cpu: cpus()[0]?.model.trim() || process.arch,
  processors: availableParallelism(),
  memoryBytes: totalmem(),
  platform: `${process.platform} ${process.arch}`,
})

const IDLE_MS = 500

/** Returns how many processors other programs use now. */
async function busyProcessors(): Promise<number> {
  const busy = (): { all: number; idle: number } => {
    const times = cpus().map((one) => one.times)
    const idle = times.reduce((sum, one) => sum + one.idle, 0)
    const all = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0)
    return { all, idle }
  }
  const before = busy()
  await pause(IDLE_MS)
  const after = busy()
  const share = 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all)
  return share * cpus().length
}

const meanOf = (values: readonly number[]): number =>
  Number((values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2))
