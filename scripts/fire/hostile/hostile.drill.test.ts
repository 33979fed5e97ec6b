// Each attack once, small, against one server: checks answers, and that the server lives. `node
// scripts/run.mjs fire hostile` measures how fast it answers others meanwhile.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newFolder } from '../parts/database.ts'
import { Instance } from '../parts/instance.ts'
import { ATTACKS, BOOKS, SMALL } from './attacks.table.ts'
import type { Target } from './clients.ts'
import { prepare, type Times } from './measure.ts'
import { fillLibrary, KEY, missed } from './session.ts'

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

const root = newFolder()
const instance = new Instance({ name: 'attacked', root, key: KEY })
let target: Target

beforeAll(async () => {
  await instance.start()
  const keys = await fillLibrary(instance, DOCUMENTS)
  target = { url: await instance.program!.url, keys }
}, START_MS_MAX)

afterAll(async () => {
  await instance.kill()
  rmSync(root, { recursive: true, force: true })
}, START_MS_MAX)

it('has an attack for each finding, each with a separate name', () => {
  const names = ATTACKS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(ATTACKS.map(({ item }) => item))).toEqual(new Set([0, 1, 2, 3, 4, 7, 8, 9]))
})

it('names each missed limit', () => {
  const times = (p99: number, failures = {}): Times => {
    return { count: 100, p50: 1, p99, max: p99 + 1, failures }
  }
  const tally = { sent: 2, outcomes: { cut: 1 }, unwanted: ['ranges got cut'] }
  const watched = { health: times(49), searches: times(20), lateness: times(1) }
  expect(missed(watched, 1, [])).toEqual([])
  const bad = { ...watched, health: times(50, { lost: 1 }), searches: times(500, { 503: 2 }) }
  expect(missed(bad, 2e9, [tally])).toHaveLength(6)
})

// HTTP/2 requires a server with TLS, which the long run starts.
const plain = ATTACKS.filter(({ isSecure }) => isSecure !== true)

it.each(plain)(
  '$name: the server answers as it should and lives',
  async (attack) => {
    const waits = attack.waits === true
    const requests = attack.item === ANSWERS ? ANSWER_REQUESTS : REQUESTS
    const { run, stop } = prepare(attack, { ...BOUNDS, requestsMax: waits ? 1 : requests })
    const timer = setTimeout(stop, waits ? WAIT_MS : ANSWER_MS_MAX)
    const tally = await run(target)
    clearTimeout(timer)
    if (!waits) expect(tally.outcomes).not.toHaveProperty('unanswered')
    expect(tally.sent).toBeGreaterThan(0)
    expect(tally.unwanted).toEqual([])
    expect(instance.isRunning).toBe(true)
    await instance.expect(200, 'GET', '/health')
    const { json } = await instance.expect(200, 'POST', `/indexes/${BOOKS}/search`, { limit: 1 })
    expect(json.hits.length).toBe(1)
  },
  2 * ANSWER_MS_MAX,
)
