// Each attack once, small, against one server: checks answers, and that the server lives. `node
// scripts/run.mjs fire hostile` measures how fast it answers others meanwhile.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, clientOf } from './ask.ts'
import { SMALL, type Target } from './hostile-attack.ts'
import { ATTACKS } from './hostile-attacks.table.ts'
import { prepare } from './hostile-inflict.ts'
import { BOOKS, fillLibrary, makeKeys } from './hostile-library.ts'
import { type Program, startProgram } from './program.ts'

const MASTER_KEY = 'a master key for the test'
const DOCUMENTS = 300
const START_MS_MAX = 120_000
/** Waiting clients are stopped after this time; others are answered well before. */
const WAIT_MS = 1000
const ANSWER_MS_MAX = 60_000
const BOUNDS = { sizes: SMALL, connectionShare: 0.05 }
/** Requests of each connection; attacks on answers send each of their bodies. */
const REQUESTS = 3
const ANSWER_REQUESTS = 14
const ANSWERS = 9

const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
let program: Program
let master: Client
let target: Target

beforeAll(async () => {
  const words = ['--master-key', MASTER_KEY]
  program = startProgram({ db: join(root, 'data.ms'), words })
  const url = await program.url
  master = clientOf(url, MASTER_KEY)
  await fillLibrary(master, DOCUMENTS)
  target = { url, keys: await makeKeys(master) }
}, START_MS_MAX)

afterAll(async () => {
  master.close()
  await program.stop()
  rmSync(root, { recursive: true, force: true })
}, START_MS_MAX)

it('has an attack for each finding, each with a separate name', () => {
  const names = ATTACKS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(ATTACKS.map(({ item }) => item))).toEqual(new Set([0, 1, 2, 3, 4, 7, 8, 9]))
})

// HTTP/2 requires a server with TLS, which the long run starts.
const plain = ATTACKS.filter(({ isSecure }) => isSecure !== true)

it.each(plain)(
  '$name: the server answers as it should and lives',
  async (attack) => {
    const waits = attack.waits === true
    const requests = attack.item === ANSWERS ? ANSWER_REQUESTS : REQUESTS
    const { run, stop } = prepare([attack], { ...BOUNDS, requestsMax: waits ? 1 : requests })
    const timer = setTimeout(stop, waits ? WAIT_MS : ANSWER_MS_MAX)
    const [tally] = await run(target)
    clearTimeout(timer)
    if (!waits) expect(tally!.outcomes).not.toHaveProperty('unanswered')
    expect(tally!.sent).toBeGreaterThan(0)
    expect(tally!.unwanted).toEqual([])
    expect(program.isRunning()).toBe(true)
    expect((await master.ask('GET', '/health')).status).toBe(200)
    const found = await master.ask('POST', `/indexes/${BOOKS}/search`, { body: { limit: 1 } })
    expect([found.status, found.json.hits.length]).toEqual([200, 1])
  },
  2 * ANSWER_MS_MAX,
)
