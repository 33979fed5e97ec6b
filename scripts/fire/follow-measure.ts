// Measures the costs and the lag of followers from outside, as an operator would: first search
// after a start, age of the served data while documents change, restart, and the work of a writer
// while nothing changes.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { startStore, type TestStore } from '../../server/testing/index.ts'
import { type Client, endOfTask, pause } from './ask.ts'
import { Instance, PLACE } from './follow-instance.ts'
import { storeWords } from './snapshot-kill.ts'

export type FollowMeasureOptions = {
  readonly seed: number
  readonly documents: number
  readonly intervalS: number
  /** Number of changes whose time to the follower is measured. */
  readonly changes: number
  readonly onStep?: (what: string) => void
}

export type StartMeasure = {
  /** From the start of the process to the first answered search. */
  readonly firstSearchMs: number
  /** The part of it for downloading, as the follower reports it. */
  readonly downloadMs: number
  readonly bytes: number
}

export type FollowMeasure = {
  readonly documents: number
  readonly indexingPerS: number
  readonly before: StartMeasure
  /** Start of a follower that serves a small index while a large one is downloaded. */
  readonly lazily: StartMeasure
  readonly restartMs: number
  /** Time from the answer that a change is done until the follower finds it. */
  readonly lagsMs: readonly number[]
  readonly requestsPerChange: number
  readonly bytesPerChange: number
  /** Requests of the writer in some intervals without a change. */
  readonly idleRequests: number
  readonly idleCpuShare: number
}

const BODY_DOCUMENTS = 5000
const WORDS = 4000
const POLL_MS = 10
const IDLE_INTERVALS = 5
const TICKS_PER_S = 100
const WAIT_MS_MAX = 120_000

/** @throws if the followers do not work */
export async function measureFollowers(options: FollowMeasureOptions): Promise<FollowMeasure> {
  const { seed, documents, intervalS, changes, onStep } = options
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  const store = await startStore('hyperscale')
  const random = randomOf(seed)
  const words = [...storeWords(store.url, false)]
  const of = (name: string, more: readonly string[]): Instance =>
    new Instance({ name, root, words: [...words, ...more] })
  const writer = of('writer', ['--objstore-publish-interval', String(intervalS)])
  const running: Instance[] = [writer]
  const follower = (download: string): Instance => {
    const more = ['--follow', `objstore:${PLACE}`, '--follow-download', download]
    running.push(of(download, more))
    return running.at(-1)!
  }
  try {
    onStep?.('documents')
    await writer.start()
    const client = writer.client!
    await send(client, 'small', [{ id: 0, text: 'small' }])
    const indexingPerS = await fill(client, random, documents)
    await pause(3000 * intervalS)
    onStep?.('starts')
    const before = await firstSearch(follower('before'), 'large')
    const lazily = await firstSearch(follower('lazily'), 'small')
    const [, first] = running
    await first!.stop()
    const restart = await firstSearch(first!, 'large')
    onStep?.('changes')
    store.passed.length = 0
    const lagsMs = await lags(client, first!.client!, random, changes)
    const sent = store.passed.filter(({ method }) => method === 'PUT' || method === 'POST')
    onStep?.('rest')
    await pause(3000 * intervalS)
    for (const one of running.slice(1)) await one.stop()
    const idle = await rest(writer, store, intervalS)
    await writer.stop()
    rmSync(root, { recursive: true })
    return {
      documents,
      indexingPerS,
      before,
      lazily,
      restartMs: restart.firstSearchMs,
      lagsMs,
      requestsPerChange: sent.length / changes,
      bytesPerChange: sent.reduce((sum, { bytes }) => sum + bytes, 0) / changes,
      ...idle,
    }
  } finally {
    for (const one of running) await one.kill()
    await store.stop()
  }
}

async function send(client: Client, uid: string, body: readonly object[]): Promise<number> {
  const { status, json, text } = await client.ask('POST', `/indexes/${uid}/documents`, { body })
  assert.equal(status, 202, text)
  return json.taskUid
}

/** Returns documents per second, from the first request until the last task has ended. */
async function fill(client: Client, random: Random, count: number): Promise<number> {
  const vocabulary = Array.from({ length: WORDS }, () => random.below(1 << 30).toString(36))
  const word = (): string => vocabulary[random.below(random.below(WORDS) + 1)]!
  const text = (words: number): string => Array.from({ length: words }, word).join(' ')
  const begun = performance.now()
  let last = 0
  for (let from = 0; from < count; from += BODY_DOCUMENTS) {
    const length = Math.min(BODY_DOCUMENTS, count - from)
    const document = (_: unknown, i: number): object => ({
      id: from + i,
      title: text(4),
      text: text(60),
      year: 1950 + random.below(75),
    })
    last = await send(client, 'large', Array.from({ length }, document))
  }
  await endOfTask(client, last)
  return (count / (performance.now() - begun)) * 1000
}

async function firstSearch(follower: Instance, uid: string): Promise<StartMeasure> {
  const begun = performance.now()
  await follower.start()
  const body = { q: 'small', limit: 1 }
  const { status, text } = await follower.client!.ask('POST', `/indexes/${uid}/search`, { body })
  assert.equal(status, 200, text)
  const firstSearchMs = performance.now() - begun
  const [, bytes = '0', ms = '0'] =
    /Took over \S+: (\d+) bytes in (\d+) ms/.exec(follower.program!.said()) ?? []
  return { firstSearchMs, downloadMs: Number(ms), bytes: Number(bytes) }
}

async function lags(
  writer: Client,
  follower: Client,
  random: Random,
  changes: number,
): Promise<number[]> {
  const found: number[] = []
  for (let i = 0; i < changes; i++) {
    const word = `changed${i}x${random.below(1 << 30).toString(36)}`
    const uid = await send(writer, 'large', [{ id: random.below(1000), title: word }])
    await endOfTask(writer, uid)
    const begun = performance.now()
    for (;;) {
      const body = { q: `"${word}"`, limit: 1, page: 1, hitsPerPage: 1 }
      const { json } = await follower.ask('POST', '/indexes/large/search', { body })
      const ms = performance.now() - begun
      if (json?.totalHits === 1) {
        found.push(ms)
        break
      }
      assert.ok(ms < WAIT_MS_MAX, 'the follower stays behind')
      await pause(POLL_MS)
    }
    await pause(random.below(500))
  }
  return found
}

async function rest(
  writer: Instance,
  store: TestStore,
  intervalS: number,
): Promise<{ idleRequests: number; idleCpuShare: number }> {
  const pid = writer.program!.pid
  store.passed.length = 0
  const before = cpuSeconds(pid)
  const seconds = IDLE_INTERVALS * intervalS
  await pause(1000 * seconds)
  return {
    idleRequests: store.passed.length,
    idleCpuShare: (cpuSeconds(pid) - before) / seconds,
  }
}

/** Returns the processor time of a process, as Linux reports it. */
function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S
}
