// One round on a peer: a script that indexes and searches in its own process and prints a line of
// JSON, `{"metrics": {"index.s": …}}`.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ToolError } from '../../../tools/terminal/index.ts'
import { FIELDS } from './data.ts'
import type { RoundOptions } from './measure-server.ts'
import type { Figures, MetricName } from './results.ts'

/** Names in the line of a peer. Absent ones stay unmeasured. */
const PEER_METRICS: Readonly<Record<string, MetricName>> = {
  'index.s': 'bulkSeconds',
  'index.cpu_s': 'bulkCpu',
  'index.peak_rss_MB': 'bulkMemory',
  'index.disk_MB': 'disk',
  'update.s': 'updateSeconds',
  'update.cpu_s': 'updateCpu',
  'update.single_ms': 'singleMs',
  'search.c1.p50_ms': 'searchMs',
  'search.c1.p99_ms': 'searchP99Ms',
  'search.c1.cpu_ms_per_query': 'searchCpuMs',
  'search.c1.peak_rss_MB': 'memory',
  'restart.ms': 'restartMs',
  'restart.cpu_s': 'restartCpu',
}

const OUTPUT_BYTES_MAX = 256 * 2 ** 20

/** `command` may hold `{dataset}`, `{queries}`, `{fields}`. @throws ToolError if it fails */
export function measurePeer(command: string, folder: string, round: RoundOptions): Figures {
  const dataset = join(folder, 'documents.ndjson')
  const queries = join(folder, 'queries.ndjson')
  writeFileSync(dataset, round.data.documents.map((one) => `${JSON.stringify(one)}\n`).join(''))
  const line = (one: { class: string; q: string }) => ({ class: one.class, body: { q: one.q } })
  writeFileSync(queries, round.queries.map((one) => `${JSON.stringify(line(one))}\n`).join(''))
  const values: Readonly<Record<string, string>> = { dataset, queries, fields: FIELDS.join(',') }
  const filled = (word: string): string =>
    word.replaceAll(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole)
  const [program = '', ...words] = command.split(' ').map(filled)
  const ran = spawnSync(program, [...words, '--ms', String(round.searchMs)], {
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
  })
  if (ran.status !== 0) throw new ToolError(`${command} failed: ${ran.stderr ?? ran.error}`)
  const { metrics } = JSON.parse(ran.stdout) as { metrics: Readonly<Record<string, number>> }
  const found = Object.entries(PEER_METRICS).flatMap(([theirs, ours]) => {
    const value = metrics[theirs]
    return typeof value === 'number' && Number.isFinite(value) ? [[ours, value] as const] : []
  })
  return Object.fromEntries(found)
}
