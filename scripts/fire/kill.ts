// kill -9 at random moments. A session is a database that is started and killed several times: work
// is sent until it is killed, then it is restarted and all acknowledged work is checked.
//
// After each kill: `svc-tools check` finds no problem in the files; every acknowledged task exists
// and ends; the documents, their vectors, settings and indexes are exactly the result of the
// succeeded tasks, run in order on an empty database. A slow provider of embeddings makes some
// kills happen while a batch embeds.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { RELEASE } from '../../server/config/index.ts'
import { checkDatabase, findingsOf } from '../../tools/check/index.ts'
import { type Client, clientOf, pause, untilIdle } from './ask.ts'
import { compareVectors, expectedDoc, shownDoc } from './kill-vectors.ts'
import { type Program, startProgram } from './program.ts'
import { ALLOWS_LOOPBACK, SlowProvider } from './slow-provider.ts'
import {
  type Doc,
  documentWork,
  embedderWork,
  INDEXES,
  type Index,
  indexWork,
  isNamed,
  type Model,
  modelOf,
  renderedText,
  requestOf,
  WORDS,
  type Work,
} from './work.ts'

export type KillOptions = {
  readonly seed: number
  /** Kills of this database. */
  readonly kills: number
  /** Called after each kill that the database survived. */
  readonly onKill?: (report: KillReport) => void
  /** Called after each kill; true ends the session. */
  readonly isEnough?: () => boolean
}

export type KillReport = {
  readonly acknowledged: number
  /** Tasks that exist although their acknowledgement was never sent. */
  readonly unheard: number
  readonly tasks: number
  readonly documents: number
  /** Whether the server waited for vectors when it was killed. */
  readonly isEmbedding: boolean
  /** Documents that were changed without their text, and were not embedded again. */
  readonly unchanged: number
  /** From the start of the process until it listened. */
  readonly restartMs: number
}

/** A task as the API shows it. */
type Task = {
  readonly uid: number
  readonly type: string
  readonly status: string
  readonly customMetadata?: string
  readonly error: unknown
}

const DOCUMENT_SENDERS = 3
/** The longest answer time of the provider of embeddings, for ten texts. */
const ANSWER_MS_MAX = 150
/** A life ends if no batch embeds within this time. */
const EMBEDDING_MS_MAX = 15_000
/** Documents of an index that are changed without their text. */
const UNCHANGED_MAX = 30
/** The longest life in which work is sent. */
const LIFE_MS_MAX = 3000
const SILENT = { at: () => undefined, end: () => undefined }
const CHECK = { lock: true, release: RELEASE.version, openProgress: () => SILENT }
const ALL = 1_000_000

class Session {
  readonly random: Random
  readonly db: string
  readonly provider: SlowProvider
  readonly works = new Map<string, Work>()
  /** By uid: acknowledged work. */
  readonly acknowledged = new Map<number, Work>()
  /** The work without a name that was being sent when the server was killed. */
  unnamed: Work | null = null
  isEmbedding = false

  constructor(seed: number, db: string, provider: SlowProvider) {
    this.random = randomOf(seed)
    this.db = db
    this.provider = provider
  }

  start(): Program {
    return startProgram({ db: this.db, words: ALLOWS_LOOPBACK })
  }
}

/** @throws AssertionError if an expectation fails; then the folder is kept for inspection. */
export async function killSession(options: KillOptions): Promise<void> {
  const { seed, kills, onKill, isEnough } = options
  const root = mkdtempSync(join(tmpdir(), 'svc-fire-'))
  const provider = await SlowProvider.start()
  const session = new Session(seed, join(root, 'data.ms'), provider)
  try {
    for (let kill = 0; kill < kills && isEnough?.() !== true; kill++) {
      await live(session)
      if (session.random.below(4) === 0) await dieEarly(session)
      const report = await verify(session)
      onKill?.(report)
    }
  } catch (error) {
    throw new Error(`seed ${seed}, database ${session.db}: ${String(error)}`, { cause: error })
  } finally {
    await provider.stop()
  }
  rmSync(root, { recursive: true })
}

/** Starts the server, sends work, and kills it meanwhile. */
async function live(session: Session): Promise<void> {
  const { random, provider } = session
  session.unnamed = null
  provider.delayMs = 1 + random.below(ANSWER_MS_MAX)
  const program = session.start()
  const client = clientOf(await program.url)
  const waitsForEmbedding = random.below(2) === 0
  const killed = killLater(session, program, waitsForEmbedding)
  const senders = Array.from({ length: DOCUMENT_SENDERS }, () =>
    sendUntilDeath(session, program, client, documentWork),
  )
  const first = waitsForEmbedding ? embedderWork : indexWork
  senders.push(sendUntilDeath(session, program, client, indexWork, first))
  await Promise.all([...senders, killed])
  await program.ended
  client.close()
}

/** Kills after a random time, or that long after a batch began to embed. */
async function killLater(session: Session, program: Program, waits: boolean): Promise<void> {
  const { random, provider } = session
  const longest = performance.now() + EMBEDDING_MS_MAX
  while (waits && provider.waiting === 0 && performance.now() < longest) await pause(2)
  await pause(waits ? random.below(ANSWER_MS_MAX) : lifeMs(random))
  session.isEmbedding = provider.waiting > 0
  program.kill('SIGKILL')
}

/** Mostly short lives: most happens at the start of a server. */
function lifeMs(random: Random): number {
  const longest = [150, 600, 1500, LIFE_MS_MAX][random.below(4)]!
  return random.below(longest)
}

type Draw = (random: Random, name: string) => Work

async function sendUntilDeath(
  session: Session,
  program: Program,
  client: Client,
  draw: Draw,
  first = draw,
): Promise<void> {
  const { random, works } = session
  for (let next = first; program.isRunning(); next = draw) {
    const work = next(random, `w${works.size}`)
    if (!isNamed(work)) session.unnamed = work
    try {
      await sendWork(session, client, work)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // The connection broke because the server was killed; the process ends a moment later.
      await program.ended
      return
    }
    if (!isNamed(work)) session.unnamed = null
    await pause(random.below(isNamed(work) ? 120 : 400))
  }
}

/** Kills the server during its start. */
async function dieEarly(session: Session): Promise<void> {
  const { random } = session
  const program = session.start()
  await pause(random.below(400))
  program.kill('SIGKILL')
  await program.ended
}

async function verify(session: Session): Promise<KillReport> {
  expectSound(session.db, 'after the kill')
  const begun = performance.now()
  session.provider.delayMs = 0
  const program = session.start()
  const client = clientOf(await program.url)
  const restartMs = performance.now() - begun
  await untilIdle(client)
  const page = await client.ask('GET', `/tasks?reverse=true&limit=${ALL}`)
  const tasks = page.json.results as readonly Task[]
  const order = identify(session, tasks)
  const documents = await compare(client, modelOf(order))
  const { acknowledged, isEmbedding } = session
  const heard = acknowledged.size
  for (const task of tasks) acknowledged.set(task.uid, workOf(session, task))
  const touched = await changeButForText(session, client, modelOf(order))
  await compare(client, modelOf([...order, ...touched.works]))
  client.close()
  const end = await program.stop()
  assert.deepEqual([end.code, end.signal], [0, null], end.stderr)
  expectSound(session.db, 'after it was stopped')
  return {
    acknowledged: heard,
    unheard: tasks.length - heard,
    tasks: tasks.length,
    documents,
    isEmbedding,
    unchanged: touched.unchanged,
    restartMs,
  }
}

/**
 * Changes some documents of each index with embeddings, and the text of one of them: only that one
 * is embedded again.
 */
async function changeButForText(session: Session, client: Client, model: Model) {
  const { random, provider } = session
  const works: Work[] = []
  let unchanged = 0
  for (const [index, { docs, embedders }] of model) {
    if (embedders.r === null || docs.size === 0) continue
    const ids = [...docs.keys()].slice(0, UNCHANGED_MAX)
    const kept = ids.map((id) => ({ id, n: 10 + random.below(10) }))
    // A new text: an equal one is not embedded again.
    const text = `${WORDS[random.below(WORDS.length)]} ${session.works.size}`
    const changed = { id: ids[0]!, text }
    for (const docs of [kept, [changed]]) {
      provider.takeTexts()
      const name = `w${session.works.size}`
      const work: Work = { name, kind: 'import', index, method: 'PUT', docs }
      await sendWork(session, client, work)
      works.push(work)
      await untilIdle(client)
      const expected = docs === kept ? [] : [renderedText(changed, embedders)]
      assert.deepEqual(provider.takeTexts(), expected, `texts that were embedded of ${index}`)
    }
    unchanged += kept.length
  }
  return { works, unchanged }
}

/** Resolves when it is acknowledged. */
async function sendWork({ works, acknowledged, provider }: Session, client: Client, work: Work) {
  works.set(work.name, work)
  const { method, path, body } = requestOf(work, provider.url)
  const answer = await client.ask(method, path, body === undefined ? {} : { body })
  assert.equal(answer.status, 202, `${method} ${path}: ${answer.text}`)
  acknowledged.set(answer.json.taskUid, work)
}

/** `svc-tools check`, in this process. */
function expectSound(db: string, when: string): void {
  const result = checkDatabase(db, CHECK)
  const findings = [...findingsOf(result)].map((finding) => JSON.stringify(finding))
  assert.equal(result.problemCount, 0, `svc-tools check, ${when}:\n${findings.join('\n')}`)
}

/**
 * Returns the works of succeeded tasks in order; checks that acknowledged tasks exist and have
 * ended.
 */
function identify(session: Session, tasks: readonly Task[]): Work[] {
  const order: Work[] = []
  for (const [uid, work] of session.acknowledged) {
    assert.ok(tasks[uid]?.uid === uid, `task ${uid} was acknowledged and is gone: ${work.kind}`)
    assert.equal(workOf(session, tasks[uid]).name, work.name)
  }
  for (const task of tasks) {
    const failure = JSON.stringify(task.error)
    assert.ok(['succeeded', 'failed'].includes(task.status), `task ${task.uid} is ${task.status}`)
    if (task.status === 'succeeded') order.push(workOf(session, task))
    else assert.match(failure, /"(?:index_not_found|index_already_exists)"/, failure)
  }
  return order
}

function workOf({ works, acknowledged, unnamed }: Session, task: Task): Work {
  const named = task.customMetadata === undefined ? undefined : works.get(task.customMetadata)
  const work = named ?? acknowledged.get(task.uid) ?? unnamed
  assert.ok(work, `an unexpected task ${task.uid}, ${task.type}`)
  return work
}

/** Compares all readable data with the model; returns the number of documents. */
async function compare(client: Client, model: Model): Promise<number> {
  let count = 0
  for (const uid of INDEXES) {
    const index = model.get(uid)
    const { status } = await client.ask('GET', `/indexes/${uid}`)
    assert.equal(status, index === undefined ? 404 : 200, `index ${uid}`)
    if (index === undefined) continue
    count += index.docs.size
    const settings = (await client.ask('GET', `/indexes/${uid}/settings`)).json
    for (const [name, value] of Object.entries(index.settings)) {
      assert.deepEqual([...settings[name]].sort(), [...value].sort(), `${uid}: ${name}`)
    }
    const path = `/indexes/${uid}/documents?limit=${ALL}&retrieveVectors=true`
    const found = (await client.ask('GET', path)).json.results as readonly Doc[]
    const expected = [...index.docs.values()].map((doc) => expectedDoc(doc, index))
    assert.deepEqual(
      found.map((doc) => shownDoc(doc, index)).sort((a, b) => a.id - b.id),
      expected.sort((a, b) => a.id - b.id),
      `documents of ${uid}`,
    )
    await compareVectors(client, uid, index)
    await compareSearches(client, uid, index)
  }
  return count
}

async function compareSearches(client: Client, uid: string, index: Index): Promise<void> {
  const docs = [...index.docs.values()]
  const count = async (body: object): Promise<number> => {
    const answer = await client.ask('POST', `/indexes/${uid}/search`, {
      body: { ...body, page: 1, hitsPerPage: 1, attributesToRetrieve: ['id'] },
    })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.totalHits
  }
  for (const word of WORDS) {
    if (index.settings['stopWords']?.includes(word)) continue
    const held = docs.filter(({ text }) => `${text ?? ''}`.includes(word)).length
    // Filler is in another field, and has no word of WORDS.
    assert.equal(await count({ q: `"${word}"` }), held, `${word} in ${uid}`)
  }
  if (!index.settings['filterableAttributes']?.includes('n')) return
  for (let n = 0; n < 10; n++) {
    const held = docs.filter((doc) => doc['n'] === n).length
    assert.equal(await count({ filter: `n = ${n}` }), held, `n = ${n} in ${uid}`)
  }
}
