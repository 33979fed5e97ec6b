// A separate server with the same database for each attack: runs the attack, times other clients,
// samples memory, and checks that the server lives and answers soon afterwards. Then many attacks
// run at the same time.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { randomOf } from '../../../engine/store/storage/index.ts'
import { bytesText } from '../../../tools/terminal/index.ts'
import { endOfTask, pause } from '../parts/client.ts'
import { newFolder } from '../parts/database.ts'
import { Instance } from '../parts/instance.ts'
import { cpuSecondsOf, memoryOf } from '../parts/program.ts'
import { chosen, type Report, type Run } from '../parts/report.ts'
import { ATTACKS, type Attack, BOOKS, FULL, LEFT, RIGHT } from './attacks.table.ts'
import { openConnection, type Role, type Target } from './clients.ts'
import {
  type Bounds,
  startAttackers,
  startWatcher,
  type Tally,
  type Times,
  type Watched,
  WORDS_COUNT,
  wordOf,
} from './measure.ts'

export type HostileOptions = Run & {
  /** Seconds of each attack. */
  readonly seconds: number
  /** Duration of the mixed run; 0 leaves it out. */
  readonly minutes: number
  readonly documents: number
  /** Names of attacks with commas between, or empty for all of them. */
  readonly only: string
}

export const KEY = 'a master key for hostile runs'
const BOUNDS: Bounds = { sizes: FULL, connectionShare: 1, requestsMax: null }
/** Items whose attacks run at the same time in the mixed run, and their share of connections. */
const MIXED_ITEMS = [1, 2, 3, 4, 9]
const MIXED_SHARE = 0.2
const BATCH = 5000
const SAMPLE_MS = 50
const RECOVERY_MS_MAX = 15_000
/** Time until freed memory shows as freed. */
const SETTLE_MS = 2000
const HEALTH_P99_MS_MAX = 50
const SEARCH_P99_MS_MAX = 500
const RESIDENT_BYTES_MAX = 1_000_000_000
/** Largest share of failed searches of others: a p99 would not show them. */
const FAILED_SHARE_MAX = 0.01

/** `hostile`: every attack, then many of them at the same time. */
export async function hostile(options: HostileOptions): Promise<Report> {
  const { seconds, minutes, documents, only, progress } = options
  const names = ATTACKS.map(({ name }) => name)
  const attacks = ATTACKS.filter(({ name }) => only === '' || chosen(only, names).includes(name))
  const root = newFolder()
  // Servers and attackers end with this process, also after an interrupt.
  process.once('SIGINT', () => process.exit(130))
  const figures: { [attack: string]: string } = {}
  const problems: string[] = []
  const run = async (name: string, some: readonly Attack[], seconds: number, bounds = BOUNDS) => {
    progress?.(Object.keys(figures).length, attacks.length + 1, name)
    const one = await inflict(root, keys, some, seconds, bounds)
    figures[name] = one.text
    problems.push(...one.problems.map((problem) => `${name}: ${problem}`))
  }
  const filled = new Instance({ name: 'filled', root, key: KEY })
  let keys: Target['keys']
  try {
    await filled.start()
    keys = await fillLibrary(filled, documents)
    await filled.stop()
    for (const attack of attacks) await run(attack.name, [attack], seconds)
    if (minutes > 0 && only === '') {
      const mixed = ATTACKS.filter(({ item }) => MIXED_ITEMS.includes(item))
      const bounds = { ...BOUNDS, connectionShare: MIXED_SHARE }
      await run('many at once', mixed, minutes * 60, bounds)
    }
  } finally {
    await filled.kill()
    rmSync(root, { recursive: true, force: true })
  }
  return { figures, problems }
}

type Verdict = { readonly text: string; readonly problems: readonly string[] }

/** `attacks` must all use TLS, or all not. */
async function inflict(
  root: string,
  keys: Target['keys'],
  attacks: readonly Attack[],
  seconds: number,
  bounds: Bounds,
): Promise<Verdict> {
  const isSecure = attacks.some((attack) => attack.isSecure === true)
  const words = isSecure ? certificate(root) : []
  // Source maps make every failure expensive.
  const node = ['--no-enable-source-maps']
  const instance = new Instance({ name: 'attacked', root, key: KEY, node, words })
  cpSync(join(root, 'filled'), instance.folder, { recursive: true })
  const names = attacks.map(({ name }) => name)
  const [attackers, watcher] = await Promise.all([startAttackers(names, bounds), startWatcher()])
  let max = 0
  try {
    await instance.start()
    const program = instance.program!
    const url = (await program.url).replace(/^http:/, isSecure ? 'https:' : 'http:')
    const target = { url, keys }
    // The first request creates connections and compiles code before the measurement.
    await healthMs(url)
    const resident = (): number => memoryOf(program.pid)?.now ?? 0
    const [before, cpuBefore] = [resident(), cpuSecondsOf(program.pid)]
    const sampler = setInterval(() => {
      max = Math.max(max, resident())
    }, SAMPLE_MS)
    watcher.go(target)
    attackers.go(target)
    await Promise.race([pause(seconds * 1000), attackers.result, program.ended])
    const tallies = await attackers.stop()
    // A body may still be processed: other clients are timed until that is over.
    const recoveredMs = await healthMs(url)
    const watched = await watcher.stop()
    const cpu = (cpuSecondsOf(program.pid) - cpuBefore).toFixed(1)
    await Promise.race([pause(SETTLE_MS), program.ended])
    clearInterval(sampler)
    const memory = [before, max, resident()].map((bytes) => bytesText(bytes)).join(' → ')
    const problems = [
      ...(program.isRunning() ? [] : [`the server ended: ${instance.said.slice(-1000)}`]),
      ...missed(watched, max, tallies),
      ...(recoveredMs === null ? ['no answer afterwards'] : []),
    ]
    const text = `${countsOf(tallies)} · health ${timesText(watched.health)} · searches ${timesText(
      watched.searches,
    )} · probe late ${timesText(watched.lateness)} · memory ${memory} · processor ${cpu} s`
    return { text, problems }
  } finally {
    attackers.kill()
    watcher.kill()
    await instance.kill()
    rmSync(instance.folder, { recursive: true, force: true })
  }
}

/** Returns a short text for each missed limit. */
export function missed(
  { health, searches }: Watched,
  residentBytes: number,
  tallies: readonly Tally[],
): readonly string[] {
  const failed = ({ failures }: Times): number =>
    Object.values(failures).reduce((sum, count) => sum + count, 0)
  const limits: readonly (readonly [boolean, string])[] = [
    [health.p99 >= HEALTH_P99_MS_MAX, `health p99 ${health.p99.toFixed(0)} ms`],
    [failed(health) > 0, `health failed: ${JSON.stringify(health.failures)}`],
    [searches.p99 >= SEARCH_P99_MS_MAX, `searches p99 ${searches.p99.toFixed(0)} ms`],
    [
      failed(searches) > FAILED_SHARE_MAX * searches.count,
      `searches failed: ${JSON.stringify(searches.failures)}`,
    ],
    [residentBytes >= RESIDENT_BYTES_MAX, `memory ${bytesText(residentBytes)}`],
  ]
  const unwanted = tallies.flatMap((tally) => tally.unwanted)
  return [...limits.filter(([isMissed]) => isMissed).map(([, words]) => words), ...unwanted]
}

const timesText = ({ p50, p99, max }: Times): string =>
  `${[p50, p99, max].map((value) => value.toFixed(value < 10 ? 1 : 0)).join('/')} ms`

function countsOf(tallies: readonly Tally[]): string {
  const counts = new Map<string, number>()
  for (const { outcomes } of tallies) {
    for (const [outcome, count] of Object.entries(outcomes)) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + count)
    }
  }
  const sent = tallies.reduce((sum, one) => sum + one.sent, 0)
  return `${sent} sent, ${[...counts].map(([outcome, count]) => `${outcome}: ${count}`).join(', ')}`
}

function certificate(root: string): readonly string[] {
  const [cert, key] = [join(root, 'cert.pem'), join(root, 'key.pem')]
  const words = '-x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost'.split(' ')
  execFileSync('openssl', ['req', ...words, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return ['--ssl-cert-path', cert, '--ssl-key-path', key]
}

/** Returns the time of `GET /health`, or null if it exceeds the limit or the server has ended. */
async function healthMs(url: string): Promise<number | null> {
  const connection = openConnection(url)
  const begun = performance.now()
  try {
    const signal = AbortSignal.timeout(RECOVERY_MS_MAX)
    const { body } = await connection.request({ method: 'GET', path: '/health', signal })
    await body.text()
    return performance.now() - begun
  } catch {
    // Too late, or the server has ended.
    return null
  } finally {
    await connection.destroy()
  }
}

const ACTIONS: Readonly<Record<Role | 'other', readonly string[]>> = {
  search: ['search'],
  other: ['search'],
  render: ['settings.get', 'documents.get'],
  documents: ['documents.add'],
  admin: ['*'],
}

/** The database under attack: text, numbers, geo points and many distinct values to filter by. */
function bookOf(id: number): object {
  const random = randomOf(7 + id)
  // Some words are far more frequent than others, as in natural texts.
  const word = (): string => wordOf(Math.floor(WORDS_COUNT ** (random.below(1000) / 1000)))
  const words = (count: number): string => Array.from({ length: count }, word).join(' ')
  return {
    id,
    title: words(4),
    text: words(40),
    n: id,
    price: random.below(100_000) / 100,
    kind: wordOf(id % 12),
    tag: `w${String(id).padStart(5, '0')}`,
    _geo: { lat: random.below(160) - 80, lng: random.below(360) - 180 },
  }
}

/** Adds documents, settings, features and a key per role. */
export async function fillLibrary(instance: Instance, documents: number): Promise<Target['keys']> {
  const done = async (method: string, path: string, body: object): Promise<void> => {
    const { json } = await instance.expect(202, method, path, body)
    const { status, error } = await endOfTask(instance, json.taskUid)
    if (status !== 'succeeded') throw new Error(`${method} ${path}: ${JSON.stringify(error)}`)
  }
  const features = { containsFilter: true, renderRoute: true, multimodal: true }
  await instance.expect(200, 'PATCH', '/experimental-features', features)
  for (const index of [LEFT, RIGHT]) {
    await done('POST', `/indexes/${index}/documents`, [bookOf(1), bookOf(2)])
  }
  await done('PATCH', `/indexes/${BOOKS}/settings`, {
    filterableAttributes: ['n', 'price', 'kind', 'tag', '_geo'],
    sortableAttributes: ['n', 'price', '_geo'],
  })
  for (let first = 0; first < documents; first += BATCH) {
    const length = Math.min(BATCH, documents - first)
    const batch = Array.from({ length }, (_, i) => bookOf(first + i))
    await done('POST', `/indexes/${BOOKS}/documents`, batch)
  }
  const keys: Record<string, string> = {}
  for (const [role, actions] of Object.entries(ACTIONS)) {
    const body = { name: role, actions, indexes: ['*'], expiresAt: null }
    keys[role] = (await instance.expect(201, 'POST', '/keys', body)).json.key
  }
  return keys as Target['keys']
}
